/** Images that go with the next message: taken by paste, drop or choice, sent at once, shown until the message goes. */
import { useCallback, useRef, useState } from "react";
import { findPreview, MOST_IMAGES, refuseImage, type SentImage, sendImage } from "../api/images.ts";
import { sayError } from "../api/say-error.ts";

export interface HeldImage extends SentImage {
  /** The same image may be there twice, and has one reference then. */
  readonly key: number;
  readonly preview: string;
}

export interface Images {
  readonly held: readonly HeldImage[];
  /** How many are still on their way. */
  readonly sending: number;
  readonly take: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  readonly clear: () => void;
  /** What was not taken, and why; empty where all was. */
  readonly refused: string;
}

export function useImages(sessionId: string): Images {
  const [held, setHeld] = useState<readonly HeldImage[]>([]);
  const [sending, setSending] = useState(0);
  const [refused, setRefused] = useState("");
  const keys = useRef(0);
  const room = MOST_IMAGES - held.length - sending;
  const take = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      const reasons = files.flatMap((file) => refuseImage(file) ?? []);
      const good = files.filter((file) => refuseImage(file) === undefined);
      if (good.length > room) reasons.push(`A message takes ${MOST_IMAGES} images; the others were left out.`);
      setRefused(reasons.join(" "));
      for (const file of good.slice(0, Math.max(0, room))) {
        setSending((before) => before + 1);
        sendImage(sessionId, file)
          .then(
            (sent) => {
              keys.current += 1;
              const image = { ...sent, key: keys.current, preview: findPreview(sent.reference) ?? "" };
              setHeld((before) => [...before, image]);
            },
            (error: unknown) => setRefused(`${file.name} was not taken: ${sayError(error)}`),
          )
          .finally(() => setSending((before) => before - 1));
      }
    },
    [sessionId, room],
  );
  const remove = (key: number) => setHeld((before) => before.filter((image) => image.key !== key));
  const clear = () => {
    setHeld([]);
    setRefused("");
  };
  return { held, sending, take, remove, clear, refused };
}
