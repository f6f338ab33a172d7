/**
 * Mastra's `TokenLimiterProcessor` with its default settings. An agent that lists it in `inputProcessors` runs it on
 * the provider prompt before every model call (`processLLMRequest`). Only that call is timed, without the agent's own
 * work of loading memory and building that prompt.
 */
import { TokenLimiterProcessor } from "@mastra/core/processors";
import { installedVersion } from "./installed-version.mjs";

const promptMessage = ({ role, content }) => ({ role, content: [{ type: "text", text: content }] });

export const contestant = {
  name: "Mastra TokenLimiterProcessor",
  version: installedVersion("@mastra/core"),
  note: "push, then new TokenLimiterProcessor({ limit }).processLLMRequest({ prompt }); its own estimate, best-fit, which may leave gaps",
  feeding: "preloaded",
  async start({ budgetTokens, history }) {
    const limiter = new TokenLimiterProcessor({ limit: budgetTokens });
    const prompt = history.map(promptMessage);
    const abort = (reason) => {
      throw new Error(reason);
    };
    return {
      async turn(message) {
        prompt.push(promptMessage(message));
        const result = await limiter.processLLMRequest({
          prompt,
          stepNumber: 0,
          steps: [],
          state: {},
          retryCount: 0,
          abort,
        });
        return result?.prompt ?? prompt;
      },
    };
  },
};
