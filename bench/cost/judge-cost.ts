/** Turns the totals of the replays into rows, and checks whether the default policy is cheap enough. */

import type { NeedCount } from "../../src/replay/judge-recall.ts";
import type { SummaryMode } from "../../src/replay/shared-summarizer.ts";
import type { BenchValue } from "../bench.ts";
import type { SimulatorCheck } from "./check-simulator.ts";
import type { Totals } from "./replay.ts";

/** One policy in one window with one provider's prices. */
export interface CostCell {
  readonly policy: string;
  readonly windowTokens: number;
  readonly model: string;
  readonly mode: SummaryMode;
  readonly totals: Totals;
}

export const OUR_NAME = "default";
/** The policy without a window, which is shown but not compared. */
export const UNLIMITED_NAME = "full history";
const MAX_COST_RATIO = 0.85;
const SIMULATOR_TOLERANCE = 0.1;

type Row = Readonly<Record<string, BenchValue>>;

export function rowOf({ policy, windowTokens, model, mode, totals }: CostCell): Row {
  return {
    windowTokens,
    model,
    summaries: mode,
    policy,
    usd: round(usdOf(totals), 3),
    inputUsd: round(totals.inputUsd, 3),
    summaryUsd: round(totals.summaryUsd, 3),
    hitRate: round(totals.readTokens / totals.inputTokens, 3),
    peakTokens: totals.peakTokens,
    recallAtCuts: shareOf(totals.atCuts),
    recallAtMarks: shareOf(totals.atMarks),
    compactions: totals.compactions,
  };
}

/** Compares ours with the cheapest policy that keeps to the window, for each window, price list and kind of summary. */
export function judgeCost(cells: readonly CostCell[]): readonly Row[] {
  return cells.filter(({ policy }) => policy === OUR_NAME).map((ours) => judgeCell(ours, findBest(ours, cells)));
}

function findBest(ours: CostCell, cells: readonly CostCell[]): CostCell | undefined {
  return cells
    .filter(({ policy }) => policy !== OUR_NAME && policy !== UNLIMITED_NAME)
    .filter(({ windowTokens, model, mode }) => isSame([windowTokens, model, mode], ours))
    .toSorted((left, right) => usdOf(left.totals) - usdOf(right.totals))[0];
}

function isSame([windowTokens, model, mode]: readonly [number, string, SummaryMode], ours: CostCell): boolean {
  return windowTokens === ours.windowTokens && model === ours.model && mode === ours.mode;
}

function judgeCell(ours: CostCell, best: CostCell | undefined): Row {
  const place = { windowTokens: ours.windowTokens, model: ours.model, summaries: ours.mode };
  if (best === undefined) return { ...place, verdict: "nothing to compare with" };
  const ratio = usdOf(ours.totals) / usdOf(best.totals);
  const recall = shareOf(ours.totals.atCuts) ?? 1;
  const bestRecall = shareOf(best.totals.atCuts) ?? 1;
  return {
    ...place,
    best: best.policy,
    ratio: round(ratio, 3),
    inputRatio: round(paidInput(ours.totals) / paidInput(best.totals), 3),
    recall,
    bestRecall,
    isCheapEnough: ratio <= MAX_COST_RATIO,
    isRecallEnough: recall >= bestRecall,
  };
}

export function figuresOf(judged: readonly Row[], check: SimulatorCheck): Row {
  const { simulatedRatio, recordedRatio } = check;
  const off = simulatedRatio / recordedRatio - 1;
  const lines = judged.map((row): readonly [string, string] => {
    const verdict = row.isCheapEnough === true && row.isRecallEnough === true ? "holds" : "does not hold";
    const figures = `${row.ratio} of ${row.best}, recall ${row.recall} compared with ${row.bestRecall}`;
    return [`default at ${row.windowTokens}, ${row.model}, ${row.summaries}`, `${figures}: ${verdict}`];
  });
  return {
    "simulated cost of uncached": round(simulatedRatio, 4),
    "recorded cost of uncached": round(recordedRatio, 4),
    [`simulator within ${SIMULATOR_TOLERANCE}`]: Math.abs(off) <= SIMULATOR_TOLERANCE,
    ...Object.fromEntries(lines),
    [`default at most ${MAX_COST_RATIO} of the best other at equal or better recall`]: judged.every(
      (row) => row.isCheapEnough === true && row.isRecallEnough === true,
    ),
  };
}

function usdOf({ inputUsd, outputUsd, summaryUsd }: Totals): number {
  return inputUsd + outputUsd + summaryUsd;
}

/** Returns the cost that a policy can influence: everything except the replies. */
function paidInput({ inputUsd, summaryUsd }: Totals): number {
  return inputUsd + summaryUsd;
}

/** Returns the share of the needed identifiers that were found, or null if none was needed. */
function shareOf({ needed, found }: NeedCount): number | null {
  return needed === 0 ? null : round(found / needed, 3);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
