/** Measures a fold before its summary is written, with an empty summary in place of the folded messages. */
import { EMPTY_FACETS, type SummaryRecord } from "../summary/record/record.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { createTruncation } from "./drop-oldest.ts";
import type { Change } from "./proposal.ts";
import { extendTentativeView, type TentativeView } from "./tentative-view.ts";

export interface FoldedView extends TentativeView {
  readonly record: SummaryRecord;
}

export function foldBefore(from: TentativeView, border: number, need: CompactionNeed): FoldedView {
  const known = KNOWN_FOLDS.get(from);
  if (known !== undefined && known.border === border && known.measure === need.measure) return known.left;
  const change = createEmptySummary(from, border, need);
  const left = { ...extendTentativeView(from, change, need), record: change.record };
  KNOWN_FOLDS.set(from, { border, measure: need.measure, left });
  return left;
}

interface KnownFold {
  readonly border: number;
  readonly measure: CompactionNeed["measure"];
  readonly left: FoldedView;
}

/** Caches the last border, because the chosen one is measured several times and a view can be very long. */
const KNOWN_FOLDS = new WeakMap<TentativeView, KnownFold>();

function createEmptySummary(from: TentativeView, border: number, need: CompactionNeed) {
  const { summary, truncation } = from.view.head;
  const dropped = createTruncation(from, { border, need, dropsSummary: true });
  const { coverage, coveredTokens, keptRequests, readThroughSeq, reason } = dropped;
  const omittedCount = (summary?.omitted?.count ?? 0) + (truncation?.coverage.count ?? 0);
  const omittedTokens = (summary?.omitted?.tokens ?? 0) + (truncation?.coveredTokens ?? 0);
  const record: SummaryRecord = {
    ...EMPTY_RECORD,
    depth: summary === undefined ? 0 : summary.depth + 1,
    coverage: { ...coverage, chainHash: "" },
    reason,
    tokensBefore: coveredTokens,
    omitted: omittedCount === 0 ? undefined : { count: omittedCount, tokens: omittedTokens },
  };
  return { type: "summary", record, keptRequests, readThroughSeq } as const satisfies Change;
}

const EMPTY_RECORD = {
  id: "empty",
  at: 0,
  messageIds: [],
  text: "",
  keyPoints: [],
  facets: EMPTY_FACETS,
  strategy: "counted",
  tokensAfter: 0,
} as const;
