/**
 * Images on their way to a message: sent first, then named by what the server calls them. Until the log has one, the
 * browser shows its own copy, which is let go of when nobody shows it any more.
 */
import { client } from "./client.ts";
import { fetchSigned, hasToken } from "./token.ts";

export const MOST_IMAGES = 5;
export const MOST_BYTES = 5 * 2 ** 20;
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface SentImage {
  readonly reference: string;
  readonly mediaType: string;
  readonly name: string;
}

/** An image that a message of the log has. */
export interface StoredImage {
  readonly url: string;
  readonly name: string;
}

interface Preview {
  readonly url: string;
  /** How many show it. */
  holds: number;
}

/** What is shown in place of a reference until the log has the image. */
const previews = new Map<string, Preview>();

/** Between the shelf and the conversation nobody shows it for a moment. */
const REST_MS = 1_000;

export async function sendImage(id: string, file: File): Promise<SentImage> {
  const { reference, mediaType } = await client.putImage({ params: { id }, bytes: file, mediaType: file.type });
  if (!previews.has(reference)) previews.set(reference, { url: URL.createObjectURL(file), holds: 0 });
  freeSoon(reference);
  return { reference, mediaType, name: file.name };
}

export type ImageSource = File | StoredImage;

/** An image for a message, which may have been sent to its session already. */
export interface ComposedImage {
  readonly source: ImageSource;
  readonly sent?: SentImage | undefined;
}

/** Those that were not sent to this session yet are sent now. */
export function sendMissing(id: string, images: readonly ComposedImage[]): Promise<readonly SentImage[]> {
  return Promise.all(images.map(({ source, sent }) => sent ?? sendFrom(id, source)));
}

async function sendFrom(id: string, source: ImageSource): Promise<SentImage> {
  return sendImage(id, source instanceof File ? source : await readStored(source));
}

async function readStored({ url, name }: StoredImage): Promise<File> {
  const bytes = await loadImage(url);
  return new File([bytes], name, { type: bytes.type });
}

/** Whether a browser can load it by itself: what is its own it can, and what the server gives to anybody. */
export function isLoadable(url: string): boolean {
  return !hasToken() || !isStored(url);
}

/** Read with a token it is not kept by the browser: whoever signs in next may be somebody else. */
export async function loadImage(url: string, signal?: AbortSignal): Promise<Blob> {
  const options: RequestInit = { cache: isLoadable(url) ? "default" : "no-store", signal: signal ?? null };
  const response = await (isStored(url) ? fetchSigned(url, options) : fetch(url, options));
  if (!response.ok) throw new Error("An image of the message could not be read.");
  return response.blob();
}

function isStored(url: string): boolean {
  return url.startsWith("/api/");
}

export function findPreview(reference: string): string | undefined {
  return previews.get(reference)?.url;
}

export function holdPreview(reference: string): void {
  const preview = previews.get(reference);
  if (preview !== undefined) preview.holds += 1;
}

export function letGoPreview(reference: string): void {
  const preview = previews.get(reference);
  if (preview === undefined) return;
  preview.holds -= 1;
  freeSoon(reference);
}

function freeSoon(reference: string): void {
  setTimeout(() => {
    const preview = previews.get(reference);
    if (preview === undefined || preview.holds > 0) return;
    URL.revokeObjectURL(preview.url);
    previews.delete(reference);
  }, REST_MS);
}

/** Why an image cannot be sent; undefined where it can. */
export function refuseImage({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.includes(type)) return `${name || "That"} is no PNG, JPEG, GIF or WebP image.`;
  return size > MOST_BYTES ? `${name} is larger than 5 MB.` : undefined;
}
