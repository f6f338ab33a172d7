/**
 * Asks a model for a summary of a stretch, in one request or in several, each of which includes the summary so far. If
 * the provider finds a request too large, smaller ones follow; if the full handoff fails, the simple one follows. Both
 * are bounded, and the tally has the cost of every request.
 */
import { sumTokens } from "../core/plan/tentative-view.ts";
import { acceptSummary } from "../core/summary/answers/accept-summary.ts";
import { excerptOf, type StructuredContext } from "../core/summary/answers/parse-structured-summary.ts";
import { trimSummary } from "../core/summary/record/trim-summary.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { SummaryOrigin, SummaryOutcome } from "../ports/summarizer.ts";
import { askModel, joinContexts, proposeFacets, type RequestAnswer, textSoFar } from "./ask-model.ts";
import { roomOf } from "./choose-model.ts";
import type { PooledModel } from "./model-pool.ts";
import {
  buildRequest,
  createAborted,
  createFailure,
  type SummarizerTask,
  type TranscriptStrategy,
} from "./summary-task.ts";
import { type Chunk, type ChunkRoom, type ChunkUnit, takeChunk, takeNewest } from "./take-chunk.ts";

/** Maximum number of times that a request that is too large for its provider is halved. */
const MAX_HALVINGS = 4;
const MAX_CHUNKS = 64;
/** A smaller chunk would be only headings and markers. */
const MIN_TOKENS = 256;
/** Every request has at least a few sentences of a previous summary. */
const MIN_PREVIOUS_TOKENS = 100;

export interface FoldOptions {
  readonly model: PooledModel;
  readonly strategy: TranscriptStrategy;
  readonly units: readonly ChunkUnit[];
}

interface FoldState extends FoldOptions {
  strategy: TranscriptStrategy;
  units: readonly ChunkUnit[];
  previousText: string | undefined;
  context: StructuredContext | undefined;
  answeredWith?: SummaryOrigin["answeredWith"];
  stretchTokens: number;
  halvings: number;
}

export async function foldStretch(task: SummarizerTask, options: FoldOptions): Promise<SummaryOutcome> {
  const beginning = { previousText: task.request.previous?.text, context: undefined, halvings: 0 };
  const state: FoldState = { ...options, ...beginning, stretchTokens: task.chunkTokens };
  for (;;) {
    if (task.signal.aborted) return createAborted(task);
    const chunk = await nextChunk(task, state);
    if (typeof chunk === "string") return createFailure(task, { kind: "unavailable", reason: chunk });
    const outcome = await foldChunk(task, { state, chunk });
    if (outcome !== undefined) return outcome;
  }
}

interface PlannedChunk extends Chunk {
  readonly stretchTokens: number;
}

/** Returns the next chunk, or the reason why there is none. */
async function nextChunk(task: SummarizerTask, state: FoldState): Promise<PlannedChunk | string> {
  const { model, strategy, units } = state;
  const { info } = model;
  const nonce = task.nextNonce();
  const build: ChunkRoom["build"] = (stretch, limits) =>
    buildRequest(task, { ...limits, info, strategy, previousText: state.previousText, stretch, nonce });
  let empty = await build([], {});
  const roomTokens = roomOf(info, empty.modelRequest.maxOutputTokens);
  const missingTokens = empty.tokens + MIN_TOKENS - roomTokens;
  if (missingTokens > 0 && state.previousText !== undefined) {
    state.previousText = shortenPrevious(task, state.previousText, missingTokens);
    empty = await build([], {});
  }
  const stretchTokens = Math.min(Math.max(state.stretchTokens, MIN_TOKENS), roomTokens - empty.tokens);
  const chunks = task.chunked ? Math.ceil(sumTokens(units) / Math.max(1, stretchTokens)) : 1;
  if (chunks > MAX_CHUNKS) return `The stretch would take ${chunks} requests to ${info.id}, more than ${MAX_CHUNKS}.`;
  const room = { stretchTokens, limitTokens: empty.tokens + stretchTokens, build };
  const take = task.chunked ? takeChunk : takeNewest;
  const chunk = stretchTokens < 0 ? undefined : await take(units, room);
  if (chunk !== undefined) return { ...chunk, stretchTokens: chunk.built.tokens - empty.tokens };
  return `${info.id} accepts ${roomTokens} tokens besides the answer, and the request has ${empty.tokens} even without messages.`;
}

