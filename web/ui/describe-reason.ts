/** Formats reasons of the log for the user. Most of them are shown unchanged. */
import { formatPercent } from "./format.ts";

const RATIO = /^(\d+) tokens of a (budget|window) of (\d+) is a ratio of .*$/;

export function describeReason(reason: string): string {
  const [, tokens, base, limit] = RATIO.exec(reason) ?? [];
  if (base === undefined) return reason;
  const ratio = Number(tokens) / Math.max(1, Number(limit));
  return ratio > 1
    ? `was ${formatPercent(ratio - 1)} over the ${base}`
    : `${formatPercent(ratio)} of the ${base} was used`;
}

/** Returns the reason as a sentence, or an empty string without a reason. */
export function describeReasonAsSentence(reason: string): string {
  const text = describeReason(reason).replace(/\.$/, "");
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
