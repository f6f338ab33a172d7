/** Writes lines again as somebody edits them, and says which blobs nothing refers to any more. */
import { encodeBatch, withoutPart } from "./line.ts";
import { collectBlobs } from "./line-facts.ts";
import type { ScannedBatch } from "./read-batches.ts";
import type { LineCodec, StoredLine } from "./stored-line.ts";

export interface Rewrite {
  readonly batches: AsyncIterable<ScannedBatch>;
  readonly codec: LineCodec;
  /** The line itself where it stays, undefined where it goes. */
  readonly edit: (line: StoredLine) => StoredLine | undefined;
  /** Written after them, as one batch. */
  readonly more: readonly Buffer[];
  readonly moreLines: readonly StoredLine[];
}

/** Damaged lines are left out: nobody can say that they do not hold what was to go. */
export async function rewriteLines(
  { batches, codec, edit, more, moreLines }: Rewrite,
  write: (bytes: Buffer) => Promise<void>,
): Promise<readonly string[]> {
  const [gone, kept] = [new Set<string>(), new Set<string>()];
  for await (const { lines } of batches) {
    for (const { line, bytes } of lines) {
      if (typeof line === "string" || bytes === undefined) continue;
      const edited = edit(line);
      collectBlobs(edited === line ? kept : gone, line);
      if (edited === undefined) continue;
      const [encoded] = edited === line ? [withoutPart(bytes)] : encodeBatch([codec.encode(edited)]);
      if (encoded !== undefined) await write(encoded);
    }
  }
  for (const line of moreLines) collectBlobs(kept, line);
  for (const bytes of more) await write(bytes);
  return [...gone].filter((name) => !kept.has(name));
}
