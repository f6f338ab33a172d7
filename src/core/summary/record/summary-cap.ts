/**
 * How large a summary may be in a prompt of a given size. Beyond a first stretch only half of the share counts. A small
 * prompt needs a larger share of it, because a summary that cannot name what the work is about is no use: there it may
 * take a number of tokens in any case, up to most of the prompt. A share of 1 is no limit of ours.
 */
export interface SummaryLimits {
  readonly maxTokens: number;
  readonly ratio: number;
  readonly smallTokens: number;
}

/** Up to here the whole share counts. */
const FIRST_TOKENS = 12_000;
/** The most of a small prompt. */
const SMALL_SHARE = 0.75;

export function summaryCap({ maxTokens, ratio, smallTokens }: SummaryLimits, limitTokens: number): number {
  const beyond = ratio < 1 ? ratio / 2 : ratio;
  const share = Math.min(limitTokens, FIRST_TOKENS) * ratio + Math.max(0, limitTokens - FIRST_TOKENS) * beyond;
  const least = Math.min(smallTokens, limitTokens * SMALL_SHARE);
  return Math.min(maxTokens, Math.floor(Math.max(share, least)));
}
