/** What on the strip is pointed at, or reached by key: a stretch of one fate, or a summary. */

import { writeCount, writeWhole } from "../ui/format.ts";
import { FATE_WORDS } from "./fates.tsx";
import type { Band, Sheet } from "./layout-strip.ts";

export type Spot =
  | { readonly type: "run"; readonly run: Band; readonly seq: number; readonly top: number }
  | { readonly type: "sheet"; readonly sheet: Sheet; readonly top: number };

export function writeSpot(spot: Spot): { readonly title: string; readonly figures: string } {
  if (spot.type === "run") {
    const { fate, messages, tokens, shownTokens } = spot.run;
    const shown = shownTokens === tokens ? "all of them shown" : `${writeWhole(shownTokens)} shown`;
    return {
      title: `${writeCount(messages, "message")}, ${FATE_WORDS[fate].name}`,
      figures: `${writeCount(tokens, "token")} said, ${shown}`,
    };
  }
  const { depth, messages, tokensBefore, tokensAfter } = spot.sheet.summary;
  return {
    title: `Summary ${depth + 1}, over ${writeCount(messages, "message")}`,
    figures: `${writeCount(tokensBefore, "token")} in ${writeWhole(tokensAfter)}`,
  };
}
