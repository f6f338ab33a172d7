/**
 * Summaries by language models: one strategy, any number of models, and every way to fail turned into an outcome. It
 * chooses who is asked and in which form, and leaves the asking to the files beside it. Between calls it remembers how
 * the models have been doing, and nothing of any conversation.
 */
import type { StrategyName } from "../core/summary/strategies/strategy.ts";
import { TRANSCRIPT_MAX_TOKENS } from "../core/summary/strategies/structured.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { askOwnPrompt, holdsSecret } from "./ask-own-prompt.ts";
import { estimateCost, expectUsage } from "./estimate-cost.ts";
import { foldStretch } from "./fold-stretch.ts";
import { measureStretch, sumTokens, type Unit } from "./measure-stretch.ts";
import { createModelPool, type ModelPool, type ModelPoolOptions, type PoolChoice } from "./model-pool.ts";
import { createSummaryTally } from "./summary-tally.ts";
import {
  aborted,
  buildRequest,
  failed,
  roomOf,
  type SummarizerCall,
  type SummaryTask,
  type TranscriptStrategy,
} from "./summary-task.ts";

export interface ModelSummarizerOptions extends ModelPoolOptions {
  /** `handoff-after-prompt` always asks after the conversation's own prompt where one is given and fits. */
  readonly strategy: StrategyName;
  /**
   * True, unless told otherwise: a stretch that is too large is folded in pieces, and every message is accounted for.
   * False: one request, without the oldest messages.
   */
  readonly chunked?: boolean | undefined;
  /** False, unless told otherwise: an answer in prose where JSON was asked for is the summary, without its lists. */
  readonly isStrict?: boolean | undefined;
  /** What the messages of one request may take, in place of the strategy's own cap; at least 256. The window holds. */
  readonly chunkTokens?: number | undefined;
  /** 8 to 64 lower-case letters and digits by chance. */
  readonly newNonce: () => string;
  /** Told of every request that went out. What it throws is ignored. */
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
  extends Pick<SummaryTask, "request" | "signal" | "strategy" | "chunked" | "isStrict" | "chunkTokens"> {
  readonly pool: ModelPool;
  readonly options: ModelSummarizerOptions;
}

function createTask({ options, ...parts }: TaskParts): SummaryTask {
  const { request } = parts;
  let nonce: string | undefined = request.nonce;
  return {
    ...parts,
    tally: createSummaryTally(),
    meta: { totalMessages: countMessages(request), totalTokens: 0, depth: depthOf(request) },
    tools: (request.ownPrompt?.tools ?? []).filter((tool) => !holdsSecret(JSON.stringify(tool))),
    nextNonce() {
      const next = nonce ?? options.newNonce();
      nonce = undefined;
      return next;
    },
    tell(event) {
      try {
        options.onCall?.(event);
      } catch {
        // A listener that fails must not cost a summary.
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

async function summarize(task: SummaryTask): Promise<SummaryOutcome> {
  const strategy: TranscriptStrategy = task.strategy === "handoff-after-prompt" ? "handoff-full" : task.strategy;
  const rooms = task.pool.models.map(({ info }) => roomOf(info, 0));
  const units = task.signal.aborted
    ? undefined
    : await measureStretch(task, { strategy, promptTokens: Math.max(0, ...rooms) });
  if (units === undefined) return aborted(task);
  const stretchTokens = sumTokens(units);
  if (stretchTokens === 0 && task.request.previous === undefined) {
    return failed(task, { kind: "unavailable", reason: "There is nothing to summarise." });
  }
  const { previous, counter } = task.request;
  const totalTokens = stretchTokens + countText(previous?.text ?? "", counter);
  return chooseAndAsk({ ...task, meta: { ...task.meta, totalTokens } }, { strategy, units, stretchTokens });
}

interface Measured {
  readonly strategy: TranscriptStrategy;
  readonly units: readonly Unit[];
  readonly stretchTokens: number;
}

async function chooseAndAsk(task: SummaryTask, measured: Measured): Promise<SummaryOutcome> {
  const { strategy, units, stretchTokens } = measured;
  const { overheadTokens, outputTokens } = await measureRules(task, strategy);
  const inputTokens = overheadTokens + Math.min(stretchTokens, task.chunkTokens);
  const choice = task.pool.choose({ inputTokens, outputTokens });
  const { chosen: model } = choice;
  const room = model === undefined ? 0 : roomOf(model.info, outputTokens) - overheadTokens;
  const { chunked } = task;
  const chunkTokens = Math.min(task.chunkTokens, room);
  const usage = expectUsage({ stretchTokens, overheadTokens, outputTokens, chunkTokens, chunked });
  const outcome = await askOwnPrompt(task, { model, isPreferred: choice.isPreferred, usage });
  if (outcome !== undefined) return outcome;
  if (model === undefined) return failed(task, { kind: "unavailable", reason: whyNobody(choice) });
  return foldStretch(task, { model, strategy, units });
}

/** What a request takes before its first message, and what its answer may take. */
async function measureRules(task: SummaryTask, strategy: TranscriptStrategy) {
  const [first] = task.pool.models;
  if (first === undefined) return { overheadTokens: 0, outputTokens: 0 };
  const { nonce, previous } = task.request;
  const empty = { info: first.info, strategy, stretch: [], nonce, previousText: previous?.text };
  const { request, tokens } = await buildRequest(task, empty);
  // Who writes less than is asked for may still write a good summary, so nobody is passed over for it where all do.
  const most = Math.max(...task.pool.models.map(({ info }) => info.maxOutputTokens));
  return { overheadTokens: tokens, outputTokens: Math.min(request.maxOutputTokens, most) };
}

function whyNobody({ passedOver }: PoolChoice): string {
  if (passedOver.length === 0) return "No model is given.";
  return passedOver.map(({ id, reason }) => `${id}: ${reason}`).join(" ");
}
