/** A chat model with a scripted provider, over the OpenAI protocol. */
import { createOpenAI } from "@ai-sdk/openai";
import type { ChatModel } from "../../src/server/prompts/chat-model.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

export function scriptedChatModel({ url }: ScriptedProvider, id = "gpt-4.1-mini"): ChatModel {
  const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "k" }).chat(id);
  return { id: `openai:${id}`, isOffline: false, forSession: () => model };
}