/** Shortens a previous summary that leaves no room for messages. Code keeps its facts even then. */
function shortenPrevious({ request: { counter } }: SummarizerTask, text: string, missingTokens: number): string {
  const capTokens = Math.max(MIN_PREVIOUS_TOKENS, countText(text, counter) - missingTokens);
  return trimSummary(text, { capTokens, counter }).text;
}

interface Step {
  readonly state: FoldState;
  readonly chunk: PlannedChunk;
}

/** Returns undefined if there are more chunks. */
async function foldChunk(task: SummarizerTask, step: Step): Promise<SummaryOutcome | undefined> {
  const { state, chunk } = step;
  const answer = await askModel(task, { model: state.model, built: chunk.built, form: "transcript" });
  switch (answer.type) {
    case "overflow":
      return shrink(task, step, answer.reason);
    case "failed":
      return retryOrFail(task, state, answer);
    case "read":
      return chunk.rest.length === 0 ? finish(task, step, answer) : continueFold(task, step, answer);
    default:
      return answer satisfies never;
  }
}

function shrink(task: SummarizerTask, { state, chunk }: Step, reason: string): SummaryOutcome | undefined {
  if (useSimpleHandoff(state)) return undefined;
  const half = Math.floor(chunk.stretchTokens / 2);
  if (state.halvings === MAX_HALVINGS || half < MIN_TOKENS) return createFailure(task, { kind: "unavailable", reason });
  state.halvings += 1;
  state.stretchTokens = half;
  return undefined;
}

/** Returns false if the strategy is not the full handoff, which alone has a simpler form. */
function useSimpleHandoff(state: FoldState): boolean {
  const isFull = state.strategy === "handoff-full";
  if (isFull) state.strategy = "handoff-simple";
  return isFull;
}

function retryOrFail(
  task: SummarizerTask,
  state: FoldState,
  { type: _, ...failure }: RequestAnswer & { readonly type: "failed" },
): SummaryOutcome | undefined {
  if (failure.kind === "validation" && useSimpleHandoff(state)) return undefined;
  return createFailure(task, failure);
}

type Success = RequestAnswer & { readonly type: "read" };

function recordChunk(task: SummarizerTask, { state, chunk }: Step, { context, answeredWith }: Success): void {
  task.tally.addChunk(chunk.built.request.report);
  state.answeredWith ??= answeredWith;
  if (context !== undefined) state.context = joinContexts(state.context, context);
}

function finish(task: SummarizerTask, step: Step, read: Success): SummaryOutcome {
  recordChunk(task, step, read);
  const { text, keyPoints, endedBy } = read;
  const { strategy, context, answeredWith } = step.state;
  return {
    type: "summary",
    text,
    ...(keyPoints === undefined ? {} : { keyPoints }),
    ...(context === undefined ? {} : { facets: proposeFacets(context) }),
    endedBy,
    origin: { ...task.tally.origin(strategy), ...(answeredWith === undefined ? {} : { answeredWith }) },
  };
}

/** An intermediate summary may be twice as long as the caller's cap. */
const CAP_FACTOR = 2;

function continueFold(task: SummarizerTask, { state, chunk }: Step, read: Success): SummaryOutcome | undefined {
  const { counter, capTokens } = task.request;
  const options = { counter, capTokens: capTokens * CAP_FACTOR, onOversize: "reask-trim", earlierRequests: 1 } as const;
  const accepted = acceptSummary({ text: read.text, endedBy: read.endedBy }, options);
  if (accepted.type !== "accepted") {
    const kind = accepted.rule === "refusal" ? "refused" : "validation";
    const reason = accepted.type === "rejected" ? accepted.reason : accepted.request;
    return retryOrFail(task, state, { type: "failed", kind, reason, rawStart: excerptOf(read.text) });
  }
  recordChunk(task, { state, chunk }, read);
  state.previousText = textSoFar(accepted.text, read.keyPoints);
  state.units = chunk.rest;
  return undefined;
}
