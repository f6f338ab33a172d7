/** Images of the next message: added by paste, drop or file dialog, and uploaded at once. */
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { describeError } from "../api/errors.ts";
import { findImageFault, MAX_IMAGES } from "../api/image-rules.ts";
import { findPreview, releasePreview, retainPreview, uploadImage } from "../api/images.ts";
import type { StoredImage } from "../api/values.ts";
import {
  changePendingImages,
  NO_IMAGES,
  nextKey,
  type PendingImage,
  type PendingImages,
  readPendingImages,
  restorePendingImages,
  subscribeToPendingImages,
} from "./image-drafts.ts";

export interface Images {
  readonly images: readonly PendingImage[];
  /** How many images are being uploaded or restored. */
  readonly uploading: number;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  readonly clear: (sent: readonly PendingImage[]) => void;
  /** Why images were rejected; empty if none was. */
  readonly refusal: string;
  readonly refuse: (reason: string) => void;
}

/** Images of the session's draft, or of the message that is being edited, initially its stored ones. */
export function useImages(sessionId: string, stored: readonly StoredImage[] | undefined): Images {
  const [{ images, unread, refusal }, change] = usePendingImages(sessionId, stored);
  const [uploads, setUploads] = useState(0);
  useRetainedPreviews(images.flatMap(({ known }) => (known === undefined ? [] : [known.reference])));
  useEffect(() => {
    if (unread.length > 0) void restorePendingImages(sessionId);
  }, [sessionId, unread]);
  const refuse = useCallback((reason: string) => change((pending) => ({ ...pending, refusal: reason })), [change]);
  const room = MAX_IMAGES - images.length - uploads - unread.length;
  const add = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      const reasons = files.flatMap((file) => findImageFault(file) ?? []);
      const valid = files.filter((file) => findImageFault(file) === undefined);
      if (valid.length > room)
        reasons.push(`A message can have at most ${MAX_IMAGES} images; the others were not added.`);
      refuse(reasons.join(" "));
      for (const source of valid.slice(0, Math.max(0, room))) {
        setUploads((before) => before + 1);
        // Uploads may end in another order than the one in which the user chose the files.
        const key = nextKey();
        uploadImage(sessionId, source)
          .then(
            (uploaded) => {
              const preview = findPreview(uploaded.reference) ?? "";
              const image = { key, name: uploaded.name, preview, source, uploaded, known: uploaded };
              change((pending) => ({ ...pending, images: [...pending.images, image].toSorted(byKey) }));
            },
            (error: unknown) => refuse(`${source.name} was not added: ${describeError(error)}`),
          )
          .finally(() => setUploads((before) => before - 1));
      }
    },
    [sessionId, room, change, refuse],
  );
  const removeWhere = (matches: (image: PendingImage) => boolean) =>
    change((pending) => ({ ...pending, images: pending.images.filter((image) => !matches(image)), refusal: "" }));
  const remove = (key: number) => removeWhere((image) => image.key === key);
  const clear = (sent: readonly PendingImage[]) => removeWhere((image) => sent.includes(image));
  return { images, uploading: uploads + unread.length, add, remove, clear, refusal, refuse };
}

function byKey(left: PendingImage, right: PendingImage): number {
  return left.key - right.key;
}

type ChangePendingImages = (change: (pending: PendingImages) => PendingImages) => void;

function usePendingImages(
  sessionId: string,
  stored: readonly StoredImage[] | undefined,
): [PendingImages, ChangePendingImages] {
  const own = useState<PendingImages>(() => ({ ...NO_IMAGES, images: stored?.map(toPendingImage) ?? [] }));
  const pending = useSyncExternalStore(subscribeToPendingImages, () => readPendingImages(sessionId));
  const change = useCallback<ChangePendingImages>((next) => changePendingImages(sessionId, next), [sessionId]);
  return stored === undefined ? [pending, change] : own;
}

function toPendingImage(source: StoredImage): PendingImage {
  return { key: nextKey(), name: source.name, preview: source.url, source };
}

/** Keeps the browser's copies of images while the component shows them. */
export function useRetainedPreviews(references: readonly string[]): void {
  const key = references.join("\n");
  useEffect(() => {
    const retained = key === "" ? [] : key.split("\n");
    for (const reference of retained) retainPreview(reference);
    return () => {
      for (const reference of retained) releasePreview(reference);
    };
  }, [key]);
}
