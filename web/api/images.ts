/**
 * Images of messages that are not sent yet. An image is uploaded first, and its message names it by the server's
 * reference. Until the log has the image, the page shows the browser's copy, and releases it when nothing shows it.
 */
import { client } from "./client.ts";
import { cacheImage, findCachedImage, removeCachedImage } from "./image-cache.ts";
import { fetchWithToken, hasToken } from "./token.ts";
import type { StoredImage } from "./values.ts";

export interface UploadedImage {
  readonly reference: string;
  readonly mediaType: string;
  readonly name: string;
}

interface Preview {
  readonly url: string;
  readonly file: File;
}

/** By reference. */
const previews = new Map<string, Preview>();

/** How many components show a preview. */
const uses = new Map<string, number>();

/** Delay before an unused preview is released: while it moves to the conversation, no component shows it. */
const RELEASE_MS = 1_000;

export async function uploadImage(id: string, file: File): Promise<UploadedImage> {
  const { reference, mediaType } = await client.putImage({ params: { id }, bytes: file, mediaType: file.type });
  addPreview(reference, file);
  // With tokens, another user may sign in to this browser next.
  if (!hasToken()) void cacheImage(reference, file);
  return { reference, mediaType, name: file.name };
}

/** Finds the file of an uploaded image; undefined if the browser has no copy. */
export async function findUploadedImage({ reference, name, mediaType }: UploadedImage): Promise<File | undefined> {
  const bytes = previews.get(reference)?.file ?? (await findCachedImage(reference));
  if (bytes === undefined) return undefined;
  addPreview(reference, bytes);
  return new File([bytes], name, { type: mediaType });
}

function addPreview(reference: string, file: File): void {
  if (!previews.has(reference)) previews.set(reference, { url: URL.createObjectURL(file), file });
  releaseSoon(reference);
}

export type ImageSource = File | StoredImage;

/** An image of a message that is being written; `uploaded` if its session already has it. */
export interface ComposedImage {
  readonly source: ImageSource;
  readonly uploaded?: UploadedImage | undefined;
}

/** Uploads the images that the session does not have yet. */
export function uploadMissingImages(id: string, images: readonly ComposedImage[]): Promise<readonly UploadedImage[]> {
  return Promise.all(images.map(({ source, uploaded }) => uploaded ?? uploadFrom(id, source)));
}

async function uploadFrom(id: string, source: ImageSource): Promise<UploadedImage> {
  return uploadImage(id, source instanceof File ? source : await readStored(source));
}

async function readStored({ url, name }: StoredImage): Promise<File> {
  const bytes = await loadImage(url);
  return new File([bytes], name, { type: bytes.type });
}

/** Whether an `img` element can load the address: its requests carry no token. */
export function isLoadable(url: string): boolean {
  return !hasToken() || !isStored(url);
}

/** Images that need a token are not cached by the browser: another user may sign in next. */
export async function loadImage(url: string, signal?: AbortSignal): Promise<Blob> {
  const options: RequestInit = { cache: isLoadable(url) ? "default" : "no-store", signal: signal ?? null };
  const response = await (isStored(url) ? fetchWithToken(url, options) : fetch(url, options));
  if (!response.ok) throw new Error("An image of the message could not be read.");
  return response.blob();
}

function isStored(url: string): boolean {
  return url.startsWith("/api/");
}

export function findPreview(reference: string): string | undefined {
  return previews.get(reference)?.url;
}

export function retainPreview(reference: string): void {
  uses.set(reference, (uses.get(reference) ?? 0) + 1);
}

export function releasePreview(reference: string): void {
  const left = (uses.get(reference) ?? 0) - 1;
  if (left > 0) uses.set(reference, left);
  else uses.delete(reference);
  releaseSoon(reference);
}

function releaseSoon(reference: string): void {
  setTimeout(() => {
    const preview = previews.get(reference);
    if (preview === undefined || uses.has(reference)) return;
    URL.revokeObjectURL(preview.url);
    previews.delete(reference);
    if (!hasToken()) void removeCachedImage(reference);
  }, RELEASE_MS);
}
