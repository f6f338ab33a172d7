/**
 * LangChain's `trimMessages`, as its guide shows it for chat histories: keep the last tokens, start with a user
 * message. The three peers beside this file differ in the counter and in how they treat the history.
 */
import { AIMessage, HumanMessage, trimMessages } from "langchain";
import { installedVersion } from "./installed-version.mjs";

export const langchainVersion = `${installedVersion("langchain")}, ${installedVersion("@langchain/core")}`;

export function langchainMessage({ role, content }) {
  return role === "user" ? new HumanMessage(content) : new AIMessage(content);
}

export function trimToBudget(messages, { budgetTokens, tokenCounter }) {
  return trimMessages(messages, {
    maxTokens: budgetTokens,
    strategy: "last",
    startOn: "human",
    includeSystem: true,
    tokenCounter,
  });
}
