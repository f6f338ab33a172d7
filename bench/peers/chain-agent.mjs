/**
 * What the two LangChain agents of `bench chain` have in common: models that ask the scripted provider, tools that give
 * back what the script says, and turns that go through the agent's own loop. Compaction is theirs.
 */
import { ChatOpenAI } from "@langchain/openai";
import { HumanMessage, tool } from "langchain";
import { z } from "zod";

export function chatModel(modelUrl) {
  return new ChatOpenAI({
    model: "scripted",
    apiKey: "none",
    temperature: 0,
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: modelUrl },
  });
}

export function scriptedTools({ tools, nextOutput }) {
  return tools.map((name) =>
    tool(async () => nextOutput(), { name, description: `Runs ${name}.`, schema: z.looseObject({}) }),
  );
}

/** The state is handed on from turn to turn, as a checkpointer would. */
export function agentSession(agent) {
  let state = { messages: [] };
  return {
    async turn({ request }) {
      state = await agent.invoke(
        { ...state, messages: [...state.messages, new HumanMessage(request)] },
        { recursionLimit: 1_000 },
      );
    },
  };
}
