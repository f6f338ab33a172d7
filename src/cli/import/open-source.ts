/** Opens a file, a pipe or a folder for an import, and recognizes exports of Palimpsest. */
import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { PalimpsestError } from "../../core/errors.ts";
import { EXPORT_FORMAT } from "../../engine/transfer/export-format.ts";
import type { LineSource } from "../../engine/transfer/import-session.ts";
import { explainError } from "../terminal/terminal-text.ts";

type Bytes = AsyncIterable<Uint8Array>;

export type ImportSource =
  | { readonly type: "folder"; readonly path: string }
  | { readonly type: "export"; readonly lines: LineSource }
  | { readonly type: "transcript"; readonly name: string | undefined; readonly bytes: Bytes };

/** The first line of an export names its format within these bytes. */
const HEAD_BYTES = 4_000;
const NEWLINE = 0x0a;

export async function openSource(path: string): Promise<ImportSource> {
  if (path === "-") return openPipe(process.stdin, undefined);
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) return { type: "folder", path };
    // A pipe can be read once only.
    return found.isFile() ? await openFile(path) : await openPipe(createReadStream(path), basename(path));
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    const text = `import: ${path} cannot be read: ${explainError(error)}.`;
    throw new PalimpsestError("message-invalid", text, { cause: error });
  }
}

async function openFile(path: string): Promise<ImportSource> {
  const head = await buffer(createReadStream(path, { end: HEAD_BYTES - 1 }));
  const open = () => createReadStream(path);
  return isExport(head) ? { type: "export", lines: open } : { type: "transcript", name: basename(path), bytes: open() };
}

async function openPipe(stream: Bytes, name: string | undefined): Promise<ImportSource> {
  const pieces = stream[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES && !held.some((piece) => piece.includes(NEWLINE))) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    held.push(value);
    length += value.length;
  }
  const bytes: Bytes = {
    async *[Symbol.asyncIterator]() {
      yield* held;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    },
  };
  return isExport(Buffer.concat(held)) ? { type: "export", lines: bytes } : { type: "transcript", name, bytes };
}

function isExport(head: Buffer): boolean {
  return head.toString("utf8").split("\n")[0]?.includes(`"${EXPORT_FORMAT}"`) === true;
}
