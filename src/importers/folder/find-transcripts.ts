/** Lists the files of a folder that may be session files. Sessions that opencode stores in many files are one each. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { findOpencodeSessions, isOpencodeStorage } from "./opencode-storage.ts";
import type { TranscriptFile } from "./transcript-file.ts";

const EXTENSIONS = /\.(?:jsonl?|ndjson|md)$/i;
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Lists files by path, so that every run has the same order. */
export async function findTranscripts(folder: string): Promise<readonly TranscriptFile[]> {
  const found: TranscriptFile[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = (await readdir(next, { withFileTypes: true })).toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );
    if (isOpencodeStorage(entries.map(({ name }) => name))) {
      found.push(...(await findOpencodeSessions(next, relative(folder, next))));
      continue;
    }
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) waiting.push(path);
      else if (entry.isFile() && EXTENSIONS.test(entry.name)) found.push(await describeFile(path, folder));
    }
  }
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function describeFile(path: string, folder: string): Promise<TranscriptFile> {
  const { size: bytes } = await stat(path);
  return { path: relative(folder, path), name: basename(path), bytes, open: () => createReadStream(path) };
}
