/** The same agent, with the limit on what the summarizer is shown set so high that it is shown everything. */
import { langchainVersion, startAgent } from "./chain-langchain.mjs";

export const contestant = {
  name: "LangChain, untrimmed",
  version: langchainVersion,
  note: "the same with trimTokensToSummarize: 1,000,000, so that the summarizer is shown all that is folded",
  start: (options) => startAgent(options, { trimTokensToSummarize: 1_000_000 }),
};
