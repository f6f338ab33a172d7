/** Sums the replays of many sessions by policy, and compares the simulator with what was recorded. */
import type { NeedCount } from "./judge-recall.ts";
import { addResults, EMPTY_RESULT, type PolicyResult, totalUsd } from "./play-session.ts";
import { AS_RECORDED, FULL_HISTORY, type RecordedCost, type SessionReplay } from "./replay-session.ts";

export interface ReplaySum {
  readonly sessions: number;
  readonly requests: number;
  readonly policies: Readonly<Record<string, PolicyResult>>;
  readonly recorded: RecordedSum | undefined;
}

/** Sums over the sessions with recorded usage for at least one request. */
export interface RecordedSum extends RecordedCost {
  readonly sessions: number;
  /** How far the simulated input is from the recorded one: 0.05 is 5 % too much. */
  readonly error: number;
}

export function sumReplays(replays: readonly SessionReplay[]): ReplaySum {
  const policies: Record<string, PolicyResult> = {};
  for (const replay of replays) {
    for (const [name, result] of Object.entries(replay.policies)) {
      policies[name] = addResults(policies[name] ?? EMPTY_RESULT, result);
    }
  }
  return {
    sessions: replays.length,
    requests: replays.reduce((sum, { requests }) => sum + requests, 0),
    policies,
    recorded: sumRecorded(replays.flatMap(({ recorded }) => recorded ?? [])),
  };
}

export function errorOf({ simulatedUsd, inputUsd }: Pick<RecordedCost, "simulatedUsd" | "inputUsd">): number {
  return inputUsd === 0 ? 0 : simulatedUsd / inputUsd - 1;
}

function sumRecorded(costs: readonly RecordedCost[]): RecordedSum | undefined {
  if (costs.length === 0) return undefined;
  const add = (read: (cost: RecordedCost) => number | undefined) =>
    costs.reduce((sum, each) => sum + (read(each) ?? 0), 0);
  const stated = costs.every(({ statedUsd }) => statedUsd !== undefined)
    ? add(({ statedUsd }) => statedUsd)
    : undefined;
  const sums = {
    requests: add(({ requests }) => requests),
    inputUsd: add(({ inputUsd }) => inputUsd),
    outputUsd: add(({ outputUsd }) => outputUsd),
    simulatedUsd: add(({ simulatedUsd }) => simulatedUsd),
    statedUsd: stated,
    inputTokens: add(({ inputTokens }) => inputTokens),
    readTokens: add(({ readTokens }) => readTokens),
    writeTokens: add(({ writeTokens }) => writeTokens),
  };
  return { ...sums, sessions: costs.length, error: errorOf(sums) };
}

/** Returns undefined if nothing was needed. */
export function shareOf({ needed, found }: NeedCount): number | undefined {
  return needed === 0 ? undefined : found / needed;
}

export interface Advice {
  readonly reference: string;
  readonly cheapest: string;
  readonly usd: number;
  readonly referenceUsd: number;
}

/** Differences below this are noise. */
const TOLERANCE = 0.005;

/**
 * Returns the cheapest policy that keeps as much of what later requests needed as the reference does; undefined if
 * nothing was needed.
 */
export function advise({ policies }: ReplaySum, reference: string): Advice | undefined {
  const own = policies[reference];
  if (own === undefined || !isMeasured(own)) return undefined;
  const candidates = Object.entries(policies).filter(([name]) => name !== FULL_HISTORY && name !== AS_RECORDED);
  const [cheapest] = candidates
    .filter(([, result]) => isNoWorse(result, own) && result.overBudget === 0 && result.complaints <= own.complaints)
    .toSorted(([, left], [, right]) => totalUsd(left) - totalUsd(right));
  if (cheapest === undefined) return undefined;
  return { reference, cheapest: cheapest[0], usd: totalUsd(cheapest[1]), referenceUsd: totalUsd(own) };
}

/** Without later needs, every policy would seem to forget nothing. */
function isMeasured({ atMarks: { names, commands, words } }: PolicyResult): boolean {
  return names.needed + commands.needed + words.needed > 0;
}

function isNoWorse(result: PolicyResult, reference: PolicyResult): boolean {
  return (["names", "commands", "words"] as const).every((kind) => {
    const [share, wanted] = [shareOf(result.atMarks[kind]), shareOf(reference.atMarks[kind])];
    return (share ?? 1) >= (wanted ?? 1) - TOLERANCE;
  });
}
