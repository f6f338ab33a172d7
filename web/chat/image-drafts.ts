/**
 * Images in the composer of each session. The tab stores their references and the browser a copy of each, so that they
 * come back together with the text of a message that could not be sent.
 */
import { readFields, readList, readText } from "../../src/client/fields.ts";
import {
  type ComposedImage,
  findPreview,
  findUploadedImage,
  releasePreview,
  retainPreview,
  type UploadedImage,
} from "../api/images.ts";
import { createTabStorage } from "../hooks/tab-storage.ts";

export interface PendingImage extends ComposedImage {
  /** Needed because the same image, with the same reference, can be added twice. */
  readonly key: number;
  readonly name: string;
  readonly preview: string;
  /** An earlier upload of this image; undefined for an image of a message in the log. */
  readonly known?: UploadedImage | undefined;
}

export interface PendingImages {
  readonly images: readonly PendingImage[];
  /** Images known by reference only; their copies are still being read. */
  readonly unread: readonly UploadedImage[];
  /** Why images were rejected; empty if none was. */
  readonly refusal: string;
}

let newestKey = 0;

export function nextKey(): number {
  newestKey += 1;
  return newestKey;
}

export const NO_IMAGES: PendingImages = { images: [], unread: [], refusal: "" };

const storage = createTabStorage<PendingImages>({
  prefix: "images ",
  decode(stored) {
    const unread = stored === undefined ? [] : parseUploads(stored);
    // Previews of stored images are retained until they are removed from the composer.
    for (const { reference } of unread) retainPreview(reference);
    return { ...NO_IMAGES, unread };
  },
  encode(pending) {
    const known = listKnown(pending);
    return known.length === 0 ? undefined : JSON.stringify(known);
  },
});

export const subscribeToPendingImages = storage.subscribe;
export const readPendingImages = storage.read;

export function changePendingImages(sessionId: string, change: (pending: PendingImages) => PendingImages): void {
  const before = storage.read(sessionId);
  const after = change(before);
  for (const { reference } of listKnown(after)) retainPreview(reference);
  for (const { reference } of listKnown(before)) releasePreview(reference);
  storage.write(sessionId, after);
}

export function restoreImages(sessionId: string, images: readonly UploadedImage[]): void {
  if (images.length === 0) return;
  changePendingImages(sessionId, (pending) => ({ ...pending, unread: [...pending.unread, ...images] }));
}

/** Removes the images from a session's composer, to add them to another one. */
export function takeImages(sessionId: string): readonly UploadedImage[] {
  const known = listKnown(storage.read(sessionId));
  changePendingImages(sessionId, () => NO_IMAGES);
  return known;
}

/** Reads the copies of unread images. A notice lists images without a copy, so that the user can add them again. */
export async function restorePendingImages(sessionId: string): Promise<void> {
  const { unread } = storage.read(sessionId);
  const found = await Promise.all(unread.map(async (image) => ({ image, source: await findUploadedImage(image) })));
  const images = found.flatMap(({ image, source }) => (source === undefined ? [] : [toPendingImage(image, source)]));
  const lost = found.flatMap(({ image, source }) => (source === undefined ? [image.name || "an image"] : []));
  changePendingImages(sessionId, (pending) => {
    if (pending.unread !== unread) return pending;
    const refusal = lost.length === 0 ? pending.refusal : describeLost(lost);
    return { images: [...images, ...pending.images], unread: [], refusal };
  });
}

function describeLost(names: readonly string[]): string {
  return `The browser has lost ${names.join(", ")}. Add ${names.length === 1 ? "it" : "them"} again.`;
}

/** The image is uploaded again with its message: the server keeps unused uploads for an hour, and for one session. */
function toPendingImage(known: UploadedImage, source: File): PendingImage {
  return { key: nextKey(), name: known.name, preview: findPreview(known.reference) ?? "", source, known };
}

function listKnown({ images, unread }: PendingImages): readonly UploadedImage[] {
  return [...unread, ...images.flatMap(({ known }) => known ?? [])];
}

function parseUploads(stored: string): readonly UploadedImage[] {
  return readList(parse(stored)).map((value) => {
    const { reference, mediaType, name } = readFields(value);
    return { reference: readText(reference), mediaType: readText(mediaType), name: readText(name) };
  });
}

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
