import { type FitState, fit } from "../../src/index.ts";
import { ourVersion } from "../turn-cost/our-version.ts";
import type { FitContestant } from "./contestant.ts";

export const contestant: FitContestant = {
  name: "Palimpsest fit, with state",
  version: ourVersion(),
  keeps: "the same; each summary is folded into the next",
  format: "palimpsest",
  async start({ budgetTokens }) {
    let state: FitState | undefined;
    return async (history) => {
      // biome-ignore lint/suspicious/noFocusedTests: this `fit` is ours, not a focused test.
      const fitted = await fit(history, { budgetTokens, format: "palimpsest", state });
      state = fitted.state;
      return fitted.messages;
    };
  },
};
