/**
 * How large a summary may be in a prompt of a given size. A small window needs a larger share of it to say anything at
 * all, so that beyond a first stretch only half of the share counts. A share of 1 is no limit of ours.
 */
export interface SummaryLimits {
  readonly maxTokens: number;
  readonly ratio: number;
}

/** Up to here the whole share counts. */
const FIRST_TOKENS = 12_000;

export function summaryCap({ maxTokens, ratio }: SummaryLimits, limitTokens: number): number {
  const beyond = ratio < 1 ? ratio / 2 : ratio;
  const share = Math.min(limitTokens, FIRST_TOKENS) * ratio + Math.max(0, limitTokens - FIRST_TOKENS) * beyond;
  return Math.min(maxTokens, Math.floor(share));
}
