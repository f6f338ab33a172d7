/** Makes a strip of the log: buckets with the tokens that were appended and that are shown, by fate. Reads no texts. */
import type { View, ViewMessage } from "../../core/log/view.ts";
import { createPlan, type Fate } from "../../core/plan/plan.ts";
import { yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { Stretch, StretchWeight } from "../../ports/store.ts";
import type { SessionState } from "../state/session-state.ts";

/** The part of the log that a strip shows, and into how many buckets it is divided. */
export interface StripRange {
  readonly firstSeq?: number | undefined;
  readonly lastSeq?: number | undefined;
  readonly buckets: number;
}

export interface StripWeight extends StretchWeight {
  readonly shownTokens: number;
}

/** The tokens of one fate in a bucket. */
export interface StripFate extends StripWeight {
  readonly fate: Fate;
}

/** A stretch of the strip, with its tokens by fate. */
export interface StripBucket extends Stretch, StripWeight {
  readonly fates: readonly StripFate[];
}

/** The whole log to scale by tokens, with the fate of each message. */
export interface Strip extends Stretch, StripWeight {
  readonly epoch: number;
  readonly buckets: readonly StripBucket[];
}

interface Piece extends Stretch {
  readonly bucket: number;
  readonly fate: Fate;
  readonly shownTokens: number;
}

export async function makeStrip(state: SessionState, view: View, range: StripRange): Promise<Strip> {
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
  return { firstSeq, lastSeq, epoch: view.head.epoch, ...sumWeights(buckets), buckets };
}

interface BucketRange extends Stretch {
  readonly width: number;
  readonly shown: ReadonlyMap<number, ViewMessage>;
}

function cutPieces(
  runs: readonly (Stretch & { readonly fate: Fate; readonly tokens: number })[],
  { firstSeq, lastSeq, width, shown }: BucketRange,
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

function sumShown(shown: BucketRange["shown"], firstSeq: number, lastSeq: number): number {
  let tokens = 0;
  for (let seq = firstSeq; seq <= lastSeq; seq += 1) tokens += shown.get(seq)?.tokens ?? 0;
  return tokens;
}

/** Joins runs that differ only in their reasons. */
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

interface FillOptions extends Stretch {
  readonly weights: readonly StretchWeight[];
  readonly width: number;
}

function fillBuckets(
  pieces: readonly Piece[],
  { weights, firstSeq, lastSeq, width }: FillOptions,
): readonly StripBucket[] {
  const weighed = pieces.flatMap((piece, index) => {
    const weight = weights[index];
    return weight === undefined || weight.messages === 0 ? [] : [{ ...piece, ...weight }];
  });
  return [...Map.groupBy(weighed, ({ bucket }) => bucket)].map(([bucket, held]) => {
    const first = firstSeq + bucket * width;
    const fates = [...Map.groupBy(held, ({ fate }) => fate)].map(([fate, same]) => ({ fate, ...sumWeights(same) }));
    return { firstSeq: first, lastSeq: Math.min(lastSeq, first + width - 1), ...sumWeights(fates), fates };
  });
}

function sumWeights(parts: readonly StripWeight[]): StripWeight {
  let [messages, tokens, shownTokens] = [0, 0, 0];
  for (const part of parts) {
    messages += part.messages;
    tokens += part.tokens;
    shownTokens += part.shownTokens;
  }
  return { messages, tokens, shownTokens };
}
