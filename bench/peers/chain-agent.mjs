/**
 * The common parts of the two LangChain agents of `bench chain`: models that call the scripted provider, tools that
 * return the scripted results, and turns through the agent's own loop. Each agent compacts by itself.
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

/** The state is passed from turn to turn, as a checkpointer would do. */
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
