/**
 * One summary being made: who asked for what, what it has cost so far, and the requests that can be built for it. A
 * request is built anew, with a new nonce, whenever another one goes out.
 */
import { computeBudget } from "../core/budget/budget.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Message } from "../core/message/message.ts";
import { STRATEGIES } from "../core/summary/strategies/strategies.ts";
import type {
  StrategyInput,
  StrategyName,
  StretchMeta,
  SummarizerRequest,
} from "../core/summary/strategies/strategy.ts";
import type { ModelRequest, ModelTool } from "../ports/model.ts";
import type { OwnPrompt, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { breathe } from "./breathe.ts";
import { buildModelRequest, countModelRequest } from "./build-model-request.ts";
import type { ModelPool } from "./model-pool.ts";
import type { SummaryTally } from "./summary-tally.ts";

/** Those that write the stretch out; the other one asks after the conversation's own prompt. */
export type TranscriptStrategy = Exclude<StrategyName, "handoff-after-prompt">;

export interface SummaryTask {
  readonly request: SummaryRequest;
  readonly signal: AbortSignal;
  readonly pool: ModelPool;
  readonly tally: SummaryTally;
  readonly strategy: StrategyName;
  readonly chunked: boolean;
  /** Whether an answer that does not follow the strategy's schema is useless. */
  readonly isStrict: boolean;
  /** What one piece of the stretch may take at most. */
  readonly chunkTokens: number;
  readonly meta: StretchMeta;
  /** Those of the conversation's own tools whose description holds no secret. */
  readonly tools: readonly ModelTool[];
  /** The caller's nonce for the first request, a new one for each further. */
  nextNonce(): string;
  tell(event: SummarizerCall): void;
}

/** For telemetry: one request that went out. It holds no words of the conversation. */
export interface SummarizerCall {
  readonly model: string;
  readonly strategy: StrategyName;
  readonly form: "transcript" | "own-prompt";
  /** Of the same request, counted from zero. */
  readonly attempt: number;
  /** Pieces that were folded before. */
  readonly chunk: number;
  readonly outcome: "text" | "overflow" | "refused" | "failed";
  /** Tool outputs and messages that the request shows only in part. */
  readonly cuts: number;
  readonly elapsedMs: number;
}

export interface BuiltRequest {
  readonly request: SummarizerRequest;
  readonly modelRequest: ModelRequest;
  /** As the model is taken to count it; without the conversation's own prompt. */
  readonly tokens: number;
}

export interface TranscriptForm extends Pick<StrategyInput, "previousText" | "transcriptTokens" | "messageCharacters"> {
  readonly stretch: readonly Message[];
  readonly strategy: StrategyName;
  readonly nonce: string;
  readonly info: ModelInfo;
}

/**
 * The most of a summarizer's window that a summary is asked to take, so that rules, previous summary and messages have
 * the rest. As JSON a summary takes half as much again.
 */
const MOST_SUMMARY_SHARE = 1 / 6;

/** With the stretch written out, or asked after the conversation's own prompt, as the strategy has it. */
export async function buildRequest(
  task: SummaryTask,
  { info, strategy, ...form }: TranscriptForm,
): Promise<BuiltRequest> {
  const { capTokens, counter, instructions, again, ownPrompt } = task.request;
  const { maxOutputTokens } = info;
  // The cap is what our counter may find; the model is asked in tokens of its own, which are shorter.
  const factor = Math.max(1, info.startFactor);
  const budgetTokens = Math.min(Math.ceil(capTokens * factor), Math.floor(info.windowTokens * MOST_SUMMARY_SHARE));
  const promptTokens = roomOf(info, Math.min(budgetTokens, maxOutputTokens));
  const input = { ...form, budgetTokens, promptTokens, meta: task.meta, counter, instructions };
  const request = STRATEGIES[strategy](input);
  const { minimumTokens: leastTokens } = info.cache;
  const options = { again, ownPrompt, maxOutputTokens, tools: task.tools, leastTokens };
  const modelRequest = buildModelRequest(request, options);
  const own = strategy === "handoff-after-prompt" ? ownPrompt : undefined;
  const counted = await breathe(
    countModelRequest(own === undefined ? modelRequest : added(modelRequest, own), counter),
  );
  const tokens = Math.ceil(counted * factor);
  return { request, modelRequest, tokens };
}

/** What is not in the conversation's own prompt, whose size is known. */
function added(request: ModelRequest, { messages }: OwnPrompt): ModelRequest {
  return { ...request, instructions: "", messages: request.messages.slice(messages.length), tools: [] };
}

/** The largest prompt that leaves room for the answer. */
export function roomOf({ windowTokens, maxInputTokens }: ModelInfo, reserveTokens: number): number {
  const nothingElse = { instructionsTokens: 0, toolsTokens: 0 };
  return computeBudget({ windowTokens, maxInputTokens, reserveTokens, ...nothingElse }).budgetTokens;
}

type Failure = Omit<SummaryOutcome & { readonly type: "failed" }, "type" | "origin">;

export function failed(task: SummaryTask, failure: Failure): SummaryOutcome {
  return { type: "failed", ...failure, origin: task.tally.origin(task.strategy) };
}

export function aborted(task: SummaryTask): SummaryOutcome {
  return failed(task, { kind: "aborted", reason: "The request was aborted." });
}
