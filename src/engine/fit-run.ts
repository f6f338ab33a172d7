/** What one call of `fit` works with, and what it carries from message to message. */
import type { FormatName } from "../core/message/formats/format.ts";
import type { Message } from "../core/message/message.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { Change, StepName } from "../core/plan/proposal.ts";
import type { AssembledPrompt } from "../core/prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../core/summary/record/record.ts";
import { applyCalibration, startCalibration } from "../core/tokens/calibration.ts";
import type { EngineContext } from "./context/engine-context.ts";
import type { MessageCounts } from "./context/message-counts.ts";
import { countNow, type Limits, type Measure, type Surroundings } from "./context/prompt-size.ts";
import type { CallerWait } from "./context/wait-timer.ts";
import type { Origin } from "./encode-fitted.ts";
import type { CoverItem } from "./read-history.ts";
import type { Conversation } from "./state/conversation.ts";

export interface FitSettings {
  readonly limits: Limits;
  readonly counts: MessageCounts;
  /** Instructions and tools that the caller sends beside the messages, counted. */
  readonly surroundings: Surroundings;
  readonly settings: PlanSettings;
  readonly context: EngineContext;
  /** The shape of the history, where it should not be told from the items. */
  readonly format?: FormatName | undefined;
  /** The caller that waits for a summarizer. */
  readonly waiting?: CallerWait | undefined;
}

/** A history under way. The conversation holds what is shown; origins lead back to the items that were given. */
export interface FitRun {
  readonly conversation: Conversation;
  readonly origins: WeakMap<Message, Origin>;
  readonly format: FormatName | undefined;
  readonly items: number;
  readonly lastItem: unknown;
  readonly lastHash: string;
  /** Items that are, or begin with, what an earlier call wrote in place of messages. */
  readonly coverItems: readonly CoverItem[];
  /** The summary as a list that was fed back would hold it. It decides where to fold; the conversation shows its own. */
  readonly readBack: SummaryRecord | undefined;
}

export interface FitCompaction {
  /** How many items of the history had been read when it became necessary. */
  readonly atItem: number;
  readonly steps: readonly StepName[];
  /** Of the whole prompt. A summary that this call did not write counts as much as it may take. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False when it was made for this result alone: the state and later calls know nothing of it. */
  readonly isRecorded: boolean;
}

/** A message of an item that this call reads for the first time. */
export interface NewMessage {
  readonly message: Message;
  /** How many items have been read with it. */
  readonly atItem: number;
  /** Whether no other message follows it. */
  readonly isLast: boolean;
  /** Of a message that an earlier call wrote in place of others: what it was, once all of it is there; else nothing. */
  readonly takesOver?: readonly Change[] | undefined;
}

export function measureOf({ counts, limits, settings, surroundings }: FitSettings): Measure {
  const { renderer } = settings.summary;
  return { counts, surroundings, calibration: startCalibration(limits.startFactor), renderer };
}

/** Tokens of the whole prompt, with what stands in for results still to come. */
export function sizeOf(assembler: AssembledPrompt, fit: FitSettings): number {
  return applyCalibration(measureOf(fit).calibration, countNow(assembler, fit.surroundings));
}

/** Tokens of what the caller sends beside the messages, by the counter alone. */
export function aroundTokens({ surroundings }: FitSettings): number {
  return surroundings.instructionsTokens + surroundings.toolsTokens;
}
