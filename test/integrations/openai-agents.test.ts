import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PalimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { BUDGET_TOKENS, describeIntegration, type Host, type HostOptions, openEngine } from "./contract.ts";
import { writeWords } from "./strict-provider.ts";
import { startStrictResponses } from "./strict-responses.ts";

setTracingDisabled(true);

const lookup = tool({
  name: "lookup",
  description: "Looks a topic up.",
  parameters: z.object({ topic: z.string() }),
  execute: async ({ topic }) => `Found on ${topic}: ${writeWords(150, topic.charCodeAt(topic.length - 1))}`,
});

const agent = new Agent({ name: "helper", instructions: "Answer briefly.", model: "gpt-5", tools: [lookup] });

function open({ session: kept, url, budgetTokens }: HostOptions): Host {
  const modelProvider = new OpenAIProvider({ apiKey: "test-key", baseURL: `${url}/v1` });
  const runner = new Runner({ modelProvider });
  return {
    async ask({ text, image, signal, onText }) {
      const session = new PalimpsestSession(kept, { budgetTokens });
      const { callModelInputFilter } = session;
      const pictures =
        image === undefined ? [] : [{ type: "input_image" as const, image: `data:image/png;base64,${image}` }];
      const content = [{ type: "input_text" as const, text }, ...pictures];
      const settings = {
        session,
        callModelInputFilter,
        stream: true as const,
        ...(signal === undefined ? {} : { signal }),
      };
      const result = await runner.run(agent, [{ role: "user", content }], settings);
      for await (const piece of result.toTextStream()) onText?.(piece);
      await result.completed;
      return String(result.finalOutput);
    },
  };
}

describe("PalimpsestSession for the OpenAI Agents SDK", () => {
  describeIntegration({ startProvider: startStrictResponses, open, recordsBrokenStreams: false, takesImages: true });

  test("adds, returns, pops and clears items", async () => {
    await using engine = await openEngine();
    const session = new PalimpsestSession(await engine.session("items"), { budgetTokens: BUDGET_TOKENS });
    expect(await session.getSessionId()).toBe("items");
    const answer: AgentInputItem = {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "There." }],
    };
    const output = { type: "text", text: "Here." } as const;
    await session.addItems([
      { role: "user", content: "Where?" },
      { type: "function_call", callId: "call_1", name: "lookup", arguments: "{}", status: "completed" },
      { type: "function_call_result", name: "lookup", callId: "call_1", status: "completed", output },
      answer,
    ]);
    expect((await session.getItems()).map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_result",
      "message",
    ]);
    expect(await session.getItems(1)).toEqual([answer]);
    expect(await session.popItem()).toEqual(answer);
    expect(await session.getItems()).toHaveLength(3);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeDefined();
  });
});
