/**
 * The bounded state of a session that makes its view readable without its log. A head is the fold of the entries it
 * has seen; the one a store keeps is written with every entry that moves the epoch, and what was appended since is
 * folded in when the session is opened.
 */
import type { TierSnapshot } from "../sections/tier.ts";
import type { SummaryId, SummaryRecord } from "../summary/record/record.ts";
import type { Calibration } from "../tokens/calibration.ts";
import type { CounterId } from "../tokens/counter.ts";
import type { EpochCacheUse } from "./cache-use.ts";
import type { EntryId, KeptRequests, PinTarget, PromptId, SectionPrint, SessionId, TruncateEntry } from "./entry.ts";
import type { Prune } from "./prune.ts";
import type { Spent } from "./spent.ts";

/** How many steps can be taken back. Older ones leave the stack, so that the head stays bounded. */
export const UNDO_DEPTH = 20;

export interface LivePin {
  readonly id: EntryId;
  readonly target: PinTarget;
}

export interface LivePrune extends Prune {
  readonly entryId: EntryId;
}

export interface Truncation extends Pick<TruncateEntry, "id" | "coverage" | "coveredTokens" | "reason"> {
  /** No marker stands for it: a policy that says so leaves a gap. */
  readonly silent?: boolean | undefined;
}

/** The parts of the head that entries change and undo restores. The summary is kept by id: its text is in the log. */
export interface UndoableState {
  readonly summaryId: SummaryId | undefined;
  readonly truncation: Truncation | undefined;
  readonly clearedThroughSeq: number;
  readonly clearedOnce: ClearedOnce | undefined;
  /** System messages up to here are no preamble any more. */
  readonly preambleClearedThroughSeq: number;
  readonly keptRequests: KeptRequests;
  readonly pins: readonly LivePin[];
  readonly prunes: readonly LivePrune[];
}

export interface UndoStep {
  /** The entry that made the step; after an undo, the undo entry. */
  readonly entryId: EntryId;
  /** What it was: the plan and the page show it. */
  readonly type: string;
  readonly batch: EntryId;
  readonly before: UndoableState;
  /** It erased what it stands for: neither it nor anything before it can be taken back. */
  readonly isFinal?: boolean | undefined;
}

/** Nothing older is sent until a generation asked for at or after this epoch has completed. */
export interface ClearedOnce {
  readonly throughSeq: number;
  readonly epoch: number;
}

/** How many prompts may be under way at once and still be told apart. */
export const REQUESTS_REMEMBERED = 4;

export interface HandedOut {
  readonly promptId: PromptId;
  readonly at: number;
  readonly viewEpoch: number;
  readonly counterId: CounterId;
  readonly model: string | undefined;
  readonly provider: string;
  readonly countedTokens: number;
  readonly factor: number;
  readonly exact: boolean;
  readonly sections: readonly SectionPrint[];
}

/** A fork reads its parent's entries up to `atSeq` as its own; its own seqs go on from there. */
export interface Fork {
  readonly parentId: SessionId;
  readonly atSeq: number;
  readonly inheritedSummaryId?: string | undefined;
}

