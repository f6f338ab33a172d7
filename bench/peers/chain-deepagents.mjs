/**
 * deepagents: `createDeepAgent` with its own summarization middleware; only its sizes are set. Its counter includes its
 * system prompt and its tools. It also writes folded messages to a file that the agent may read.
 */
import { createDeepAgent, createSummarizationMiddleware, StateBackend } from "deepagents";
import { agentSession, chatModel, scriptedTools } from "./chain-agent.mjs";
import { installedVersion } from "./installed-version.mjs";

export const contestant = {
  name: "deepagents",
  version: `${installedVersion("deepagents")}, ${installedVersion("langchain")}`,
  note: "createDeepAgent with createSummarizationMiddleware({ trigger, keep }) in place of its default; folded messages also go to a file that the agent could read, which is not counted as seen",
  async start(options) {
    const model = chatModel(options.modelUrl);
    const backend = (config) => new StateBackend(config);
    const middleware = [
      createSummarizationMiddleware({
        model,
        backend,
        trigger: { type: "tokens", value: options.triggerTokens },
        keep: { type: "tokens", value: options.keepTokens },
      }),
    ];
    return agentSession(createDeepAgent({ model, tools: scriptedTools(options), backend, middleware }));
  },
};
