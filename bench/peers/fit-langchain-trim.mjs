/** LangChain's `trimMessages`, used as its guide shows for chats; counts exactly and keeps tool messages whole. */
import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { langchainVersion, trimToBudget } from "./langchain-trim-messages.mjs";

const textOf = (content) => (typeof content === "string" ? content : JSON.stringify(content));
const countMessages = (messages) =>
  messages.reduce((sum, message) => {
    const calls = message.tool_calls?.length > 0 ? JSON.stringify(message.tool_calls) : "";
    return sum + encode(`${textOf(message.content)}${calls}`).length;
  }, 0);

export const contestant = {
  name: "LangChain trimMessages",
  version: langchainVersion,
  keeps: "the newest messages, beginning with a user message; nothing of the others",
  format: "langchain",
  prepare: (history) => history.map(coerceMessageLikeToMessage),
  async start({ budgetTokens }) {
    return (history) => trimToBudget([...history], { budgetTokens, tokenCounter: countMessages });
  },
};
