/** Where the files of one tenant stand. Which file holds a session is the format's business, and so is removing it. */
import type { SessionId } from "../../core/log/entry.ts";
import type { FileStamp } from "./line-file.ts";
import type { Volume } from "./volume.ts";

/** A volume by a name that stays the same. */
export type VolumeName = string;

export interface Shelf {
  /** The volume that holds a session, or would. */
  nameFor(id: SessionId): VolumeName;
  /** All that there are. */
  listNames(): Promise<readonly VolumeName[]>;
  findStamp(name: VolumeName): Promise<FileStamp | undefined>;
  /** Lends a volume; it stays open until the work is done, and perhaps a while longer. */
  use<Result>(name: VolumeName, work: (volume: Volume) => Promise<Result>): Promise<Result>;
  /** Makes the folders that a first file needs. */
  prepare(): Promise<void>;
  /** Before the first turn is taken, while no volume is held. */
  loadTurns(): Promise<void>;
  /** The first of so many numbers among all of the tenant's entries; undefined where the file itself numbers them. */
  takeTurns(count: number): Promise<number | undefined>;
  /** Removes everything of one session. Under the volume's `serial`. */
  removeSession(volume: Volume, id: SessionId): Promise<void>;
  /** How many blobs there are, and their bytes. */
  measureBlobs(): Promise<{ readonly count: number; readonly bytes: number }>;
  close(): Promise<void>;
}
