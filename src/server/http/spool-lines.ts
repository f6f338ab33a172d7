/** Keeps the lines of an import in a temporary file without a name, because an import reads them twice. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import type { BodyShare } from "./body-budget.ts";
import { readByteLines } from "./json-lines.ts";

const PRIVATE_FILE = 0o600;
/** Lines are written in pieces of about this many characters. */
const PIECE_CHARACTERS = 65_536;

export interface SpooledLines extends AsyncDisposable {
  /** Reads all lines, as often as it is called. */
  read(): AsyncIterable<Uint8Array>;
}

export async function spoolLines(bytes: AsyncIterable<Uint8Array>, share: BodyShare): Promise<SpooledLines> {
  const path = join(tmpdir(), `palimpsest-import-${randomUUID()}`);
  const file = await open(path, "wx+", PRIVATE_FILE);
  try {
    await unlink(path);
    await writeToFile(file, readByteLines(bytes, share));
  } catch (error) {
    await file.close();
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    const text = "The disk of the temporary folder is full. Free some space and import again; nothing was stored.";
    throw new PalimpsestError("store-unavailable", text, { details: { reason: "disk-full" }, cause: error });
  }
  return {
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function writeToFile(file: FileHandle, lines: AsyncIterable<string>): Promise<void> {
  let [piece, length]: [string[], number] = [[], 0];
  for await (const line of lines) {
    piece.push(line, "\n");
    length += line.length + 1;
    if (length < PIECE_CHARACTERS) continue;
    await file.appendFile(piece.join(""));
    [piece, length] = [[], 0];
  }
  await file.appendFile(piece.join(""));
}
