/** A Mastra agent that serves many conversations: each thread has its own session. */
import { Agent } from "@mastra/core/agent";
import type { Palimpsest } from "../../src/index.ts";
import { sessionProcessor } from "../../src/integrations/mastra/index.ts";

type AgentSettings = Pick<ConstructorParameters<typeof Agent>[0], "model" | "tools">;

export function createAgent(palimpsest: Palimpsest, { model, tools = {} }: AgentSettings) {
  const sessionFor = ({ threadId }: { threadId?: string | undefined }) => palimpsest.session(threadId);
  return new Agent({
    id: "helper",
    name: "Helper",
    instructions: "Answer briefly.",
    model,
    tools,
    inputProcessors: [sessionProcessor({ sessionFor })],
  });
}
