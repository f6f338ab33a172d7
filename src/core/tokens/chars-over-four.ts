/** The rough rule that a token is about four characters. Also what any counter falls back to when it fails. */
import { FALLBACK_CHARACTERS_A_TOKEN } from "./count-text.ts";
import type { Counter } from "./counter.ts";

export const charsOverFour: Counter = {
  id: "chars4@1",
  exact: false,
  messageOverheadTokens: 4,
  countWindow: (text) => tokensOf(text.length),
  startTally() {
    let characters = 0;
    return {
      add(piece) {
        characters += piece.length;
      },
      tokens: () => tokensOf(characters),
    };
  },
};

function tokensOf(characters: number): number {
  return Math.ceil(characters / FALLBACK_CHARACTERS_A_TOKEN);
}
