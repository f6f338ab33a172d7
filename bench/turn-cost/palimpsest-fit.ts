/** `fit` with the previous state, on a history that the caller keeps. */
import { type FitState, fit } from "../../src/index.ts";
import type { Contestant, TurnMessage } from "./contestant.ts";
import { ourVersion } from "./our-version.ts";

export const contestant: Contestant = {
  name: "Palimpsest fit",
  version: ourVersion(),
  note: "push, then fit(history, { budgetTokens, state }); exact o200k counts, default policy, no model, the caller keeps the history",
  feeding: "every-message",
  async start({ budgetTokens }) {
    const history: TurnMessage[] = [];
    let state: FitState | undefined;
    let compactions = 0;
    return {
      async turn(message) {
        history.push(message);
        // biome-ignore lint/suspicious/noFocusedTests: this `fit` is ours, not a focused test.
        const fitted = await fit(history, { budgetTokens, state });
        state = fitted.state;
        compactions += fitted.report.compactions.length;
        return fitted.messages;
      },
      compactions: () => compactions,
    };
  },
};
