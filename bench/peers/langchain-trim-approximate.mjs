import { countTokensApproximately } from "langchain";
import { langchainMessage, langchainVersion, trimToBudget } from "./langchain-trim-messages.mjs";

export const contestant = {
  name: "LangChain trimMessages, approximate counter",
  version: langchainVersion,
  note: "push, then trimMessages(history, { strategy: 'last', startOn: 'human', tokenCounter: countTokensApproximately })",
  feeding: "preloaded",
  async start({ budgetTokens, history }) {
    const messages = history.map(langchainMessage);
    return {
      async turn(message) {
        messages.push(langchainMessage(message));
        return trimToBudget(messages, { budgetTokens, tokenCounter: countTokensApproximately });
      },
    };
  },
};
