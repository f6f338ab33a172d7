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
  wholeNumberFrom,
} from "../../core/check-options.ts";
import { invalidMessage, requireObject } from "../../core/check-value.ts";
import type { CacheFigures, EpochCacheUse } from "../../core/log/cache-use.ts";
import type {
  DismissedMessage,
  HandedOutPrompt,
  Head,
  LivePin,
  OneTimeClear,
  Truncation,
  UndoableState,
  UndoStep,
} from "../../core/log/head.ts";
import type { ModelSpending, Spending } from "../../core/log/spent.ts";
import { HIGHEST_FACTOR, LOWEST_FACTOR } from "../../core/tokens/calibration.ts";
import {
  areCounts,
  areSections,
  areSeqs,
  areTracked,
  isAmount,
  isCount,
  isCoverage,
  isPinTarget,
  isPrune,
  isRecord,
  isSeq,
  isSeqOrZero,
  isTime,
  repeatRule,
} from "./check-entry.ts";

const isTruncation = shapeOf<Truncation>({
  ...repeatRule(TEXT, "id reason"),
  coverage: isCoverage,
  coveredTokens: isAmount,
  silent: optional(FLAG),
});

const view = {
  truncation: optional(isTruncation),
  clearedThroughSeq: isSeqOrZero,
  clearedOnce: optional(shapeOf<OneTimeClear>({ throughSeq: isSeqOrZero, epoch: isCount })),
  preambleClearedThroughSeq: isSeqOrZero,
  keptRequests: areSeqs,
  pins: listOf(shapeOf<LivePin>({ id: ID, target: isPinTarget })),
  prunes: listOf(allOf(isPrune, shapeOf({ entryId: ID }))),
  dismissed: optional(listOf(shapeOf<DismissedMessage>({ messageId: TEXT, messageSeq: isSeq }))),
};

const areSteps = listOf(
  shapeOf<UndoStep>({
    entryId: ID,
    type: TEXT,
    batch: ID,
    before: shapeOf<UndoableState>({ ...view, summaryId: optional(TEXT) }),
    isFinal: optional(FLAG),
  }),
);

const isHandedOut = shapeOf<HandedOutPrompt>({
  ...repeatRule(TEXT, "promptId counterId provider"),
  ...repeatRule(isAmount, "countedTokens factor"),
  recalledTokens: optional(isAmount),
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

const isCacheFigures = shapeOf<CacheFigures>({
  promptId: TEXT,
  ...repeatRule(isAmount, "inputTokens cacheReadTokens cacheWriteTokens"),
});

const isModelSpending = shapeOf<ModelSpending>({
  model: optional(TEXT),
  ...repeatRule(isCount, "answers estimated"),
  ...repeatRule(isAmount, "inputTokens outputTokens cacheReadTokens cacheWriteTokens"),
});

const isSpent = shapeOf<Spending>({ models: listOf(isModelSpending), summaries: isCount, summariesUsd: isAmount });

/** A file names the fork in its header, and the import sets `importedFork` from there. */
const isHead = shapeOf<Omit<Head, "importedFork">>({
  ...view,
  ...repeatRule(isCount, "epoch foldedThroughSeq messageCount holdThroughCount requestCount compactedEpoch"),
  ...repeatRule(areSteps, "undoable redoable"),
  ...repeatRule(FLAG, "preambleOpen armed"),
  summary: optional(isRecord),
  completedEpoch: wholeNumberFrom(-1),
  preamble: areSeqs,
  totals: areCounts,
  requests: listOf(isHandedOut),
  grownTokens: isAmount,
  compactedThroughSeq: isSeqOrZero,
  tiers: optional(areTracked),
  cacheUse: optional(
    listOf(shapeOf<EpochCacheUse>({ viewEpoch: isCount, first: isCacheFigures, last: isCacheFigures })),
  ),
  spent: optional(isSpent),
  calibration: optional(shapeOf({ factor: isFactor, learned: isFactor, samples: isCount, model: optional(TEXT) })),
});

export function decodeHead(value: unknown): Head {
  const { foldedThroughSeq } = requireObject(value, "head");
  checkValue(value, isHead, { path: "head", code: "message-invalid", lastSeq: Number(foldedThroughSeq) });
  return value as Head;
}
