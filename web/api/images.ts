/** Images on their way to a message: sent first, then named by what the server calls them. */
import { client } from "./client.ts";

export const MOST_IMAGES = 5;
export const MOST_BYTES = 5 * 2 ** 20;
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface SentImage {
  readonly reference: string;
  readonly mediaType: string;
  readonly name: string;
}

/** What is shown in place of a reference until the log has the image. */
const previews = new Map<string, string>();

export async function sendImage(id: string, file: File): Promise<SentImage> {
  const { reference, mediaType } = await client.putImage({ params: { id }, bytes: file, mediaType: file.type });
  previews.set(reference, URL.createObjectURL(file));
  return { reference, mediaType, name: file.name };
}

export function findPreview(reference: string): string | undefined {
  return previews.get(reference);
}

/** Why an image cannot be sent; undefined where it can. */
export function refuseImage({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.includes(type)) return `${name || "That"} is no PNG, JPEG, GIF or WebP image.`;
  return size > MOST_BYTES ? `${name} is larger than 5 MB.` : undefined;
}
