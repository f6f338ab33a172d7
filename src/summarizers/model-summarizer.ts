/**
 * Summaries by language models, with one strategy and any number of models. Every failure is an outcome. It chooses the
 * model and the form of the request. Between calls it keeps the failures of the models, and nothing of a conversation.
 */
import { sumTokens } from "../core/plan/tentative-view.ts";
import type { StrategyName } from "../core/summary/strategies/strategy.ts";
import { TRANSCRIPT_MAX_TOKENS } from "../core/summary/strategies/structured.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { askAfterOwnPrompt, hasSecret } from "./ask-after-own-prompt.ts";
import { roomOf } from "./choose-model.ts";
import { type FoldOptions, foldStretch } from "./fold-stretch.ts";
import { createModelPool, type ModelPool, type ModelPoolOptions, type PoolChoice } from "./model-pool.ts";
import { estimateCost, estimateUsage } from "./price-usage.ts";
import { createSummaryTally } from "./summary-tally.ts";
import {
  buildRequest,
  createAborted,
  createFailure,
  type SummarizerCall,
  type SummarizerTask,
  type TranscriptStrategy,
} from "./summary-task.ts";
import { measureStretch } from "./take-chunk.ts";

export interface ModelSummarizerOptions extends ModelPoolOptions {
  /** `handoff-after-prompt` appends its request to the conversation's own prompt whenever one is given and fits. */
  readonly strategy: StrategyName;
  /** Default: true. Summarizes a stretch that is too large in chunks. False: one request, without the oldest messages. */
  readonly chunked?: boolean | undefined;
  /** Default: false, so an answer in prose is accepted as the summary although JSON was requested. */
  readonly isStrict?: boolean | undefined;
  /** The most tokens of messages in one request, at least 256. Default: the strategy's own. The window applies too. */
  readonly chunkTokens?: number | undefined;
  /** Returns 8 to 64 random lower-case letters and digits. */
  readonly newNonce: () => string;
  /** Called after each request. Errors that it throws are ignored. */
  readonly onCall?: ((event: SummarizerCall) => void) | undefined;
}

export function createModelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { strategy, chunked = true, isStrict = false } = options;
  const pool = createModelPool(options);
  const ownCap = strategy === "structured" ? TRANSCRIPT_MAX_TOKENS : Number.MAX_SAFE_INTEGER;
  const settings = { pool, strategy, chunked, isStrict, chunkTokens: options.chunkTokens ?? ownCap };
  return {
    name: `model:${strategy}`,
    estimateCost: (request) => estimateCost(request, settings),
    summarize: (request, signal) => summarize(createTask({ ...settings, request, signal, options })),
  };
}

interface TaskParts
  extends Pick<SummarizerTask, "request" | "signal" | "strategy" | "chunked" | "isStrict" | "chunkTokens"> {
  readonly pool: ModelPool;
  readonly options: ModelSummarizerOptions;
}

function createTask({ options, ...parts }: TaskParts): SummarizerTask {
  const { request } = parts;
  let nonce: string | undefined = request.nonce;
  return {
    ...parts,
    tally: createSummaryTally(),
    meta: { totalMessages: countMessages(request), totalTokens: 0, depth: depthOf(request) },
    tools: (request.ownPrompt?.tools ?? []).filter((tool) => !hasSecret(JSON.stringify(tool))),
    nextNonce() {
      const next = nonce ?? options.newNonce();
      nonce = undefined;
      return next;
    },
    tell(event) {
      try {
        options.onCall?.(event);
      } catch {
        // A failing listener must not lose the summary.
      }
    },
  };
}

function countMessages({ stretch, previous }: SummaryRequest): number {
  return stretch.length + (previous?.coverage.count ?? 0);
}

function depthOf({ previous }: SummaryRequest): number {
  return previous === undefined ? 0 : previous.depth + 1;
}

async function summarize(task: SummarizerTask): Promise<SummaryOutcome> {
  const strategy: TranscriptStrategy = task.strategy === "handoff-after-prompt" ? "handoff-full" : task.strategy;
  const rooms = task.pool.models.map(({ info }) => roomOf(info, 0));
  const units = task.signal.aborted
    ? undefined
    : await measureStretch(task, { strategy, promptTokens: Math.max(0, ...rooms) });
  if (units === undefined) return createAborted(task);
  const stretchTokens = sumTokens(units);
  if (stretchTokens === 0 && task.request.previous === undefined) {
    return createFailure(task, { kind: "unavailable", reason: "There is nothing to summarize." });
  }
  const { previous, counter } = task.request;
  const totalTokens = stretchTokens + countText(previous?.text ?? "", counter);
  return chooseAndAsk({ ...task, meta: { ...task.meta, totalTokens } }, { strategy, units }, stretchTokens);
}

async function chooseAndAsk(
  task: SummarizerTask,
  { strategy, units }: Omit<FoldOptions, "model">,
  stretchTokens: number,
): Promise<SummaryOutcome> {
  const { overheadTokens, outputTokens } = await measureRules(task, strategy);
  const inputTokens = overheadTokens + Math.min(stretchTokens, task.chunkTokens);
  const choice = task.pool.choose({ inputTokens, outputTokens });
  const { chosen: model } = choice;
  const room = model === undefined ? 0 : roomOf(model.info, outputTokens) - overheadTokens;
  const { chunked } = task;
  const chunkTokens = Math.min(task.chunkTokens, room);
  const usage = estimateUsage({ stretchTokens, overheadTokens, outputTokens, chunkTokens, chunked });
  const outcome = await askAfterOwnPrompt(task, { model, isPreferred: choice.isPreferred, usage });
  if (outcome !== undefined) return outcome;
  if (model === undefined) return createFailure(task, { kind: "unavailable", reason: describeSkipped(choice) });
  return foldStretch(task, { model, strategy, units });
}

/** Tokens of a request without messages, and of its answer. */
async function measureRules(task: SummarizerTask, strategy: TranscriptStrategy) {
  const [first] = task.pool.models;
  if (first === undefined) return { overheadTokens: 0, outputTokens: 0 };
  const { nonce, previous } = task.request;
  const empty = { info: first.info, strategy, stretch: [], nonce, previousText: previous?.text };
  const { request, tokens } = await buildRequest(task, empty);
  // A model with a smaller output limit may still write a good summary, so if all have one, none is skipped for it.
  const most = Math.max(...task.pool.models.map(({ info }) => info.maxOutputTokens));
  return { overheadTokens: tokens, outputTokens: Math.min(request.maxOutputTokens, most) };
}

function describeSkipped({ skipped }: PoolChoice): string {
  if (skipped.length === 0) return "No model is given.";
  return skipped.map(({ id, reason }) => `${id}: ${reason}`).join(" ");
}
