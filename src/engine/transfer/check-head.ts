/**
 * The head that a fork's file brings along, checked field by field: what a fork owes to its parent is in no entry, so
 * nothing else says what it should be. It names no place after the last that it has folded in.
 */

import { invalidMessage, requireObject } from "../../core/check-value.ts";
import type { Head } from "../../core/log/head.ts";
import { HIGHEST_FACTOR, LOWEST_FACTOR } from "../../core/tokens/calibration.ts";
import {
  areCounts,
  arePlaces,
  areSections,
  areTracked,
  isCoverage,
  isPinTarget,
  isPrune,
  isRecord,
} from "./check-entry.ts";
import {
  allOf,
  type Check,
  isAmount,
  isCount,
  isFlag,
  isName,
  isReach,
  isText,
  isTime,
  listOf,
  optional,
  shapeOf,
  wholeFrom,
} from "./check-shape.ts";

const isTruncation = shapeOf({
  id: isText,
  coverage: isCoverage,
  coveredTokens: isAmount,
  reason: isText,
  silent: optional(isFlag),
});

const view = {
  truncation: optional(isTruncation),
  clearedThroughSeq: isReach,
  clearedOnce: optional(shapeOf({ throughSeq: isReach, epoch: isCount })),
  preambleClearedThroughSeq: isReach,
  keptRequests: arePlaces,
  pins: listOf(shapeOf({ id: isName, target: isPinTarget })),
  prunes: listOf(allOf(isPrune, shapeOf({ entryId: isName }))),
};

const areSteps = listOf(
  shapeOf({
    entryId: isName,
    type: isText,
    batch: isName,
    before: shapeOf({ ...view, summaryId: optional(isText) }),
    isFinal: optional(isFlag),
  }),
);

const isHandedOut = shapeOf({
  promptId: isText,
  at: isTime,
  viewEpoch: isCount,
  counterId: isText,
  model: optional(isText),
  provider: isText,
  countedTokens: isAmount,
  factor: isAmount,
  exact: isFlag,
  sections: areSections,
});

const isFactor: Check = (value, { path }) => {
  const isKnown = typeof value === "number" && value >= LOWEST_FACTOR && value <= HIGHEST_FACTOR;
  if (!isKnown) throw invalidMessage(path, `a factor from ${LOWEST_FACTOR} to ${HIGHEST_FACTOR}`, value);
};

const isCacheFigures = shapeOf({
  promptId: isText,
  inputTokens: isAmount,
  cacheReadTokens: isAmount,
  cacheWriteTokens: isAmount,
});

const isSpent = shapeOf({
  models: listOf(
    shapeOf({
      model: optional(isText),
      answers: isCount,
      estimated: isCount,
      inputTokens: isAmount,
      outputTokens: isAmount,
      cacheReadTokens: isAmount,
      cacheWriteTokens: isAmount,
    }),
  ),
  summaries: isCount,
  summariesUsd: isAmount,
});

const isHead = shapeOf({
  ...view,
  epoch: isCount,
  foldedThroughSeq: isCount,
  summary: optional(isRecord),
  completedEpoch: wholeFrom(-1),
  preamble: arePlaces,
  preambleOpen: isFlag,
  messageCount: isCount,
  totals: areCounts,
  undoable: areSteps,
  redoable: areSteps,
  holdThroughCount: isCount,
  requests: listOf(isHandedOut),
  requestCount: isCount,
  grownTokens: isAmount,
  compactedThroughSeq: isReach,
  compactedEpoch: isCount,
  armed: isFlag,
  tiers: optional(areTracked),
  cacheUse: optional(listOf(shapeOf({ viewEpoch: isCount, first: isCacheFigures, last: isCacheFigures }))),
  spent: optional(isSpent),
  calibration: optional(shapeOf({ factor: isFactor, learned: isFactor, samples: isCount, model: optional(isText) })),
});

export function decodeHead(value: unknown): Head {
  const { foldedThroughSeq } = requireObject(value, "head");
  isHead(value, { path: "head", lastSeq: Number(foldedThroughSeq) });
  return value as Head;
}
