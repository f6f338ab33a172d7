/** Removes the blobs of erased messages. A file names them until they are gone, in case the process is killed. */
import { readFile, writeFile } from "node:fs/promises";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import { type FolderLayout, removeFile } from "./folder-layout.ts";
import { scanLines } from "./line-file.ts";
import type { OpenFile } from "./open-files.ts";
import { readBatches } from "./read-batches.ts";
import { listBlobs } from "./stored-line.ts";

const erasedListPath = ({ file }: OpenFile) => `${file.path}.erased`;

/** Records blobs before the lines that refer to them are removed. Best effort: it only matters after a kill. */
export async function recordErasure(open: OpenFile, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return;
  await writeFile(erasedListPath(open), JSON.stringify(blobs), { mode: PRIVATE_FILE }).catch(() => undefined);
}

export async function removeErasedBlobs(open: OpenFile, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return;
  for (const blob of blobs) await open.blobs.remove(blob);
  await removeFile(erasedListPath(open));
}

/** Continues an erasure that was killed, after the file was rewritten or before. */
export async function finishErasure(open: OpenFile, { codec }: FolderLayout): Promise<void> {
  const text = await readFile(erasedListPath(open), "utf8").catch(() => undefined);
  if (text === undefined) return;
  const used = new Set<string>();
  const { size = 0 } = (await open.file.findStamp()) ?? {};
  await open.file.read(async (reader) => {
    for await (const { lines } of readBatches(scanLines(reader, { from: 0, to: size }), codec)) {
      for (const { line } of lines) if (typeof line !== "string") for (const blob of listBlobs(line)) used.add(blob);
    }
  });
  await removeErasedBlobs(
    open,
    readNames(text).filter((blob) => !used.has(blob)),
  );
  await removeFile(erasedListPath(open));
}

/** A list that was cut off by a kill names nothing. */
function readNames(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
