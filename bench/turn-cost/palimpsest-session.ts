/** Palimpsest as an application uses it: append messages, request the prompt. Memory store, default policy. */
import { openPalimpsest } from "../../src/index.ts";
import type { Contestant } from "./contestant.ts";
import { ourVersion } from "./our-version.ts";

export const contestant: Contestant = {
  name: "Palimpsest session",
  version: ourVersion(),
  note: "session.append([message]), then session.prompt({}); exact o200k counts, default policy, no model, the whole log kept",
  feeding: "every-message",
  async start({ budgetTokens }) {
    const palimpsest = await openPalimpsest({ store: "memory:", budgetTokens });
    const session = await palimpsest.session();
    let compactions = 0;
    palimpsest.on("compaction", () => {
      compactions += 1;
    });
    return {
      async turn({ role, content }) {
        await session.append([{ role, content }]);
        const prompt = await session.prompt({});
        return prompt.messages;
      },
      compactions: () => compactions,
    };
  },
};
