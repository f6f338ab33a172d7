/** A place on the strip that has the pointer or the focus: a run of messages with one fate, or a summary. */

import { formatCount, formatNumber } from "../ui/format.ts";
import { FATE_LABELS } from "./fates.tsx";
import type { Band, SummarySheet } from "./layout-strip.ts";

export type Spot =
  | { readonly type: "run"; readonly run: Band; readonly seq: number; readonly top: number }
  | { readonly type: "sheet"; readonly sheet: SummarySheet; readonly top: number };

export function describeSpot(spot: Spot): { readonly title: string; readonly figures: string } {
  if (spot.type === "run") {
    const { fate, messages, tokens, shownTokens } = spot.run;
    const shown = shownTokens === tokens ? "all in the prompt" : `${formatNumber(shownTokens)} in the prompt`;
    return {
      title: `${formatCount(messages, "message")}, ${FATE_LABELS[fate].name}`,
      figures: `${formatCount(tokens, "token")}, ${shown}`,
    };
  }
  const { depth, coverage, tokensBefore, tokensAfter } = spot.sheet.summary;
  return {
    title: `Summary ${depth + 1} of ${formatCount(coverage.count, "message")}`,
    figures: `${formatNumber(tokensBefore)} → ${formatCount(tokensAfter, "token")}`,
  };
}