export interface Head {
  readonly epoch: number;
  /** Messages, requests and notes up to here are folded in; entries that move the epoch are, up to `epoch`. */
  readonly foldedThroughSeq: number;
  readonly summary: SummaryRecord | undefined;
  readonly truncation: Truncation | undefined;
  readonly clearedThroughSeq: number;
  readonly clearedOnce: ClearedOnce | undefined;
  /** The newest epoch that a completed generation has seen. */
  readonly completedEpoch: number;
  /** System messages at the start of the conversation: instructions, never folded away. */
  readonly preamble: readonly number[];
  readonly preambleClearedThroughSeq: number;
  /** False once anything but a system message was said. */
  readonly preambleOpen: boolean;
  /** What the user asked last, where that is covered. */
  readonly keptRequests: KeptRequests;
  readonly pins: readonly LivePin[];
  readonly prunes: readonly LivePrune[];
  readonly messageCount: number;
  readonly totals: Readonly<Record<CounterId, number>>;
  readonly undoable: readonly UndoStep[];
  readonly redoable: readonly UndoStep[];
  readonly holdThroughCount: number;
  /** The newest prompts that were handed out, oldest first: replies may come in another order. */
  readonly requests: readonly HandedOut[];
  /** How many were handed out in all, and by how many tokens they grew from one to the next. */
  readonly requestCount: number;
  readonly grownTokens: number;
  /** The last place of the log that the newest compaction had read; 0 before the first. */
  readonly compactedThroughSeq: number;
  readonly compactedEpoch: number;
  /** Whether a compaction by ratio may act again; see `plan/triggers/update-armed.ts`. */
  readonly armed: boolean;
  /** What was learned from reported usage, for the model it was learned on. */
  readonly calibration: (Calibration & { readonly model: string | undefined }) | undefined;
  /** What providers reported of their caches, by the epoch that they saw; absent where none did. */
  readonly cacheUse?: readonly EpochCacheUse[] | undefined;
  /** What answers and summaries have taken so far; absent where there was neither. */
  readonly spent?: Spent | undefined;
  /** How long each part of the prompt has stayed as it is; absent where no workspace is tracked. */
  readonly tiers?: TierSnapshot | undefined;
  /** Of a fork that was imported: it has its parent's entries in its own log, and epochs of its own from `atSeq` on. */
  readonly importedFork?: Fork | undefined;
}

export const EMPTY_HEAD: Head = {
  epoch: 0,
  foldedThroughSeq: 0,
  summary: undefined,
  truncation: undefined,
  clearedThroughSeq: 0,
  clearedOnce: undefined,
  completedEpoch: -1,
  preamble: [],
  preambleClearedThroughSeq: 0,
  preambleOpen: true,
  keptRequests: [],
  pins: [],
  prunes: [],
  messageCount: 0,
  totals: {},
  undoable: [],
  redoable: [],
  holdThroughCount: 0,
  requests: [],
  requestCount: 0,
  grownTokens: 0,
  compactedThroughSeq: 0,
  compactedEpoch: 0,
  armed: true,
  calibration: undefined,
};

/** The last message that a summary or a truncation stands for. */
export function coveredThroughSeq(head: Head): number {
  return Math.max(head.summary?.coverage.lastSeq ?? 0, head.truncation?.coverage.lastSeq ?? 0);
}

/** What was cleared for good, or for the generation that is still to come. */
export function clearedSeq(head: Head): number {
  const through = isClearedOnce(head) ? (head.clearedOnce?.throughSeq ?? 0) : 0;
  return Math.max(head.clearedThroughSeq, through);
}

/** Whether a clear for one generation is still waiting for it. What is decided then is for that request alone. */
export function isClearedOnce({ clearedOnce, completedEpoch }: Head): boolean {
  return clearedOnce !== undefined && completedEpoch < clearedOnce.epoch;
}

/** Messages up to here are not in the view, the preamble and pins apart. */
export function viewFloorSeq(head: Head): number {
  return Math.max(coveredThroughSeq(head), clearedSeq(head));
}

/** What a store reads a view by: a clear for one generation may have ended among the entries that are not folded in. */
export function readingHead(head: Head): Head {
  return { ...head, clearedOnce: undefined };
}

export function preambleSeqs(head: Head): readonly number[] {
  return head.preamble.filter((seq) => seq > head.preambleClearedThroughSeq);
}

/** Messages below the floor that are in the view all the same, in order. */
export function keptSeqs(head: Head): readonly number[] {
  const floor = viewFloorSeq(head);
  const pinned = head.pins.flatMap((pin) => (pin.target.type === "messages" ? pin.target.seqs : []));
  const cleared = clearedSeq(head);
  const shown = [...pinned, ...head.keptRequests].filter((seq) => seq > cleared);
  const kept = [...preambleSeqs(head), ...shown].filter((seq) => seq <= floor);
  return [...new Set(kept)].sort((left, right) => left - right);
}
