/** Images that go with the next message: taken by paste, drop or choice, sent at once, shown until the message goes. */
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { sayError } from "../api/errors.ts";
import { MOST_IMAGES, refuseImage } from "../api/image-rules.ts";
import { findPreview, holdPreview, letGoPreview, type StoredImage, sendImage } from "../api/images.ts";
import {
  changeShelf,
  EMPTY_SHELF,
  fillShelf,
  followShelves,
  type HeldImage,
  nextKey,
  readShelf,
  type Shelf,
} from "./image-drafts.ts";

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
  readonly refuse: (reason: string) => void;
}

/** Those of a draft; or those of a message that is said anew, which begin with what it has. */
export function useImages(sessionId: string, stored: readonly StoredImage[] | undefined): Images {
  const [{ held, awaited, refused }, change] = useShelf(sessionId, stored);
  const [sending, setSending] = useState(0);
  useHeldPreviews(held.flatMap(({ known }) => (known === undefined ? [] : [known.reference])));
  useEffect(() => {
    if (awaited.length > 0) void fillShelf(sessionId);
  }, [sessionId, awaited]);
  const refuse = useCallback((reason: string) => change((shelf) => ({ ...shelf, refused: reason })), [change]);
  const room = MOST_IMAGES - held.length - sending - awaited.length;
  const take = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      const reasons = files.flatMap((file) => refuseImage(file) ?? []);
      const good = files.filter((file) => refuseImage(file) === undefined);
      if (good.length > room) reasons.push(`A message takes ${MOST_IMAGES} images; the others were left out.`);
      refuse(reasons.join(" "));
      for (const source of good.slice(0, Math.max(0, room))) {
        setSending((before) => before + 1);
        sendImage(sessionId, source)
          .then(
            (sent) => {
              const preview = findPreview(sent.reference) ?? "";
              const image = { key: nextKey(), name: sent.name, preview, source, sent, known: sent };
              change((shelf) => ({ ...shelf, held: [...shelf.held, image] }));
            },
            (error: unknown) => refuse(`${source.name} was not taken: ${sayError(error)}`),
          )
          .finally(() => setSending((before) => before - 1));
      }
    },
    [sessionId, room, change, refuse],
  );
  const leave = (isGone: (image: HeldImage) => boolean) =>
    change((shelf) => ({ ...shelf, held: shelf.held.filter((image) => !isGone(image)), refused: "" }));
  const remove = (key: number) => leave((image) => image.key === key);
  const clear = (gone: readonly HeldImage[]) => leave((image) => gone.includes(image));
  return { held, sending: sending + awaited.length, take, remove, clear, refused, refuse };
}

type ChangeShelf = (change: (shelf: Shelf) => Shelf) => void;

function useShelf(sessionId: string, stored: readonly StoredImage[] | undefined): [Shelf, ChangeShelf] {
  const own = useState<Shelf>(() => ({ ...EMPTY_SHELF, held: stored?.map(holdStored) ?? [] }));
  const shelf = useSyncExternalStore(followShelves, () => readShelf(sessionId));
  const change = useCallback<ChangeShelf>((next) => changeShelf(sessionId, next), [sessionId]);
  return stored === undefined ? [shelf, change] : own;
}

function holdStored(source: StoredImage): HeldImage {
  return { key: nextKey(), name: source.name, preview: source.url, source };
}

export function useHeldPreviews(references: readonly string[]): void {
  const key = references.join("\n");
  useEffect(() => {
    const held = key === "" ? [] : key.split("\n");
    for (const reference of held) holdPreview(reference);
    return () => {
      for (const reference of held) letGoPreview(reference);
    };
  }, [key]);
}
