/** Checks the head of a fork from a file, because no entry of the fork contains what it inherits. */
import {
  allOf,
  checkedBy,
  checkValue,
  FLAG,
  ID,
  listOf,
  optional,
  shapeOf,
  TEXT,
  wholeFrom,
} from "../../core/check-options.ts";
import { invalidMessage, requireObject } from "../../core/check-value.ts";
import type { Head } from "../../core/log/head.ts";
import { HIGHEST_FACTOR, LOWEST_FACTOR } from "../../core/tokens/calibration.ts";
import {
  areCounts,
  arePlaces,
  areSections,
  areTracked,
  isAmount,
  isCount,
  isCoverage,
  isPinTarget,
  isPrune,
  isReach,
  isRecord,
  isTime,
} from "./check-entry.ts";

const isTruncation = shapeOf({
  id: TEXT,
  coverage: isCoverage,
  coveredTokens: isAmount,
  reason: TEXT,
  silent: optional(FLAG),
});

const view = {
  truncation: optional(isTruncation),
  clearedThroughSeq: isReach,
  clearedOnce: optional(shapeOf({ throughSeq: isReach, epoch: isCount })),
  preambleClearedThroughSeq: isReach,
  keptRequests: arePlaces,
  pins: listOf(shapeOf({ id: ID, target: isPinTarget })),
  prunes: listOf(allOf(isPrune, shapeOf({ entryId: ID }))),
};

const areSteps = listOf(
  shapeOf({
    entryId: ID,
    type: TEXT,
    batch: ID,
    before: shapeOf({ ...view, summaryId: optional(TEXT) }),
    isFinal: optional(FLAG),
  }),
);

const isHandedOut = shapeOf({
  promptId: TEXT,
  at: isTime,
  viewEpoch: isCount,
  counterId: TEXT,
  model: optional(TEXT),
  provider: TEXT,
  countedTokens: isAmount,
  factor: isAmount,
  exact: FLAG,
  sections: areSections,
});

const isFactor = checkedBy((value, { path }) => {
  const isKnown = typeof value === "number" && value >= LOWEST_FACTOR && value <= HIGHEST_FACTOR;
  if (!isKnown) throw invalidMessage(path, `a factor from ${LOWEST_FACTOR} to ${HIGHEST_FACTOR}`, value);
});

const isCacheFigures = shapeOf({
  promptId: TEXT,
  inputTokens: isAmount,
  cacheReadTokens: isAmount,
  cacheWriteTokens: isAmount,
});

const isSpent = shapeOf({
  models: listOf(
    shapeOf({
      model: optional(TEXT),
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
  preambleOpen: FLAG,
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
  armed: FLAG,
  tiers: optional(areTracked),
  cacheUse: optional(listOf(shapeOf({ viewEpoch: isCount, first: isCacheFigures, last: isCacheFigures }))),
  spent: optional(isSpent),
  calibration: optional(shapeOf({ factor: isFactor, learned: isFactor, samples: isCount, model: optional(TEXT) })),
});

export function decodeHead(value: unknown): Head {
  const { foldedThroughSeq } = requireObject(value, "head");
  checkValue(value, isHead, { path: "head", code: "message-invalid", lastSeq: Number(foldedThroughSeq) });
  return value as Head;
}
