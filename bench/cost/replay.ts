/** Sends one recorded session as a policy would, and adds up the cost with each price list. */

import type { NeedCount, RecallJudge } from "../../src/replay/judge-recall.ts";
import type { PolicyRun } from "../../src/replay/policy-run.ts";
import { costOfInput, costOfOutput, costOfSummary, type PriceTag } from "../../src/replay/prices.ts";
import type { BlockBook } from "../../src/replay/prompt-blocks.ts";
import { type CacheOutcome, PromptCache } from "../../src/replay/prompt-cache.ts";
import type { ReplaySession } from "./read-sessions.ts";

export interface Totals {
  inputUsd: number;
  summaryUsd: number;
  outputUsd: number;
  inputTokens: number;
  readTokens: number;
  peakTokens: number;
  requests: number;
  compactions: number;
  summaryCalls: number;
  /** Recall at the policy's own compactions. */
  atCuts: NeedCount;
  /** Recall at the same requests for every policy. */
  atMarks: NeedCount;
}

export interface ReplayOptions {
  readonly run: PolicyRun;
  readonly prices: readonly PriceTag[];
  readonly book: BlockBook;
  readonly judge: RecallJudge;
}

/** Recall is measured every ten requests, whatever the policy did. */
const MARK_EVERY = 10;

/** Returns the totals for each price list. */
export async function replay(session: ReplaySession, options: ReplayOptions): Promise<readonly Totals[]> {
  const { run, prices, book, judge } = options;
  const lanes = prices.map((price) => ({ price, cache: new PromptCache(price.cache), totals: emptyTotals() }));
  let reported: CacheOutcome | undefined;
  for (const [position, { index, timeMs }] of session.requests.entries()) {
    const { blocks, isCut, summaries } = await run.send({
      history: session.messages.slice(0, index),
      timeMs,
      reported,
    });
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
    const isMark = position % MARK_EVERY === MARK_EVERY - 1;
    const recall = isCut || isMark ? judge.judgeNames(blocks, index) : NO_RECALL;
    for (const { price, cache, totals } of lanes) {
      const outcome = cache.send(blocks, timeMs);
      if (price === prices[0]) reported = outcome;
      totals.inputUsd += costOfInput(outcome, price);
      totals.summaryUsd += costOfSummary(summaries, price);
      totals.outputUsd += costOfOutput(book.tokensOf(session.messages.slice(index, index + 1)), price);
      totals.inputTokens += tokens;
      totals.readTokens += outcome.readTokens;
      totals.peakTokens = Math.max(totals.peakTokens, tokens);
      totals.requests += 1;
      totals.compactions += isCut ? 1 : 0;
      totals.summaryCalls += summaries.length;
      if (isCut) totals.atCuts = addRecall(totals.atCuts, recall);
      if (isMark) totals.atMarks = addRecall(totals.atMarks, recall);
    }
  }
  await run.close?.();
  return lanes.map(({ totals }) => totals);
}

export function addTotals(left: Totals, right: Totals): Totals {
  return {
    inputUsd: left.inputUsd + right.inputUsd,
    summaryUsd: left.summaryUsd + right.summaryUsd,
    outputUsd: left.outputUsd + right.outputUsd,
    inputTokens: left.inputTokens + right.inputTokens,
    readTokens: left.readTokens + right.readTokens,
    peakTokens: Math.max(left.peakTokens, right.peakTokens),
    requests: left.requests + right.requests,
    compactions: left.compactions + right.compactions,
    summaryCalls: left.summaryCalls + right.summaryCalls,
    atCuts: addRecall(left.atCuts, right.atCuts),
    atMarks: addRecall(left.atMarks, right.atMarks),
  };
}

const NO_RECALL: NeedCount = { needed: 0, found: 0 };

export function emptyTotals(): Totals {
  return {
    inputUsd: 0,
    summaryUsd: 0,
    outputUsd: 0,
    inputTokens: 0,
    readTokens: 0,
    peakTokens: 0,
    requests: 0,
    compactions: 0,
    summaryCalls: 0,
    atCuts: NO_RECALL,
    atMarks: NO_RECALL,
  };
}

function addRecall(left: NeedCount, right: NeedCount): NeedCount {
  return { needed: left.needed + right.needed, found: left.found + right.found };
}
