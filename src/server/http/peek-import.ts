/** Reads the beginning of an import, to tell our own exports, which are checked as a whole, from other files. */
import { EXPORT_FORMAT } from "../../engine/transfer/export-format.ts";
import type { BodyShare } from "./body-budget.ts";
import { createBodyTooLargeError, MAX_IMPORT_BYTES } from "./body-limit.ts";
import { BODY_LIMITS, readBodyChunks } from "./read-body.ts";

export interface ImportBody {
  readonly isExport: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The first line of an export names its format within these bytes. */
const HEAD_BYTES = 4_000;
const NEWLINE = 0x0a;
/** A list of any length may be one line, and is read item by item. */
const MAX_COUNTED_BYTES = 32_000_000;

export async function peekImport(request: Request, share: BodyShare): Promise<ImportBody> {
  const chunks = limitBytes(readBodyChunks(request, BODY_LIMITS), share);
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES && !held.some((chunk) => chunk.includes(NEWLINE))) {
    const next = await chunks.next();
    if (next.done === true) break;
    held.push(next.value);
    length += next.value.length;
  }
  const [firstLine = ""] = Buffer.concat(held).toString("utf8").split("\n");
  const bytes = (async function* () {
    yield* held;
    yield* chunks;
  })();
  return { isExport: firstLine.includes(`"${EXPORT_FORMAT}"`), bytes };
}

/** Counts an unfinished record in the budget, up to the size of the largest one that is held. */
async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  share: BodyShare,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [bytes, held] = [0, 0];
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_IMPORT_BYTES) throw createBodyTooLargeError(MAX_IMPORT_BYTES);
    const end = chunk.lastIndexOf(NEWLINE);
    const next = Math.min(MAX_COUNTED_BYTES, end < 0 ? held + chunk.length : chunk.length - end - 1);
    if (next > held) share.add(next - held);
    else share.remove(held - next);
    held = next;
    yield chunk;
  }
  share.remove(held);
}
