/** The file or pipe to import: whether it is an export, and its content. */
import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { PalimpsestError } from "../../core/errors.ts";
import { EXPORT_FORMAT } from "../../engine/transfer/export-format.ts";
import type { LineSource } from "../../engine/transfer/import-session.ts";
import { explainError } from "../terminal/terminal-text.ts";

export interface ImportSource {
  readonly isExport: boolean;
  readonly lines: LineSource;
  readText(): Promise<string>;
}

type Bytes = AsyncIterable<Uint8Array>;

/** The first line of an export names its format within these bytes. */
const HEAD_BYTES = 4_000;

export async function openSource(path: string): Promise<ImportSource> {
  if (path === "-") return openPipe(path, process.stdin);
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) throw unreadable(path, "it is a folder");
    // A pipe can be read once only.
    return found.isFile() ? await openFile(path) : await openPipe(path, createReadStream(path));
  } catch (error) {
    throw error instanceof PalimpsestError ? error : unreadable(path, explainError(error), error);
  }
}

async function openFile(path: string): Promise<ImportSource> {
  const head = await buffer(createReadStream(path, { end: HEAD_BYTES - 1 }));
  const open = () => createReadStream(path);
  return { isExport: isExport(head), lines: open, readText: () => readAll(path, open()) };
}

async function openPipe(path: string, stream: Bytes): Promise<ImportSource> {
  const pieces = stream[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES && !held.some((piece) => piece.includes(NEWLINE))) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    held.push(value);
    length += value.length;
  }
  const all: Bytes = {
    async *[Symbol.asyncIterator]() {
      yield* held;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    },
  };
  return { isExport: isExport(Buffer.concat(held)), lines: all, readText: () => readAll(path, all) };
}

const NEWLINE = 0x0a;

function isExport(head: Buffer): boolean {
  return head.toString("utf8").split("\n")[0]?.includes(`"${EXPORT_FORMAT}"`) === true;
}

async function readAll(path: string, pieces: Bytes): Promise<string> {
  try {
    return (await buffer(pieces)).toString("utf8");
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === "ERR_STRING_TOO_LONG";
    throw unreadable(path, isTooLong ? "it is too long to read at once; split it" : explainError(error), error);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError("message-invalid", `import: ${path} cannot be read: ${reason}.`, { cause });
}
