/** The same agent with a limit for the summarizer's input that is high enough for all messages. */
import { langchainVersion, startAgent } from "./chain-langchain.mjs";

export const contestant = {
  name: "LangChain, untrimmed",
  version: langchainVersion,
  note: "the same with trimTokensToSummarize: 1,000,000, so that the summarizer is shown all that is folded",
  start: (options) => startAgent(options, { trimTokensToSummarize: 1_000_000 }),
};
