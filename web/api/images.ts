/**
 * Images on their way to a message: sent first, then named by what the server calls them. Until the log has one, the
 * browser shows its own copy, which is let go of when nobody shows it any more.
 */
import { client } from "./client.ts";
import { findImage, forgetImage, keepImage } from "./image-cache.ts";
import { fetchSigned, hasToken } from "./token.ts";

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
  readonly file: File;
}

/** What is shown in place of a reference until the log has the image. */
const previews = new Map<string, Preview>();

/** How many show it, or are to. */
const holds = new Map<string, number>();

/** Between the shelf and the conversation nobody shows it for a moment. */
const REST_MS = 1_000;

export async function sendImage(id: string, file: File): Promise<SentImage> {
  const { reference, mediaType } = await client.putImage({ params: { id }, bytes: file, mediaType: file.type });
  showPreview(reference, file);
  // Whoever signs in next at this browser may be somebody else.
  if (!hasToken()) void keepImage(reference, file);
  return { reference, mediaType, name: file.name };
}

/** An image that was sent before, for a message that did not arrive; undefined where no copy of it is left. */
export async function findSent({ reference, name, mediaType }: SentImage): Promise<File | undefined> {
  const bytes = previews.get(reference)?.file ?? (await findImage(reference));
  if (bytes === undefined) return undefined;
  showPreview(reference, bytes);
  return new File([bytes], name, { type: mediaType });
}

function showPreview(reference: string, file: File): void {
  if (!previews.has(reference)) previews.set(reference, { url: URL.createObjectURL(file), file });
  freeSoon(reference);
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
  holds.set(reference, (holds.get(reference) ?? 0) + 1);
}

export function letGoPreview(reference: string): void {
  const left = (holds.get(reference) ?? 0) - 1;
  if (left > 0) holds.set(reference, left);
  else holds.delete(reference);
  freeSoon(reference);
}

function freeSoon(reference: string): void {
  setTimeout(() => {
    const preview = previews.get(reference);
    if (preview === undefined || holds.has(reference)) return;
    URL.revokeObjectURL(preview.url);
    previews.delete(reference);
    if (!hasToken()) void forgetImage(reference);
  }, REST_MS);
}
