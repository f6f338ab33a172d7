/** Reasons of the log in words for the user. Most of them are shown as they are. */
import { formatPercent } from "./format.ts";

const REQUESTED: Readonly<Record<string, string>> = {
  "asked for": "requested manually",
  "asked for anew": "requested manually",
};

const RATIO = /^(\d+) tokens of a (?:budget|window) of (\d+) is a ratio of .*$/;

export function describeReason(reason: string): string {
  const [, tokens, limit] = RATIO.exec(reason) ?? [];
  if (tokens !== undefined) return describeRatio(Number(tokens) / Math.max(1, Number(limit)));
  return REQUESTED[reason] ?? reason;
}

function describeRatio(ratio: number): string {
  return ratio > 1
    ? `was ${formatPercent(ratio - 1)} over the budget`
    : `${formatPercent(ratio)} of the budget was used`;
}

/** As a sentence; empty without a reason. */
export function describeReasonAsSentence(reason: string): string {
  const text = describeReason(reason).replace(/\.$/, "");
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
