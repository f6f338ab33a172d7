/**
 * How small a compaction is to make a prompt: the share of the policy, and in a small prompt no less than its summary
 * and its tail take together, because giving up either for room that the next message fills says less to nobody's gain.
 */
import { summaryCap } from "../summary/summary-cap.ts";
import type { PlanSettings } from "./plan-settings.ts";

/** The tail of a small prompt is at least so much of it. */
const TAIL_SHARE = 0.2;

export function targetTokensOf(
  { targetRatio, summary }: Pick<PlanSettings, "targetRatio" | "summary">,
  limitTokens: number,
): number {
  const asked = Math.floor(limitTokens * targetRatio);
  if (summary.smallTokens === 0) return asked;
  const least = summaryCap(summary, limitTokens) + Math.floor(limitTokens * TAIL_SHARE);
  return Math.max(asked, Math.min(least, limitTokens));
}
