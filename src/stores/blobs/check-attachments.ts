/** How much a message may carry. What is larger is refused before anything of it is stored. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Message, Part } from "../../core/message/message.ts";

export interface AttachmentLimits {
  readonly images: number;
  readonly bytesEach: number;
}

export const ATTACHMENT_LIMITS: AttachmentLimits = { images: 5, bytesEach: 5 * 2 ** 20 };

export function checkAttachments(message: Message, limits: AttachmentLimits = ATTACHMENT_LIMITS): void {
  let images = 0;
  for (const [path, part] of partsOf(message)) {
    if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") continue;
    const bytes = Buffer.byteLength(part.source.base64, "base64");
    if (bytes > limits.bytesEach) throw tooMuch(`${path}: ${bytes} bytes, at most ${limits.bytesEach} are taken`);
    if (part.type === "image") images += 1;
  }
  if (images > limits.images) throw tooMuch(`parts: ${images} images, at most ${limits.images} are taken`);
}

function* partsOf({ parts }: Message): Generator<readonly [path: string, part: Part]> {
  for (const [index, part] of parts.entries()) {
    yield [`parts[${index}]`, part];
    if (part.type !== "tool-result" || part.output.type !== "parts") continue;
    for (const [inner, item] of part.output.parts.entries()) yield [`parts[${index}].output.parts[${inner}]`, item];
  }
}

function tooMuch(text: string): PalimpsestError {
  return new PalimpsestError("message-invalid", `${text}. Nothing was stored.`);
}
