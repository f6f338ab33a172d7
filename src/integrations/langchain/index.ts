/** Palimpsest for LangChain 1: middleware for agents, a summarizer by chat models, and a chat history. */
export type { HistoryKeeper } from "../shared/host-messages.ts";
export type { PromptSettings } from "../shared/prompt-settings.ts";
export { openChatHistory } from "./chat-history.ts";
export { type ChatModelSummarizerOptions, chatModelSummarizer } from "./chat-model-summarizer.ts";
export { type ModelCallRequest, type PalimpsestMiddlewareOptions, palimpsestMiddleware } from "./middleware.ts";
export type { SummarizationOptions } from "./summarization-options.ts";
