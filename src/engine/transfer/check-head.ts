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
  repeatRule,
} from "./check-entry.ts";

const isTruncation = shapeOf({
  ...repeatRule(TEXT, "id reason"),
  coverage: isCoverage,
  coveredTokens: isAmount,
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
  ...repeatRule(TEXT, "promptId counterId provider"),
  ...repeatRule(isAmount, "countedTokens factor"),
  at: isTime,
  viewEpoch: isCount,
  model: optional(TEXT),
  exact: FLAG,
  sections: areSections,
});

const isFactor = checkedBy((value, { path }) => {
  const isKnown = typeof value === "number" && value >= LOWEST_FACTOR && value <= HIGHEST_FACTOR;
  if (!isKnown) throw invalidMessage(path, `a factor from ${LOWEST_FACTOR} to ${HIGHEST_FACTOR}`, value);
});

const isCacheFigures = shapeOf({
  promptId: TEXT,
  ...repeatRule(isAmount, "inputTokens cacheReadTokens cacheWriteTokens"),
});

const isModelSpending = shapeOf({
  model: optional(TEXT),
  ...repeatRule(isCount, "answers estimated"),
  ...repeatRule(isAmount, "inputTokens outputTokens cacheReadTokens cacheWriteTokens"),
});

const isSpent = shapeOf({ models: listOf(isModelSpending), summaries: isCount, summariesUsd: isAmount });

const isHead = shapeOf({
  ...view,
  ...repeatRule(isCount, "epoch foldedThroughSeq messageCount holdThroughCount requestCount compactedEpoch"),
  ...repeatRule(areSteps, "undoable redoable"),
  ...repeatRule(FLAG, "preambleOpen armed"),
  summary: optional(isRecord),
  completedEpoch: wholeFrom(-1),
  preamble: arePlaces,
  totals: areCounts,
  requests: listOf(isHandedOut),
  grownTokens: isAmount,
  compactedThroughSeq: isReach,
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
