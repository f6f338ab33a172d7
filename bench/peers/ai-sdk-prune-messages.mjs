/**
 * The AI SDK's recipe for long histories, from its guide on loop control: estimate by the length of the JSON and, above
 * a threshold, `pruneMessages` in `prepareStep`. It removes reasoning and tool calls; text stays, so it guarantees no
 * budget. The report has the resulting size of the prompt.
 */
import { pruneMessages } from "ai";
import { installedVersion } from "./installed-version.mjs";

const estimateTokens = (messages) => JSON.stringify(messages).length / 4;

export const contestant = {
  name: "AI SDK pruneMessages recipe",
  version: installedVersion("ai"),
  note: "push, then prepareStep: if JSON length / 4 is over the budget, pruneMessages({ reasoning: 'all', toolCalls: 'before-last-3-messages', emptyMessages: 'remove' }); text is never removed",
  feeding: "preloaded",
  async start({ budgetTokens, history }) {
    const messages = [...history];
    const prepareStep = async (step) => {
      if (estimateTokens(step.messages) <= budgetTokens) return undefined;
      return {
        messages: pruneMessages({
          messages: step.messages,
          reasoning: "all",
          toolCalls: "before-last-3-messages",
          emptyMessages: "remove",
        }),
      };
    };
    return {
      async turn(message) {
        messages.push(message);
        return (await prepareStep({ messages }))?.messages ?? messages;
      },
    };
  },
};
