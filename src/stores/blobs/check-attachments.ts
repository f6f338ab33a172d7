/** Limits on what a message may carry. Larger messages are refused before anything of them is stored. */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import type { Message, Part } from "../../core/message/message.ts";

const MAX_IMAGES = 5;
const MAX_BYTES_EACH = 5 * 2 ** 20;

/** Throws `message-invalid` if a message of the batch is too large. Every store calls this first. */
export function checkBatch(entries: readonly EntryDraft[]): void {
  for (const entry of entries) if (entry.type === "message") checkAttachments(entry.message);
}

export function checkAttachments(message: Message): void {
  let images = 0;
  for (const [path, part] of listParts(message)) {
    if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") continue;
    const bytes = Buffer.byteLength(part.source.base64, "base64");
    if (bytes > MAX_BYTES_EACH)
      throw createLimitError(`${path}: ${bytes} bytes, at most ${MAX_BYTES_EACH} are allowed`);
    if (part.type === "image") images += 1;
  }
  if (images > MAX_IMAGES) throw createLimitError(`parts: ${images} images, at most ${MAX_IMAGES} are allowed`);
}

function* listParts({ parts }: Message): Generator<readonly [path: string, part: Part]> {
  for (const [index, part] of parts.entries()) {
    yield [`parts[${index}]`, part];
    if (part.type !== "tool-result" || part.output.type !== "parts") continue;
    for (const [inner, item] of part.output.parts.entries()) yield [`parts[${index}].output.parts[${inner}]`, item];
  }
}

function createLimitError(text: string): PalimpsestError {
  return new PalimpsestError("message-invalid", `${text}. Nothing was stored.`);
}
