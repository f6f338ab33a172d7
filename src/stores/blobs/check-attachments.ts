/** How much a message may carry. What is larger is refused before anything of it is stored. */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import type { Message, Part } from "../../core/message/message.ts";

const MOST_IMAGES = 5;
const MOST_BYTES_EACH = 5 * 2 ** 20;

/** Every store asks this of a batch before it does anything else with it. */
export function checkBatch(entries: readonly EntryDraft[]): void {
  for (const entry of entries) if (entry.type === "message") checkAttachments(entry.message);
}

export function checkAttachments(message: Message): void {
  let images = 0;
  for (const [path, part] of partsOf(message)) {
    if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") continue;
    const bytes = Buffer.byteLength(part.source.base64, "base64");
    if (bytes > MOST_BYTES_EACH) throw tooMuch(`${path}: ${bytes} bytes, at most ${MOST_BYTES_EACH} are taken`);
    if (part.type === "image") images += 1;
  }
  if (images > MOST_IMAGES) throw tooMuch(`parts: ${images} images, at most ${MOST_IMAGES} are taken`);
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
