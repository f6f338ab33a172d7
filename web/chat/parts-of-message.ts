/** What of a message can be said once more: its words and its images. */
import type { StoredImage } from "../api/images.ts";
import type { ShownMessage } from "../api/values.ts";

export function textOf({ blocks }: ShownMessage, between = "\n"): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(between);
}

export function imagesOf({ blocks }: ShownMessage): readonly StoredImage[] {
  return blocks.flatMap((block) => (block.type === "image" ? [{ url: block.url, name: block.name }] : []));
}
