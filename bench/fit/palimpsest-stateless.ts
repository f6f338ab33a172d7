import { fit } from "../../src/index.ts";
import { ourVersion } from "../turn-cost/our-version.ts";
import type { FitContestant } from "./contestant.ts";

export const contestant: FitContestant = {
  name: "Palimpsest fit, no state",
  version: ourVersion(),
  keeps: "the newest messages, and a summary by code of all others; exact o200k counts",
  format: "palimpsest",
  async start({ budgetTokens }) {
    // biome-ignore lint/suspicious/noFocusedTests: this `fit` is ours, not a focused test.
    return async (history) => (await fit(history, { budgetTokens, format: "palimpsest" })).messages;
  },
};
