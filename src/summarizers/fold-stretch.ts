/**
 * Asks a model for a summary of a stretch, in one request or in several, each of which includes the summary so far. If
 * the provider finds a request too large, smaller ones follow; if the full handoff fails, the simple one follows. Both
 * are bounded, and the tally has the cost of every request.
 */
import { acceptSummary } from "../core/summary/answers/accept-summary.ts";
import { excerptOf, type StructuredContext } from "../core/summary/answers/parse-structured-summary.ts";
import { trimSummary } from "../core/summary/record/trim-summary.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { SummaryOutcome } from "../ports/summarizer.ts";
import { type Answer, askModel, joinContexts, proposeFacets, textSoFar } from "./ask-model.ts";
import { roomOf } from "./choose-model.ts";
import type { PooledModel } from "./model-pool.ts";
import { aborted, buildRequest, failed, type SummaryTask, type TranscriptStrategy } from "./summary-task.ts";
import { type Chunk, type ChunkRoom, sumTokens, takeChunk, takeNewest, type Unit } from "./take-chunk.ts";

/** How often a request that is too large for its provider is halved. */
const MOST_HALVINGS = 4;
const MOST_CHUNKS = 64;
/** A smaller chunk would be only headings and markers. */
const LEAST_TOKENS = 256;
/** Every request has at least a few sentences of a previous summary. */
const LEAST_PREVIOUS_TOKENS = 100;

export interface FoldOptions {
  readonly model: PooledModel;
  readonly strategy: TranscriptStrategy;
  readonly units: readonly Unit[];
}

interface Folding extends FoldOptions {
  strategy: TranscriptStrategy;
  units: readonly Unit[];
  previousText: string | undefined;
  context: StructuredContext | undefined;
  stretchTokens: number;
  halvings: number;
}

export async function foldStretch(task: SummaryTask, options: FoldOptions): Promise<SummaryOutcome> {
  const beginning = { previousText: task.request.previous?.text, context: undefined, halvings: 0 };
  const folding: Folding = { ...options, ...beginning, stretchTokens: task.chunkTokens };
  for (;;) {
    if (task.signal.aborted) return aborted(task);
    const chunk = await nextChunk(task, folding);
    if (typeof chunk === "string") return failed(task, { kind: "unavailable", reason: chunk });
    const outcome = await foldChunk(task, { folding, chunk });
    if (outcome !== undefined) return outcome;
  }
}

interface PlannedChunk extends Chunk {
  readonly stretchTokens: number;
}

/** Returns the next chunk, or the reason why there is none. */
async function nextChunk(task: SummaryTask, folding: Folding): Promise<PlannedChunk | string> {
  const { model, strategy, units } = folding;
  const { info } = model;
  const nonce = task.nextNonce();
  const build: ChunkRoom["build"] = (stretch, limits) =>
    buildRequest(task, { ...limits, info, strategy, previousText: folding.previousText, stretch, nonce });
  let empty = await build([], {});
  const roomTokens = roomOf(info, empty.modelRequest.maxOutputTokens);
  const missingTokens = empty.tokens + LEAST_TOKENS - roomTokens;
  if (missingTokens > 0 && folding.previousText !== undefined) {
    folding.previousText = shortenPrevious(task, folding.previousText, missingTokens);
    empty = await build([], {});
  }
  const stretchTokens = Math.min(Math.max(folding.stretchTokens, LEAST_TOKENS), roomTokens - empty.tokens);
  const chunks = task.chunked ? Math.ceil(sumTokens(units) / Math.max(1, stretchTokens)) : 1;
  if (chunks > MOST_CHUNKS) return `The stretch would take ${chunks} requests to ${info.id}.`;
  const room = { stretchTokens, limitTokens: empty.tokens + stretchTokens, build };
  const take = task.chunked ? takeChunk : takeNewest;
  const chunk = stretchTokens < 0 ? undefined : await take(units, room);
  if (chunk !== undefined) return { ...chunk, stretchTokens: chunk.built.tokens - empty.tokens };
  return `${info.id} takes ${roomTokens} tokens beside the answer, and ${empty.tokens} of them before the first message.`;
}

