/** Images that go with the next message: taken by paste, drop or choice, sent at once, shown until the message goes. */
import { useCallback, useRef, useState } from "react";
import {
  type ComposedImage,
  findPreview,
  MOST_IMAGES,
  refuseImage,
  type StoredImage,
  sendImage,
} from "../api/images.ts";
import { sayError } from "../api/say-error.ts";
import { useHeldPreviews } from "./use-held-previews.ts";

export interface HeldImage extends ComposedImage {
  /** The same image may be there twice, and has one reference then. */
  readonly key: number;
  readonly name: string;
  readonly preview: string;
}

export interface Images {
  readonly held: readonly HeldImage[];
  /** How many are still on their way. */
  readonly sending: number;
  readonly take: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  /** These have gone. */
  readonly clear: (gone: readonly HeldImage[]) => void;
  /** What was not taken, and why; empty where all was. */
  readonly refused: string;
}

/** Begins with those of a message that is said anew. */
export function useImages(sessionId: string, stored: readonly StoredImage[] = []): Images {
  const [held, setHeld] = useState<readonly HeldImage[]>(() => stored.map(holdStored));
  const [sending, setSending] = useState(0);
  const [refused, setRefused] = useState("");
  const keys = useRef(stored.length);
  useHeldPreviews(held.flatMap(({ sent }) => (sent === undefined ? [] : [sent.reference])));
  const room = MOST_IMAGES - held.length - sending;
  const take = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      const reasons = files.flatMap((file) => refuseImage(file) ?? []);
      const good = files.filter((file) => refuseImage(file) === undefined);
      if (good.length > room) reasons.push(`A message takes ${MOST_IMAGES} images; the others were left out.`);
      setRefused(reasons.join(" "));
      for (const source of good.slice(0, Math.max(0, room))) {
        setSending((before) => before + 1);
        sendImage(sessionId, source)
          .then(
            (sent) => {
              keys.current += 1;
              const preview = findPreview(sent.reference) ?? "";
              const image = { key: keys.current, name: sent.name, preview, source, sent };
              setHeld((before) => [...before, image]);
            },
            (error: unknown) => setRefused(`${source.name} was not taken: ${sayError(error)}`),
          )
          .finally(() => setSending((before) => before - 1));
      }
    },
    [sessionId, room],
  );
  const remove = (key: number) => setHeld((before) => before.filter((image) => image.key !== key));
  const clear = (gone: readonly HeldImage[]) => {
    setHeld((before) => before.filter((image) => !gone.includes(image)));
    setRefused("");
  };
  return { held, sending, take, remove, clear, refused };
}

function holdStored(source: StoredImage, index: number): HeldImage {
  return { key: index, name: source.name, preview: source.url, source };
}
