/**
 * LangChain's `createAgent` with `summarizationMiddleware`, as its guide shows it. Other settings are the defaults; the
 * summarizer then reads only the last 4,000 tokens of the messages that it replaces.
 */
import { createAgent, summarizationMiddleware } from "langchain";
import { agentSession, chatModel, scriptedTools } from "./chain-agent.mjs";
import { installedVersion } from "./installed-version.mjs";

export const langchainVersion = installedVersion("langchain");

export async function startAgent(options, settings = {}) {
  const model = chatModel(options.modelUrl);
  const sizes = { trigger: { tokens: options.triggerTokens }, keep: { tokens: options.keepTokens } };
  const middleware = [summarizationMiddleware({ model, ...sizes, ...settings })];
  return agentSession(createAgent({ model, tools: scriptedTools(options), middleware }));
}

export const contestant = {
  name: "LangChain summarizationMiddleware",
  version: langchainVersion,
  note: "createAgent with summarizationMiddleware({ model, trigger: { tokens }, keep: { tokens } }); by its default the summarizer is shown the last 4,000 tokens of what is folded",
  start: (options) => startAgent(options),
};
