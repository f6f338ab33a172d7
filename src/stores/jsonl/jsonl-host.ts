/** What the tenants of one JSONL store share: durability, the writer lock, the clock of leases, and warnings. */
import type { DetachOptions } from "../blobs/detach-blobs.ts";
import type { FsyncPolicy } from "./line-file.ts";

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

export interface JsonlWarning {
  readonly text: string;
  readonly path: string;
  readonly counted?: keyof JsonlStatistics | undefined;
}

export interface JsonlHost {
  readonly fsync: FsyncPolicy;
  /** Which content is kept outside of the lines. */
  readonly media: Omit<DetachOptions, "at">;
  /** Whether this store holds the lock of the folder. */
  readonly isWriter: boolean;
  /** Throws if the store was closed. */
  assertOpen(): void;
  /** Takes the lock of the folder, or throws an error that names its holder. */
  becomeWriter(): Promise<void>;
  /** Clock of leases in epoch milliseconds. It does not go back while the store is open. */
  now(): number;
  /** Counts and emits a warning; the same text is emitted once. */
  warn(warning: JsonlWarning): void;
}
