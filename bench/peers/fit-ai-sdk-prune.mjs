/** The AI SDK's recipe for long histories: above a threshold, `pruneMessages`. It guarantees no budget. */
import { pruneMessages } from "ai";
import { installedVersion } from "./installed-version.mjs";

export const contestant = {
  name: "AI SDK pruneMessages",
  version: installedVersion("ai"),
  keeps: "all text; no reasoning, and tool calls of the last three messages only; no budget",
  format: "ai-sdk-model",
  async start({ budgetTokens }) {
    return async (history) => {
      if (JSON.stringify(history).length / 4 <= budgetTokens) return history;
      const settings = { reasoning: "all", toolCalls: "before-last-3-messages", emptyMessages: "remove" };
      return pruneMessages({ messages: history, ...settings });
    };
  },
};
