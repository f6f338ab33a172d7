/** Messages between `bench store` and the processes in which conversations grow. */
import type { Medium, StoreContestant } from "./contestant.ts";
import type { Times } from "./part.ts";

export interface GrowthTask {
  readonly moduleUrl: string;
  /** The path of a file, or the address of a database. */
  readonly place: string;
  readonly budgetTokens: number;
  readonly conversationFile: string;
  /** Numbers of messages, ascending and even. */
  readonly sizes: readonly number[];
}

export type StoreContestantInfo = Pick<StoreContestant, "name" | "version" | "note" | "medium" | "feeding">;

export interface SizeFigures {
  readonly turn: Times;
  readonly open: Times;
  readonly openedMessages: number;
  /** Bytes that a turn added at this size; undefined if nothing is stored on disk. */
  readonly bytesPerTurn?: number | undefined;
}

export type GrowthReport =
  | { readonly type: "introduction"; readonly introduction: StoreContestantInfo }
  | { readonly type: "size-start"; readonly messages: number }
  | { readonly type: "size-end"; readonly messages: number; readonly figures: SizeFigures };

export interface GrownSize {
  readonly messages: number;
  readonly figures?: SizeFigures | undefined;
  /** The reason why figures are missing. */
  readonly missingReason?: string | undefined;
}

export interface Growth extends StoreContestantInfo {
  readonly budgetTokens: number;
  readonly sizes: readonly GrownSize[];
}

/** How many turns before a size are timed, for contestants that get every turn. */
export const LAST_TURNS = 300;
/** How many turns are measured after a history was preloaded, at most. */
export const PRELOADED_TURNS = 20;
/** Measuring stops after at least this many turns or openings, as soon as they took `MAX_MEASURED_MS` together. */
export const MIN_TURNS = 3;
export const MAX_MEASURED_MS = 10_000;
export const OPENINGS = 15;

export function isOnDisk(medium: Medium): boolean {
  return medium !== "memory";
}
