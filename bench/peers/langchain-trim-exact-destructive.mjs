/**
 * The cheapest way to use `trimMessages`, which its agent guide shows with `RemoveMessage`: the trimmed list replaces
 * the history, so the next turn trims a list that is one message too long. Dropped messages are lost.
 */
import { countTokensExactly } from "./count-tokens-exactly.mjs";
import { installedVersion } from "./installed-version.mjs";
import { langchainMessage, langchainVersion, trimToBudget } from "./langchain-trim-messages.mjs";

export const contestant = {
  name: "LangChain trimMessages, exact counter, history destroyed",
  version: `${langchainVersion}, ${installedVersion("gpt-tokenizer")}`,
  note: "as with the exact counter, but the history is replaced by what was kept, so older messages are lost",
  feeding: "preloaded",
  async start({ budgetTokens, messageTokens, history }) {
    // The messages that trimming turn by turn would have kept; trimming the whole history here would take hours.
    let messages = history.slice(-Math.floor(budgetTokens / messageTokens)).map(langchainMessage);
    return {
      async turn(message) {
        messages = await trimToBudget([...messages, langchainMessage(message)], {
          budgetTokens,
          tokenCounter: countTokensExactly,
        });
        return messages;
      },
    };
  },
};
