/** An agent of LangChain that keeps its conversations in sessions, one for each thread, and whose calls fit the window. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import type { Palimpsest } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";

export function createThreadedAgent(palimpsest: Palimpsest, model: BaseChatModel, checkpointer: BaseCheckpointSaver) {
  const middleware = palimpsestMiddleware({
    sessionFor: ({ runtime }) => palimpsest.session(String(runtime.configurable?.thread_id)),
  });
  return createAgent({ model, checkpointer, middleware: [middleware] });
}
