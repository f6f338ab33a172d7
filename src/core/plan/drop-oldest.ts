/**
 * The truncating steps: the fewest of the oldest rounds go that reach the target. Where none does, half of what could
 * be saved is, so that the next turns have room too: a past that changes every turn is dearer than any history. The tail that the policy wishes for is given up only when nothing before it is enough, and the last
 * two requests and the newest round are never given up.
 */
import { viewFloorSeq } from "../log/head.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findLastRequests, findLeastTail, findTail, roundBorders, type TailMeasures } from "./find-tail.ts";
import type { Change } from "./proposal.ts";
import { extendTentative, type Tentative } from "./tentative.ts";

export function dropOldest(from: Tentative, need: CompactionNeed): Tentative {
  const { messages } = from.view;
  const last = findLeastTail(messages);
  const borders = roundBorders(messages).filter((border) => border > 0 && border <= last);
  if (borders.length === 0) return from;
  const drop = remember((index) => extendTentative(from, truncation(from, borders[index] ?? last, need), need));
  const least = drop(borders.length - 1).tokens;
  const goalTokens = Math.max(need.targetTokens, Math.floor((least + need.limitTokens) / 2));
  const found = findFewest(from, {
    borders,
    drop,
    goalTokens: least <= need.targetTokens ? need.targetTokens : goalTokens,
  });
  return found.tokens < from.tokens ? found : from;
}

/** Where the tail begins that the policy wishes for. */
export function findWishedTail({ view }: Tentative, need: CompactionNeed, other: TailMeasures = {}): number {
  const tail = { ...need.settings.tail, ...other };
  const tokens = Math.max(tail.tokens ?? 0, Math.floor(need.limitTokens * (tail.ratio ?? 0)));
  return findTail(view.messages, { ...tail, tokens });
}

interface Search {
  readonly borders: readonly number[];
  readonly drop: (index: number) => Tentative;
  readonly goalTokens: number;
}

/** Bisects, but looks first where the tokens that are shown say that the answer should be. */
function findFewest(from: Tentative, { borders, drop, goalTokens }: Search): Tentative {
  let [low, high] = [0, borders.length - 1];
  const look = (index: number) => {
    if (index < low || index >= high) return;
    if (drop(index).tokens <= goalTokens) high = index;
    else low = index + 1;
  };
  const guess = guessBorder(from, borders, goalTokens);
  for (const index of [guess, guess - 1, guess + 1]) look(index);
  while (low < high) look(Math.floor((low + high) / 2));
  return drop(low);
}

function guessBorder({ view, tokens }: Tentative, borders: readonly number[], goalTokens: number): number {
  let left = tokens;
  let index = 0;
  const guess = borders.findIndex((border) => {
    for (; index < border; index += 1) left -= view.messages[index]?.tokens ?? 0;
    return left <= goalTokens;
  });
  return guess < 0 ? borders.length - 1 : guess;
}

function truncation({ view }: Tentative, border: number, need: CompactionNeed): Change {
  const { head, messages, kept } = view;
  const dropped = messages.slice(0, border);
  const coverage = {
    firstSeq: head.truncation?.coverage.firstSeq ?? dropped[0]?.seq ?? viewFloorSeq(head) + 1,
    lastSeq: dropped.at(-1)?.seq ?? viewFloorSeq(head),
    count: (head.truncation?.coverage.count ?? 0) + dropped.length,
  };
  const tokens = dropped.reduce((sum, item) => sum + need.count(item.message), 0);
  const coveredTokens = (head.truncation?.coveredTokens ?? 0) + tokens;
  const keptRequests = findLastRequests([...kept, ...messages])
    .map(({ seq }) => seq)
    .filter((seq) => seq <= coverage.lastSeq);
  return { type: "truncate", coverage, coveredTokens, keptRequests, reason: need.reason };
}

function remember<Value>(make: (index: number) => Value): (index: number) => Value {
  const made = new Map<number, Value>();
  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const value = make(index);
    made.set(index, value);
    return value;
  };
}