/** Shortens a previous summary that leaves no room for messages. Code carries its facts over in any case. */
function shortenPrevious({ request: { counter } }: SummaryTask, text: string, missingTokens: number): string {
  const capTokens = Math.max(LEAST_PREVIOUS_TOKENS, countText(text, counter) - missingTokens);
  return trimSummary(text, { capTokens, counter }).text;
}

interface Step {
  readonly folding: Folding;
  readonly chunk: PlannedChunk;
}

/** Returns undefined if there are more chunks. */
async function foldChunk(task: SummaryTask, { folding, chunk }: Step): Promise<SummaryOutcome | undefined> {
  const answer = await askModel(task, { model: folding.model, built: chunk.built, form: "transcript" });
  switch (answer.type) {
    case "overflow":
      return shrink(task, { folding, chunk }, answer.reason);
    case "failed":
      return giveUp(task, folding, answer);
    case "read":
      return chunk.rest.length === 0 ? end(task, { folding, chunk }, answer) : goOn(task, { folding, chunk }, answer);
    default:
      return answer satisfies never;
  }
}

function shrink(task: SummaryTask, { folding, chunk }: Step, reason: string): SummaryOutcome | undefined {
  if (simplify(folding)) return undefined;
  const half = Math.floor(chunk.stretchTokens / 2);
  if (folding.halvings === MOST_HALVINGS || half < LEAST_TOKENS) return failed(task, { kind: "unavailable", reason });
  folding.halvings += 1;
  folding.stretchTokens = half;
  return undefined;
}

/** Only the full handoff has a simpler form to fall back to. */
function simplify(folding: Folding): boolean {
  const isFull = folding.strategy === "handoff-full";
  if (isFull) folding.strategy = "handoff-simple";
  return isFull;
}

type Failed = Answer & { readonly type: "failed" };

function giveUp(task: SummaryTask, folding: Folding, { type: _, ...failure }: Failed): SummaryOutcome | undefined {
  if (failure.kind === "validation" && simplify(folding)) return undefined;
  return failed(task, failure);
}

type Read = Answer & { readonly type: "read" };

function keep(task: SummaryTask, { folding, chunk }: Step, { context }: Read): void {
  task.tally.addChunk(chunk.built.request.report);
  if (context !== undefined) folding.context = joinContexts(folding.context, context);
}

function end(task: SummaryTask, step: Step, read: Read): SummaryOutcome {
  keep(task, step, read);
  const { text, keyPoints, endedBy } = read;
  const { strategy, context } = step.folding;
  return {
    type: "summary",
    text,
    ...(keyPoints === undefined ? {} : { keyPoints }),
    ...(context === undefined ? {} : { facets: proposeFacets(context) }),
    endedBy,
    origin: task.tally.origin(strategy),
  };
}

/** An intermediate summary is accepted by the caller's rules, with twice the room. */
const ROOM_FACTOR = 2;

function goOn(task: SummaryTask, { folding, chunk }: Step, read: Read): SummaryOutcome | undefined {
  const { counter, capTokens } = task.request;
  const options = { counter, capTokens: capTokens * ROOM_FACTOR, onOversize: "reask-trim", asksBefore: 1 } as const;
  const accepted = acceptSummary({ text: read.text, endedBy: read.endedBy }, options);
  if (accepted.type !== "accepted") {
    const kind = accepted.rule === "refusal" ? "refused" : "validation";
    const reason = accepted.type === "rejected" ? accepted.reason : accepted.request;
    return giveUp(task, folding, { type: "failed", kind, reason, rawStart: excerptOf(read.text) });
  }
  keep(task, { folding, chunk }, read);
  folding.previousText = textSoFar(accepted.text, read.keyPoints);
  folding.units = chunk.rest;
  return undefined;
}
