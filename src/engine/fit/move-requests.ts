/** Moves the last requests right above the floor, where a list returned by `fit` has them, so that it folds as the history does. */
import { findViewFloorSeq, type Head } from "../../core/log/head.ts";
import type { ViewMessage } from "../../core/log/view.ts";
import type { Coverage } from "../../core/summary/record/record.ts";

export interface MovedRequests {
  readonly moveUp: (head: Head) => Head;
  readonly placeUp: (items: readonly ViewMessage[]) => readonly ViewMessage[];
  readonly moveBack: (head: Head) => Head;
  readonly placeBack: (items: readonly ViewMessage[]) => readonly ViewMessage[];
}

export function moveRequests({ keptRequests, ...head }: Head): MovedRequests {
  if (keptRequests.length === 0) return NOTHING_MOVED;
  const own = keptRequests.toSorted((left, right) => left - right);
  const floor = findViewFloorSeq({ ...head, keptRequests });
  const lowered = floor - own.length;
  const up = new Map(own.map((seq, index) => [seq, lowered + index + 1]));
  const back = new Map([...up].map(([seq, moved]) => [moved, seq]));
  return {
    moveUp: (given) => ({
      ...mapCoverage(given, (coverage) => ({
        ...coverage,
        lastSeq: Math.min(coverage.lastSeq, lowered),
        count: coverage.count - countWithin(own, coverage),
      })),
      keptRequests: [],
      prunes: given.prunes.map((prune) => ({ ...prune, seq: up.get(prune.seq) ?? prune.seq })),
    }),
    placeUp: (items) => placeAt(items, up),
    moveBack: (given) => {
      const newFloor = findViewFloorSeq(given);
      const left = own.filter((seq) => (up.get(seq) ?? 0) > newFloor);
      const kept = [...left, ...given.keptRequests.map((seq) => back.get(seq) ?? seq)];
      return {
        ...mapCoverage(given, (coverage) => {
          const reached = coverage.lastSeq === newFloor ? Math.max(newFloor, floor) : coverage.lastSeq;
          const whole = { ...coverage, lastSeq: reached };
          return { ...whole, count: coverage.count + countWithin(left, whole) };
        }),
        keptRequests: kept.toSorted((one, other) => one - other),
        prunes: given.prunes.map((prune) => ({ ...prune, seq: back.get(prune.seq) ?? prune.seq })),
      };
    },
    placeBack: (items) => placeAt(items, back),
  };
}

export const NOTHING_MOVED: MovedRequests = {
  moveUp: (head) => head,
  placeUp: (items) => items,
  moveBack: (head) => head,
  placeBack: (items) => items,
};

function countWithin(seqs: readonly number[], { firstSeq, lastSeq }: Coverage): number {
  return seqs.filter((seq) => seq >= firstSeq && seq <= lastSeq).length;
}

function mapCoverage(head: Head, map: <Covered extends Coverage>(coverage: Covered) => Covered): Head {
  const { summary, truncation } = head;
  return {
    ...head,
    summary: summary && { ...summary, coverage: map(summary.coverage) },
    truncation: truncation && { ...truncation, coverage: map(truncation.coverage) },
  };
}

function placeAt(items: readonly ViewMessage[], seqs: ReadonlyMap<number, number>): readonly ViewMessage[] {
  return items
    .map((item) => ({ ...item, seq: seqs.get(item.seq) ?? item.seq }))
    .sort((left, right) => left.seq - right.seq);
}
