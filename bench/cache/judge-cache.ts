/** Turns totals into rows, and checks whether prompts in tiers read as much from the cache as the best fixed order. */
import type { BenchValue } from "../bench.ts";
import { mustBe } from "../store/part.ts";
import type { RequiredFigure } from "../turn-cost/judge-turn-cost.ts";
import type { Totals } from "./totals.ts";

export const TIERED = "tiered";
const AGENT_LOOP = "agent loop";
const AGENT_SHARE = 0.95;
/**
 * The tolerance when shares are compared: without files, orders send the same words and differ only by the tokens of a
 * heading.
 */
const NOISE = 0.0005;

export interface CacheCell {
  readonly conversation: string;
  readonly model: string;
  readonly order: string;
  /** True if prompts in tiers are compared with this order. */
  readonly isFixed: boolean;
  readonly totals: Totals;
}

export function shareOf({ totals }: CacheCell): number {
  return totals.readTokens / totals.promptTokens;
}

export function rowOf(cell: CacheCell): Readonly<Record<string, BenchValue>> {
  const { conversation, model, order, totals } = cell;
  return {
    conversation,
    model,
    order,
    read: rounded(shareOf(cell)),
    readBetween: rounded(totals.betweenReadTokens / totals.betweenTokens),
    readOfSentBefore: rounded(totals.betweenReadTokens / totals.sentBeforeTokens),
    usd: rounded(totals.usd),
    tokensARequest: Math.round(totals.promptTokens / totals.requests),
    requests: totals.requests,
    compactions: totals.compactions,
  };
}

export function judgeCache(cells: readonly CacheCell[]): readonly RequiredFigure[] {
  const tiered = cells.filter(({ order }) => order === TIERED);
  return [
    ...tiered.flatMap((cell) => {
      const fixed = cells.filter((other) => other.isFixed && isSameTrack(other, cell));
      if (fixed.length === 0) return [];
      const best = fixed.reduce((most, other) => (shareOf(other) > shareOf(most) ? other : most));
      return [
        mustBe({
          text: `${cell.conversation}, ${cell.model}: share read, compared with the best fixed order (${best.order})`,
          value: shareOf(cell),
          unit: "",
          atLeast: shareOf(best) - NOISE,
        }),
      ];
    }),
    ...tiered
      .filter(({ conversation }) => conversation === AGENT_LOOP)
      .map(({ model, totals }) =>
        mustBe({
          text: `${AGENT_LOOP}, ${model}: share read between compactions`,
          value: totals.betweenReadTokens / totals.betweenTokens,
          unit: "",
          atLeast: AGENT_SHARE,
        }),
      ),
  ];
}

export function noteOf({ text, target, measured, holds }: RequiredFigure): string {
  return `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "does not hold"}`;
}

function isSameTrack(left: CacheCell, right: CacheCell): boolean {
  return left.conversation === right.conversation && left.model === right.model;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
