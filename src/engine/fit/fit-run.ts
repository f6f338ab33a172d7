/** Settings of one call of `fit`, and the state that it carries from message to message. */
import type { PrefixHashes } from "../../core/log/entry.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Change, StepName } from "../../core/plan/proposal.ts";
import type { AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { applyCalibration, startCalibration } from "../../core/tokens/calibration.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { countAssembled, type Limits, type Measure, type Surroundings } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import type { Conversation } from "../state/conversation.ts";
import type { CoverItem } from "../state/read-history.ts";
import type { KnownCompaction } from "./arrange-compaction.ts";

export interface FitSettings {
  readonly limits: Limits;
  readonly counts: MessageCounts;
  /** Instructions and tools that the caller sends with the messages, counted. */
  readonly surroundings: Surroundings;
  /** Hashes of the instructions and tools, for models that bind thinking to them. */
  readonly surroundingsHashes: SurroundingsHashes;
  readonly settings: PlanSettings;
  readonly context: EngineContext;
  /** The format of the history, if it should not be detected from the items. */
  readonly format?: FormatName | undefined;
  readonly waiting?: CallerWait | undefined;
}

export type SurroundingsHashes = Omit<PrefixHashes, "hash">;

/** The instructions and tools of the last call. Thinking in items before `sinceItem` was produced under others. */
export interface LastSurroundings extends SurroundingsHashes {
  readonly sinceItem: number;
  readonly changed?: "instructions" | "tools" | undefined;
}

/** The source of a message: the item, and which of the item's messages it is. */
export interface ItemOrigin {
  readonly item: number;
  readonly place: number;
  readonly count: number;
  readonly source: unknown;
}

/** A history while it is read. The conversation contains what is shown; `origins` maps messages to the given items. */
export interface FitRun {
  readonly conversation: Conversation;
  readonly origins: WeakMap<Message, ItemOrigin>;
  readonly format: FormatName | undefined;
  readonly items: number;
  readonly lastItem: unknown;
  readonly lastHash: string;
  readonly coverItems: readonly CoverItem[];
  /** The summary as read back from a list that `fit` returned. It determines where to fold, and is not shown. */
  readonly readBack: SummaryRecord | undefined;
  /** Absent in states of versions that did not record instructions and tools. */
  readonly lastSurroundings?: LastSurroundings | undefined;
  /** The provider's compaction in the history; absent if it has none. */
  readonly compaction?: KnownCompaction | undefined;
}

/** A compaction in the result of `fit`: its steps, and the tokens before and after. */
export interface FitCompaction {
  /** How many items of the history had been read when the compaction became necessary. */
  readonly atItem: number;
  readonly steps: readonly StepName[];
  /** Tokens of the whole prompt. A summary that this call has not written counts as its largest size. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False when it applies to this result alone: the state and later calls do not repeat it. */
  readonly isRecorded: boolean;
}

export interface NewMessage {
  readonly message: Message;
  readonly atItem: number;
  readonly isLast: boolean;
  /** For the last message of a cover, the changes that it represents; empty for its other messages. */
  readonly takesOver?: readonly Change[] | undefined;
}

export function measureOf({ counts, limits, settings, surroundings }: FitSettings): Measure {
  const { renderer } = settings.summary;
  return { counts, surroundings, calibration: startCalibration(limits.startFactor), renderer };
}

export function sizeOf(assembler: AssembledPrompt, fit: FitSettings): number {
  return applyCalibration(measureOf(fit).calibration, countAssembled(assembler, fit.surroundings));
}

/** Counts what the caller sends with the messages, without calibration. */
export function countSurroundings({ surroundings }: FitSettings): number {
  return surroundings.instructionsTokens + surroundings.toolsTokens;
}
