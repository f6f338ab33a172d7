import { countTokensExactly } from "./count-tokens-exactly.mjs";
import { installedVersion } from "./installed-version.mjs";
import { langchainMessage, langchainVersion, trimToBudget } from "./langchain-trim-messages.mjs";

export const contestant = {
  name: "LangChain trimMessages, exact counter",
  version: `${langchainVersion}, ${installedVersion("gpt-tokenizer")}`,
  note: "push, then trimMessages(history, { strategy: 'last', startOn: 'human', tokenCounter: sum of encode(content).length })",
  feeding: "preloaded",
  async start({ budgetTokens, history }) {
    const messages = history.map(langchainMessage);
    return {
      async turn(message) {
        messages.push(langchainMessage(message));
        return trimToBudget(messages, { budgetTokens, tokenCounter: countTokensExactly });
      },
    };
  },
};
