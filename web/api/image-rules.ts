/** The images that a message can carry. */
export const MAX_IMAGES = 5;
const MAX_BYTES = 5 * 2 ** 20;
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Returns why an image cannot be sent, or undefined. */
export function findImageFault({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.includes(type)) return `${name || "The file"} is not a PNG, JPEG, GIF or WebP image.`;
  return size > MAX_BYTES ? `${name} is larger than 5 MB.` : undefined;
}
