/** An agent of the OpenAI Agents SDK that keeps its conversation in a session, and whose loop fits the window. */
import { type Agent, Runner } from "@openai/agents";
import type { Session } from "../../src/index.ts";
import { PalimpsestSession } from "../../src/integrations/openai-agents/index.ts";

export async function ask(agent: Agent, conversation: Session, question: string, runner = new Runner()) {
  const session = new PalimpsestSession(conversation);
  const { callModelInputFilter } = session;
  const result = await runner.run(agent, question, { session, callModelInputFilter });
  return result.finalOutput;
}
