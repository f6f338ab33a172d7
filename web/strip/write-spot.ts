/** A place of the strip in words. */
import { writeCount, writeWhole } from "../write-figures.ts";
import { FATE_WORDS } from "./fate-words.ts";
import type { Spot } from "./spot.ts";

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
