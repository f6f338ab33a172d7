/** An agent that keeps its conversation in a session: it gets only new questions, and its loop fits the window. */
import { type LanguageModel, ToolLoopAgent, type ToolSet } from "ai";
import type { Session } from "../../src/index.ts";
import { persist } from "../../src/integrations/ai-sdk/index.ts";

export function createAgent(session: Session, model: LanguageModel, tools: ToolSet) {
  const settings = persist(session, { history: "session", tools });
  return new ToolLoopAgent({
    model,
    tools,
    ...settings,
    // Optional: compact at a moment of your own, such as after every tenth step.
    prepareStep: async (step) => {
      if (step.stepNumber > 0 && step.stepNumber % 10 === 0) await session.compact();
      return settings.prepareStep(step);
    },
  });
}
