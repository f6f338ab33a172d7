/** A model of Anthropic for agents of Mastra. */
import { createAnthropic } from "@ai-sdk/anthropic";
import type { AgentConfig } from "@mastra/core/agent";

export function connectForMastra(url: string): AgentConfig["model"] {
  const model: unknown = createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })("claude-fable-5-1");
  // Mastra's copy of the interface lacks the newest reason for which a model stops.
  return model as AgentConfig["model"];
}
