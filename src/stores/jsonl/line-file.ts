/**
 * A file of lines that grows at its end. A batch is one write: if it fails, the file is cut back to where it ended.
 * `fsync` decides when an acknowledged batch survives a power loss: at once, after about a second, or when the system
 * writes it. It survives a kill of the process in every case.
 */
import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../shared/private-mode.ts";
import { type LinePlace, MAX_LINE_BYTES } from "./line.ts";
import { errorCode, mediumError, withMediumErrors } from "./medium-error.ts";

export type FsyncPolicy = "always" | "interval" | "never";

const SYNC_INTERVAL_MS = 1_000;
const CHUNK_BYTES = 2 ** 18;
const NEWLINE = 0x0a;

export interface RawLine extends LinePlace {
  /** Without its newline; undefined if the line is too long to be read. */
  readonly bytes: Buffer | undefined;
  /** False for bytes after the last newline. */
  readonly isTerminated: boolean;
}

export interface FileStamp {
  readonly size: number;
  readonly inode: string;
  readonly modifiedMs: number;
}

export interface LineReader {
  /** Reads bytes. Returns fewer if the file ends before that. */
  read(offset: number, length: number): Promise<Buffer>;
}

interface LineFileOptions {
  readonly path: string;
  readonly fsync: FsyncPolicy;
  readonly onSyncFailure: (error: unknown) => void;
}

export class LineFile {
  readonly path: string;
  readonly #fsync: FsyncPolicy;
  readonly #onSyncFailure: (error: unknown) => void;
  #writer: FileHandle | undefined;
  #writerInode = "";
  #syncTimer: NodeJS.Timeout | undefined;

  constructor({ path, fsync, onSyncFailure }: LineFileOptions) {
    this.path = path;
    this.#fsync = fsync;
    this.#onSyncFailure = onSyncFailure;
  }

  async findStamp(): Promise<FileStamp | undefined> {
    return findStamp(this.path);
  }

  async read<Result>(work: (reader: LineReader) => Promise<Result>): Promise<Result> {
    const operation = { verb: "read", path: this.path };
    const handle = await withMediumErrors(operation, () => open(this.path, "r"));
    try {
      return await work({
        read: (offset, length) =>
          withMediumErrors(operation, async () => {
            const buffer = Buffer.allocUnsafe(length);
            const { bytesRead } = await handle.read(buffer, 0, length, offset);
            return buffer.subarray(0, bytesRead);
          }),
      });
    } finally {
      await handle.close();
    }
  }

