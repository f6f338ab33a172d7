/**
 * The bounded state of a session from which its view can be read without its log. A head is the fold of the entries it
 * has seen. The store writes it with every entry that moves the epoch; entries appended since are folded in when the
 * session is opened.
 */
import type { TierSnapshot } from "../sections/tier.ts";
import type { SummaryId, SummaryRecord } from "../summary/record/record.ts";
import type { Calibration } from "../tokens/calibration.ts";
import type { CounterId } from "../tokens/counter.ts";
import type { EpochCacheUse } from "./cache-use.ts";
import type {
  DismissEntry,
  EntryId,
  KeptRequests,
  PinTarget,
  RequestEntry,
  SessionId,
  TruncateEntry,
} from "./entry.ts";
import type { Prune } from "./prune.ts";
import type { Spending } from "./spent.ts";

/** Number of steps that can be undone. Older ones are dropped, so that the head stays bounded. */
export const UNDO_DEPTH = 20;

export interface LivePin {
  readonly id: EntryId;
  readonly target: PinTarget;
}

export interface LivePrune extends Prune {
  readonly entryId: EntryId;
}

export interface Truncation extends Pick<TruncateEntry, "id" | "coverage" | "coveredTokens" | "reason"> {
  /** Whether the policy shows no line for the truncated messages. */
  readonly silent?: boolean | undefined;
}

/** A message that recall leaves out. */
export type DismissedMessage = Pick<DismissEntry, "messageId" | "messageSeq">;

/** Number of dismissed messages that a head stores, so that it stays bounded. Older ones may be recalled again. */
export const MAX_DISMISSED = 200;

/** The fields of the head that entries change and an undo restores, besides the summary. */
interface ViewState {
  readonly truncation: Truncation | undefined;
  readonly clearedThroughSeq: number;
  readonly clearedOnce: OneTimeClear | undefined;
  /** System messages up to here no longer count as preamble. */
  readonly preambleClearedThroughSeq: number;
  /** Seqs of the last requests, if they are covered. */
  readonly keptRequests: KeptRequests;
  readonly pins: readonly LivePin[];
  readonly prunes: readonly LivePrune[];
  /** Absent if there are none. */
  readonly dismissed?: readonly DismissedMessage[] | undefined;
}

/** Contains the summary's id only; its text is in the log. */
export interface UndoableState extends ViewState {
  readonly summaryId: SummaryId | undefined;
}

export interface UndoStep {
  /** The entry that made the step; after an undo, the undo entry. */
  readonly entryId: EntryId;
  readonly type: string;
  readonly batch: EntryId;
  readonly before: UndoableState;
  /** Set if the step erased text, so that neither it nor earlier steps can be undone. */
  readonly isFinal?: boolean | undefined;
}

/** Hides older messages until a generation requested at or after this epoch has completed. */
export interface OneTimeClear {
  readonly throughSeq: number;
  readonly epoch: number;
}

/** Number of prompts that a head stores, because their replies can arrive in any order. */
export const MAX_REMEMBERED_REQUESTS = 4;

type RememberedField =
  | "promptId"
  | "at"
  | "viewEpoch"
  | "counterId"
  | "provider"
  | "countedTokens"
  | "recalledTokens"
  | "factor"
  | "sections";

export interface HandedOutPrompt extends Pick<RequestEntry, RememberedField> {
  readonly model: string | undefined;
  readonly exact: boolean;
}

/** A fork reads its parent's entries up to `atSeq` as its own; its own seqs continue from there. */
export interface Fork {
  readonly parentId: SessionId;
  readonly atSeq: number;
  readonly inheritedSummaryId?: string | undefined;
}

