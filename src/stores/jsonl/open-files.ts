/** The files of a folder that are in use, and the warnings about them. Only some have an open handle at a time. */
import type { BlobBox } from "../blobs/blob.ts";
import type { DetachOptions } from "../blobs/detach-blobs.ts";
import { Serial } from "../shared/serial.ts";
import type { FileName, FolderLayout } from "./folder-layout.ts";
import type { LinePlace } from "./line.ts";
import { type FileStamp, type FsyncPolicy, LineFile } from "./line-file.ts";
import type { MissingBlob } from "./read-lines.ts";

/** How far a file is indexed. */
export interface FileState {
  readonly key: number;
  readonly stamp: FileStamp;
  /** Where the last whole batch ends. */
  readonly end: number;
  readonly needsNewline: boolean;
  /** The last line, which must still be there. */
  readonly last: LastLine | undefined;
  /** Damaged lines. */
  readonly holes: readonly LinePlace[];
}

export interface LastLine extends LinePlace {
  readonly sum: string;
}

export interface OpenFile {
  readonly name: FileName;
  readonly file: LineFile;
  readonly blobs: BlobBox;
  /** Changes of the file and of its index run one after another. */
  readonly serial: Serial;
  /** How far the writer has indexed the file; undefined before the first check. */
  state?: FileState | undefined;
  /** Whether a failed write could not be removed: bytes after the end do not count. */
  hasLeftover?: boolean | undefined;
  /** Whether this process is removing the file, whose rows are hidden a moment later. */
  isBeingRemoved?: boolean | undefined;
}

const MAX_OPEN_FILES = 64;

export class OpenFiles {
  readonly layout: FolderLayout;
  readonly host: JsonlHost;
  /** Files whose index in the shared sidecar is wrong, until the writer has rebuilt it. */
  readonly suspects = new Set<FileName>();
  /** Least recently used first. */
  readonly #files = new Map<FileName, OpenFile>();
  readonly #reportedHoles = new Set<FileName>();

  constructor(layout: FolderLayout, host: JsonlHost) {
    this.layout = layout;
    this.host = host;
  }

  /** Returns a file. It stays the same object while work on it is running. */
  open(name: FileName): OpenFile {
    const open = this.#files.get(name) ?? this.#create(name);
    this.#files.delete(name);
    this.#files.set(name, open);
    if (this.#files.size > MAX_OPEN_FILES) this.#closeSome(open);
    return open;
  }

  forgetStates(): void {
    for (const open of this.#files.values()) open.state = undefined;
  }

  async close(): Promise<void> {
    for (const { file, serial } of this.#files.values()) await serial.run(() => file.close());
    this.#files.clear();
  }

  warnMissingBlob({ name, entry, path }: MissingBlob): void {
    const text = `${name}, which belongs to entry ${entry.seq} (${JSON.stringify(entry.id)}) of ${path}, is missing or damaged.`;
    this.host.warn({ text, path, counted: "missingBlobs" });
  }

  warnDamagedLine(name: FileName, { offset, reason }: { readonly offset: number; readonly reason: string }): void {
    const path = this.layout.pathOf(name);
    const text = `A line of ${path} at byte ${offset} is skipped: ${reason}.`;
    this.host.warn({ text, path, counted: "damagedLines" });
  }

  /** Warns about the damaged lines that an earlier store found. */
  reportHoles(name: FileName, state: FileState | undefined): void {
    if (state === undefined || this.#reportedHoles.has(name)) return;
    this.#reportedHoles.add(name);
    for (const { offset } of state.holes) {
      this.warnDamagedLine(name, { offset, reason: "it was damaged when it was indexed" });
    }
  }

  #create(name: FileName): OpenFile {
    const path = this.layout.pathOf(name);
    const onSyncFailure = (error: unknown) => {
      const text = `${path} may not be durable yet; a power loss may remove its last lines: ${String(error)}`;
      this.host.warn({ text, path });
    };
    const file = new LineFile({ path, fsync: this.host.fsync, onSyncFailure });
    return { name, file, blobs: this.layout.openBlobs(name), serial: new Serial() };
  }

  #closeSome(used: OpenFile): void {
    for (const open of [...this.#files.values()]) {
      if (this.#files.size <= MAX_OPEN_FILES) return;
      if (open === used || !open.serial.isIdle || open.hasLeftover === true) continue;
      this.#files.delete(open.name);
      void open.serial.run(() => open.file.close()).catch(() => undefined);
    }
  }
}

/** Problems that the store worked around, counted since it was opened. */
export interface JsonlStatistics {
  /** Lines that could not be read and were skipped. */
  readonly damagedLines: number;
  /** Ends of files that a crash had cut off, and that were removed. */
  readonly unfinishedBatches: number;
  /** Indexes that did not match their files and were rebuilt. */
  readonly rebuiltIndexes: number;
  /** Heads whose line was lost and that were computed again from the entries. */
  readonly rebuiltHeads: number;
  /** Images, files and long texts that are missing or damaged. */
  readonly missingBlobs: number;
}

/** A damaged or repaired place in a file. */
export interface JsonlWarning {
  readonly text: string;
  readonly path: string;
  readonly counted?: keyof JsonlStatistics | undefined;
}

export interface JsonlHost {
  readonly fsync: FsyncPolicy;
  /** Sizes from which content is kept outside of the lines. */
  readonly media: Omit<DetachOptions, "at">;
  /** Whether this store holds the lock of the folder. */
  readonly isWriter: boolean;
  assertOpen(): void;
  /** Takes the lock of the folder, or throws an error that names its holder. */
  becomeWriter(): Promise<void>;
  /** Keeps space on the disk for erasing a text from a file of this size. */
  keepReserve(bytes: number): void;
  /** Runs a deletion. If the disk is full, releases the reserve and runs it again, while other writes wait. */
  withRoom<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Space on the disk that any program can use. */
  findFreeBytes(): number;
  /** Waits for deletions that use the reserve, so that no other write takes its space. */
  waitForDeletions(): Promise<void>;
  /** Clock of leases in epoch milliseconds. It does not go back while the store is open. */
  now(): number;
  /** Counts and emits a warning; the same text is emitted once. */
  warn(warning: JsonlWarning): void;
}
