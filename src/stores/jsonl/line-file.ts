/**
 * A file of lines that only grows at its end. A batch is one write: it is there as a whole, or the file is cut back to
 * where it ended before. It knows nothing of sessions.
 *
 * What `fsync` buys: with `always` an acknowledged batch survives a loss of power; with `interval` it survives the end
 * of the process at once and a loss of power after about a second; with `never` when the system gets to it. A kill of
 * the process loses nothing acknowledged under any of them.
 */
import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import { LONGEST_LINE_BYTES } from "./line.ts";
import { errorCode, mediumError, onMedium } from "./medium-error.ts";

export type FsyncPolicy = "always" | "interval" | "never";

const SYNC_INTERVAL_MS = 1_000;
const CHUNK_BYTES = 2 ** 18;
const NEWLINE = 0x0a;

export interface RawLine {
  readonly offset: number;
  /** Without its newline; undefined where it is too long to be read. */
  readonly bytes: Buffer | undefined;
  readonly length: number;
  /** False for what stands after the last newline. */
  readonly isTerminated: boolean;
}

export interface FileStamp {
  readonly size: number;
  readonly inode: number;
  readonly modifiedMs: number;
}

export interface LineFileOptions {
  readonly path: string;
  readonly fsync: FsyncPolicy;
  readonly onSyncFailure: (error: unknown) => void;
}

export class LineFile {
  readonly path: string;
  readonly #fsync: FsyncPolicy;
  readonly #onSyncFailure: (error: unknown) => void;
  #reader: FileHandle | undefined;
  #writer: FileHandle | undefined;
  #writerInode = -1;
  #syncTimer: NodeJS.Timeout | undefined;

  constructor({ path, fsync, onSyncFailure }: LineFileOptions) {
    this.path = path;
    this.#fsync = fsync;
    this.#onSyncFailure = onSyncFailure;
  }

  async findStamp(): Promise<FileStamp | undefined> {
    return findStamp(this.path);
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return onMedium({ verb: "read", path: this.path }, async () => {
      this.#reader ??= await open(this.path, "r");
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await this.#reader.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
  }

  /** Every line from an offset on, and what stands after the last newline. */
  async *scan(from: number, to: number): AsyncGenerator<RawLine> {
    let offset = from;
    let pieces: Buffer[] = [];
    let length = 0;
    for (let at = from; at < to; ) {
      const chunk = await this.read(at, Math.min(CHUNK_BYTES, to - at));
      if (chunk.length === 0) break;
      at += chunk.length;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        pieces.push(chunk.subarray(start, end));
        length += end - start;
        yield { offset, length, bytes: joined(pieces, length), isTerminated: true };
        offset += length + 1;
        start = end + 1;
        pieces = [];
        length = 0;
      }
      length += chunk.length - start;
      if (length <= LONGEST_LINE_BYTES) pieces.push(chunk.subarray(start));
      else pieces = [];
    }
    if (length > 0) yield { offset, length, bytes: joined(pieces, length), isTerminated: false };
  }

  /**
   * Writes at the end of what counts, over whatever a failure left there. `stamp` says which file stands under the name
   * right now: a write to one that was removed would be lost.
   */
  async append(bytes: Buffer, { end, stamp }: { readonly end: number; readonly stamp: FileStamp }): Promise<void> {
    const doing = { verb: "write to", path: this.path };
    const writer = await onMedium(doing, () => this.#openWriter(stamp));
    try {
      if (stamp.size !== end) await writer.truncate(end);
      await writeFully(writer, bytes, end);
      await this.#sync(writer);
    } catch (error) {
      // Whoever comes next cuts again before writing, so a second failure here loses nothing.
      await writer.truncate(end).catch(() => undefined);
      throw mediumError(doing, error);
    }
  }

  /** Puts a new file in the place of this one, at once and for good. */
  async replace(produce: (write: (bytes: Buffer) => Promise<void>) => Promise<void>): Promise<void> {
    const temporary = `${this.path}.new`;
    await onMedium({ verb: "rewrite", path: this.path }, async () => {
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
    await this.#closeHandles();
    // The new file stands in its place already: that it might not after a loss of power is told, and undoes nothing.
    await syncFolder(dirname(this.path)).catch(this.#onSyncFailure);
  }

  /** Makes an empty file that survives a loss of power as its folder does. */
  async create(): Promise<void> {
    await onMedium({ verb: "create", path: this.path }, async () => {
      await (await open(this.path, "a", PRIVATE_FILE)).close();
      if (this.#fsync !== "never") await syncFolder(dirname(this.path));
    });
  }

  /** Forgets what is open, for when another file stands under the name. */
  async close(): Promise<void> {
    const isUnsynced = this.#syncTimer !== undefined;
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    if (isUnsynced) await this.#writer?.datasync().catch(this.#onSyncFailure);
    await this.#closeHandles();
  }

  async #openWriter(stamp: FileStamp): Promise<FileHandle> {
    if (this.#writer !== undefined && this.#writerInode !== stamp.inode) await this.#closeHandles();
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

  async #closeHandles(): Promise<void> {
    const open = [this.#reader, this.#writer];
    this.#reader = undefined;
    this.#writer = undefined;
    await Promise.all(open.map((handle) => handle?.close()));
  }
}

export async function findStamp(path: string): Promise<FileStamp | undefined> {
  try {
    const { size, ino, mtimeMs } = await stat(path);
    return { size, inode: ino, modifiedMs: mtimeMs };
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw mediumError({ verb: "read", path }, error);
  }
}

/** A name in a folder is durable once the folder is. Systems that cannot open folders do this by themselves. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeFully(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
    if (bytesWritten === 0) throw new PalimpsestError("store-unavailable", "The disk takes nothing more.");
    written += bytesWritten;
  }
}

function joined(pieces: readonly Buffer[], length: number): Buffer | undefined {
  if (length > LONGEST_LINE_BYTES) return undefined;
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}
