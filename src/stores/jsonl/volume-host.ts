/** What a file of sessions needs of the store that it belongs to. */
import type { FsyncPolicy } from "./line-file.ts";

/** What was found wrong, and was gone around. Counted since the store was opened. */
export interface JsonlStatistics {
  /** Lines that could not be read and were skipped. */
  readonly damagedLines: number;
  /** Ends of files that a crash had cut off, and that were cut away. */
  readonly unfinishedBatches: number;
  /** Indexes that were missing or wrong and were made again. */
  readonly rebuiltIndexes: number;
  /** Heads whose line was lost and that were folded again from the entries. */
  readonly rebuiltHeads: number;
  /** Images, files and long texts that are not where they should be. */
  readonly missingBlobs: number;
}

export interface JsonlWarning {
  readonly text: string;
  readonly path: string;
  readonly counted?: keyof JsonlStatistics | undefined;
}

export interface VolumeHost {
  readonly fsync: FsyncPolicy;
  /** Whether this store holds the folder's lock, so that nobody else writes. */
  readonly isWriter: boolean;
  /** Counts and tells. The same text is told once. */
  warn(warning: JsonlWarning): void;
}