  /** Writes at `end`, over the rest of a failed write. `stamp` describes the file that has the name now. */
  async append(bytes: Buffer, { end, stamp }: { readonly end: number; readonly stamp: FileStamp }): Promise<FileStamp> {
    const operation = { verb: "write to", path: this.path };
    const writer = await withMediumErrors(operation, () => this.#openWriter(stamp));
    try {
      if (stamp.size !== end) await writer.truncate(end);
      await writeFully(writer, bytes, end);
      await this.#sync(writer);
      return toStamp(await writer.stat());
    } catch (error) {
      // The next write cuts the file again, so a second failure here loses nothing.
      await writer.truncate(end).catch(() => undefined);
      throw mediumError(operation, error);
    }
  }

  /** Cuts the file back after a batch that must not be kept. */
  async cut(end: number): Promise<void> {
    await this.#writer?.truncate(end);
  }

  /** Replaces the file with a new one in one step. */
  async replace(produce: (write: (bytes: Buffer) => Promise<void>) => Promise<void>): Promise<void> {
    const temporary = `${this.path}.new`;
    await withMediumErrors({ verb: "rewrite", path: this.path }, async () => {
      const handle = await open(temporary, "w", PRIVATE_FILE);
      try {
        const before = await stat(this.path).catch(() => undefined);
        if (before !== undefined) await handle.chmod(before.mode);
        let offset = 0;
        await produce(async (bytes) => {
          await writeFully(handle, bytes, offset);
          offset += bytes.length;
        });
        await handle.sync();
      } catch (error) {
        await handle.close();
        await unlink(temporary);
        throw error;
      }
      await handle.close();
      await rename(temporary, this.path);
    });
    await this.close();
    // The new file already has the name. A power loss may undo that, so a failure here is only a warning.
    await syncFolder(dirname(this.path)).catch(this.#onSyncFailure);
  }

  async create(): Promise<void> {
    await withMediumErrors({ verb: "create", path: this.path }, async () => {
      await (await open(this.path, "a", PRIVATE_FILE)).close();
      if (this.#fsync !== "never") await syncFolder(dirname(this.path));
    });
  }

  /** Closes the file. The next write opens it again. */
  async close(): Promise<void> {
    const isUnsynced = this.#syncTimer !== undefined;
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    if (isUnsynced) await this.#writer?.datasync().catch(this.#onSyncFailure);
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  async #openWriter(stamp: FileStamp): Promise<FileHandle> {
    if (this.#writer !== undefined && this.#writerInode !== stamp.inode) await this.close();
    this.#writer ??= await open(this.path, "r+");
    this.#writerInode = stamp.inode;
    return this.#writer;
  }

  async #sync(writer: FileHandle): Promise<void> {
    if (this.#fsync === "always") await writer.datasync();
    if (this.#fsync !== "interval" || this.#syncTimer !== undefined) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#writer?.datasync().catch(this.#onSyncFailure);
    }, SYNC_INTERVAL_MS);
    this.#syncTimer.unref();
  }
}

export async function findStamp(path: string): Promise<FileStamp | undefined> {
  try {
    return toStamp(await stat(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw mediumError({ verb: "read", path }, error);
  }
}

function toStamp({ size, ino, mtimeMs }: Stats): FileStamp {
  return { size, inode: String(ino), modifiedMs: mtimeMs };
}

/** Creates a folder and its missing parents, each synced to the disk. */
export async function makeFolder(path: string, fsync: FsyncPolicy): Promise<void> {
  await withMediumErrors({ verb: "create", path }, async () => {
    const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
    if (first === undefined || fsync === "never") return;
    const top = dirname(resolve(first));
    for (let above = dirname(resolve(path)); above.length >= top.length; above = dirname(above)) {
      await syncFolder(above);
      if (above === top) return;
    }
  });
}

/** Makes the names in a folder durable. Windows cannot open folders and does this itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Yields every line between two offsets, and the bytes after the last newline. */
export async function* scanLines(
  reader: LineReader,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<RawLine> {
  let offset = from;
  let pieces: Buffer[] = [];
  let length = 0;
  for (let at = from; at < to; ) {
    const chunk = await reader.read(at, Math.min(CHUNK_BYTES, to - at));
    if (chunk.length === 0) break;
    at += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      pieces.push(chunk.subarray(start, end));
      length += end - start;
      yield { offset, length, bytes: joinPieces(pieces, length), isTerminated: true };
      offset += length + 1;
      start = end + 1;
      pieces = [];
      length = 0;
    }
    length += chunk.length - start;
    if (length <= MAX_LINE_BYTES) pieces.push(chunk.subarray(start));
    else pieces = [];
  }
  if (length > 0) yield { offset, length, bytes: joinPieces(pieces, length), isTerminated: false };
}

async function writeFully(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
    if (bytesWritten === 0) throw createFullError();
    written += bytesWritten;
  }
}

function createFullError(): PalimpsestError {
  const text = "The disk is full. Free some space, then try again; nothing was written.";
  return new PalimpsestError("store-unavailable", text, { details: { reason: "disk-full" } });
}

function joinPieces(pieces: readonly Buffer[], length: number): Buffer | undefined {
  if (length > MAX_LINE_BYTES) return undefined;
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}