/** The bounded state of a session, from which its view can be read without the whole log. */
export interface Head extends ViewState {
  readonly epoch: number;
  /** Messages, requests and notes up to here are folded in, and epoch-moving entries up to `epoch`. */
  readonly foldedThroughSeq: number;
  readonly summary: SummaryRecord | undefined;
  /** The newest epoch whose view was given to a completed generation. */
  readonly completedEpoch: number;
  /** System messages at the start of the conversation: instructions, never folded. */
  readonly preamble: readonly number[];
  /** False once anything but a system message has been appended. */
  readonly preambleOpen: boolean;
  readonly messageCount: number;
  readonly totals: Readonly<Record<CounterId, number>>;
  readonly undoable: readonly UndoStep[];
  readonly redoable: readonly UndoStep[];
  readonly holdThroughCount: number;
  /** The newest prompts that were handed out, oldest first. Replies may arrive in another order. */
  readonly requests: readonly HandedOutPrompt[];
  /** Number of prompts handed out. */
  readonly requestCount: number;
  /** Sum of the growth from prompt to prompt, in tokens without recalled passages. */
  readonly grownTokens: number;
  /** The last seq that the newest compaction had read; 0 before the first. */
  readonly compactedThroughSeq: number;
  readonly compactedEpoch: number;
  /** Whether a ratio trigger may fire again; see `plan/triggers/check-trigger.ts`. */
  readonly armed: boolean;
  /** The factor learned from reported usage, for the model it was learned on. */
  readonly calibration: (Calibration & { readonly model: string | undefined }) | undefined;
  /** Cache figures that providers reported, by epoch; absent if there are none. */
  readonly cacheUse?: readonly EpochCacheUse[] | undefined;
  /** Tokens and cost of answers and summaries so far; absent if there are none. */
  readonly spent?: Spending | undefined;
  /** The tiers of the workspace and the history; absent if no workspace is tracked. */
  readonly tiers?: TierSnapshot | undefined;
  /** Set on an imported fork, whose log contains its parent's entries. Its own epochs start after `atSeq`. */
  readonly importedFork?: Fork | undefined;
}

/** The head of a session without entries. */
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

export function findCoveredSeq(head: Head): number {
  return Math.max(head.summary?.coverage.lastSeq ?? 0, head.truncation?.coverage.lastSeq ?? 0);
}

/** Returns the last seq that is cleared, for good or for the next generation. */
export function findClearedSeq(head: Head): number {
  const through = isOneTimeClearActive(head) ? (head.clearedOnce?.throughSeq ?? 0) : 0;
  return Math.max(head.clearedThroughSeq, through);
}

/** Whether a clear for one generation still applies. A prompt is then made smaller without a change to the log. */
export function isOneTimeClearActive({ clearedOnce, completedEpoch }: Head): boolean {
  return clearedOnce !== undefined && completedEpoch < clearedOnce.epoch;
}

/** Messages up to this seq are not in the view, except the preamble and pins. */
export function findViewFloorSeq(head: Head): number {
  return Math.max(findCoveredSeq(head), findClearedSeq(head));
}

/** Returns the head without its clear for one generation: entries that are not folded yet may have ended it. */
export function makeReadingHead(head: Head): Head {
  return { ...head, clearedOnce: undefined };
}

export function findPreambleSeqs(head: Head): readonly number[] {
  return head.preamble.filter((seq) => seq > head.preambleClearedThroughSeq);
}

/** Returns the messages that recalled blocks do not quote: dismissed ones, and pinned ones, which the prompt shows. */
export function findUnquotedSeqs({ dismissed = [], pins }: Head): ReadonlySet<number> {
  const pinned = pins.flatMap(({ target }) => (target.type === "messages" ? target.seqs : []));
  return new Set([...dismissed.map(({ messageSeq }) => messageSeq), ...pinned]);
}

/** Lists the seqs below the view floor that the view keeps, in order. */
export function findKeptSeqs(head: Head): readonly number[] {
  const floor = findViewFloorSeq(head);
  const pinned = head.pins.flatMap((pin) => (pin.target.type === "messages" ? pin.target.seqs : []));
  const cleared = findClearedSeq(head);
  const shown = [...pinned, ...head.keptRequests].filter((seq) => seq > cleared);
  const kept = [...findPreambleSeqs(head), ...shown].filter((seq) => seq <= floor);
  return [...new Set(kept)].sort((left, right) => left - right);
}
