/**
 * The log as a strip: buckets of places, each with what was said in it and what of that is shown, by fate. Few or many
 * messages cost the same to draw: a range asked for by itself is finer. What was said is not read.
 */
import type { View, ViewMessage } from "../../core/log/view.ts";
import { createPlan, type Fate } from "../../core/plan/plan.ts";
import type { Stretch, StretchWeight } from "../../ports/store.ts";
import { yieldToEventLoop } from "../context/run-in-steps.ts";
import type { SessionState } from "../state/session-state.ts";

export interface StripRange {
  /** From the first message on without it. */
  readonly firstSeq?: number | undefined;
  /** To the newest without it. */
  readonly lastSeq?: number | undefined;
  /** At most so many. */
  readonly buckets: number;
}

export interface StripWeight {
  readonly messages: number;
  /** As they were said. */
  readonly tokens: number;
  /** As the next prompt shows them. */
  readonly shownTokens: number;
}

export interface StripFate extends StripWeight {
  readonly fate: Fate;
}

export interface StripBucket extends Stretch, StripWeight {
  /** Every fate that a message of the bucket has, in the order of the log. */
  readonly fates: readonly StripFate[];
}

export interface Strip extends Stretch, StripWeight {
  readonly epoch: number;
  /** In order; those without a message are left out. */
  readonly buckets: readonly StripBucket[];
}

/** Neighbours of one fate inside one bucket. */
interface Piece extends Stretch {
  readonly bucket: number;
  readonly fate: Fate;
  readonly shownTokens: number;
}

interface SeenRange extends StripRange {
  /** What is shown. */
  readonly view: View;
}

export async function makeStrip(state: SessionState, { view, ...range }: SeenRange): Promise<Strip> {
  const firstSeq = Math.max(1, range.firstSeq ?? 1);
  const newest = view.head.foldedThroughSeq;
  const lastSeq = Math.max(firstSeq - 1, Math.min(range.lastSeq ?? newest, newest));
  const width = Math.max(1, Math.ceil((lastSeq - firstSeq + 1) / range.buckets));
  await yieldToEventLoop();
  const shown = new Map([...view.kept, ...view.messages].map((message) => [message.seq, message]));
  await yieldToEventLoop();
  const { runs } = createPlan(view);
  await yieldToEventLoop();
  const cut = cutPieces(runs, { firstSeq, lastSeq, width, shown });
  const pieces = cut.toSorted((left, right) => left.firstSeq - right.firstSeq);
  const weights = await state.context.store.weighMessages(state.id, pieces);
  const buckets = fillBuckets(pieces, { weights, firstSeq, lastSeq, width });
  return { firstSeq, lastSeq, epoch: view.head.epoch, ...sumOf(buckets), buckets };
}

interface Cut extends Stretch {
  /** Places in a bucket. */
  readonly width: number;
  /** What stands in the view, by place. */
  readonly shown: ReadonlyMap<number, ViewMessage>;
}

function cutPieces(
  runs: readonly (Stretch & { readonly fate: Fate; readonly tokens: number })[],
  { firstSeq, lastSeq, width, shown }: Cut,
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const run of runs) {
    const last = Math.min(run.lastSeq, lastSeq);
    for (let seq = Math.max(run.firstSeq, firstSeq); seq <= last; ) {
      const bucket = Math.floor((seq - firstSeq) / width);
      const end = Math.min(last, firstSeq + (bucket + 1) * width - 1);
      const shownTokens = run.tokens === 0 ? 0 : sumShown(shown, seq, end);
      pieces.push({ firstSeq: seq, lastSeq: end, bucket, fate: run.fate, shownTokens });
      seq = end + 1;
    }
  }
  return joinPieces(pieces);
}

function sumShown(shown: Cut["shown"], firstSeq: number, lastSeq: number): number {
  let tokens = 0;
  for (let seq = firstSeq; seq <= lastSeq; seq += 1) tokens += shown.get(seq)?.tokens ?? 0;
  return tokens;
}

/** Runs that differ by their reasons alone are one here. */
function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.bucket !== piece.bucket || last.fate !== piece.fate) joined.push(piece);
    else
      joined[joined.length - 1] = {
        ...piece,
        firstSeq: last.firstSeq,
        shownTokens: last.shownTokens + piece.shownTokens,
      };
  }
  return joined;
}

interface Filling extends Stretch {
  readonly weights: readonly StretchWeight[];
  readonly width: number;
}

function fillBuckets(pieces: readonly Piece[], { weights, firstSeq, lastSeq, width }: Filling): readonly StripBucket[] {
  const weighed = pieces.flatMap((piece, index) => {
    const weight = weights[index];
    return weight === undefined || weight.messages === 0 ? [] : [{ ...piece, ...weight }];
  });
  return [...Map.groupBy(weighed, ({ bucket }) => bucket)].map(([bucket, held]) => {
    const first = firstSeq + bucket * width;
    const fates = [...Map.groupBy(held, ({ fate }) => fate)].map(([fate, same]) => ({ fate, ...sumOf(same) }));
    return { firstSeq: first, lastSeq: Math.min(lastSeq, first + width - 1), ...sumOf(fates), fates };
  });
}

function sumOf(parts: readonly StripWeight[]): StripWeight {
  let [messages, tokens, shownTokens] = [0, 0, 0];
  for (const part of parts) {
    messages += part.messages;
    tokens += part.tokens;
    shownTokens += part.shownTokens;
  }
  return { messages, tokens, shownTokens };
}
