/** Which images a message takes. */
export const MOST_IMAGES = 5;
const MOST_BYTES = 5 * 2 ** 20;
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Why an image cannot be sent; undefined where it can. */
export function refuseImage({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.includes(type)) return `${name || "That"} is no PNG, JPEG, GIF or WebP image.`;
  return size > MOST_BYTES ? `${name} is larger than 5 MB.` : undefined;
}
