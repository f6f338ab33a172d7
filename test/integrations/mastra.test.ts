import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent, type AgentConfig } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { isStepCount, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { wrapModel } from "../../src/integrations/ai-sdk/index.ts";
import { sessionProcessor } from "../../src/integrations/mastra/index.ts";
import { PIXEL } from "../support/pixel.ts";
import { BUDGET_TOKENS, describeIntegration, type Host, type HostOptions, openEngine } from "./contract.ts";
import { connectForMastra } from "./mastra-model.ts";
import { startStrictAnthropic, writeWords } from "./strict-provider.ts";
import { startStrictResponses } from "./strict-responses.ts";

const definition = {
  description: "Looks a topic up.",
  inputSchema: z.object({ topic: z.string() }),
  execute: async ({ topic }: { readonly topic: string }) =>
    `Found on ${topic}: ${writeWords(150, topic.charCodeAt(topic.length - 1))}`,
};
const tools = { lookup: createTool({ id: "lookup", ...definition }) };
const providerOptions = { anthropic: { thinking: { type: "adaptive" as const } } };

const connect = (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })("claude-fable-5-1");

type Settings = Pick<AgentConfig, "model" | "inputProcessors" | "memory">;

function createAgent(settings: Settings): Agent {
  const agent = new Agent({ id: "helper", name: "helper", instructions: "Answer briefly.", tools, ...settings });
  agent.__registerPrimitives({ logger: noopLogger });
  return agent;
}

function writeQuestion(text: string, image?: string | undefined) {
  const url = `data:image/png;base64,${image}`;
  const pictures = image === undefined ? [] : [{ type: "image" as const, image: url, mediaType: "image/png" }];
  return [{ role: "user" as const, content: [{ type: "text" as const, text }, ...pictures] }];
}

function open({ session, url, budgetTokens }: HostOptions): Host {
  const agent = createAgent({
    model: connectForMastra(url),
    inputProcessors: [sessionProcessor({ session, budgetTokens })],
  });
  return {
    async ask({ text, image, signal, onText }) {
      const stream = await agent.stream(writeQuestion(text, image), {
        maxSteps: 5,
        modelSettings: { maxRetries: 0 },
        providerOptions,
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      for await (const chunk of stream.fullStream) if (chunk.type === "text-delta") onText?.(chunk.payload.text);
      return stream.text;
    },
  };
}

describe("sessionProcessor for Mastra", () => {
  describeIntegration({ startProvider: startStrictAnthropic, open, recordsBrokenStreams: true, takesImages: true });

  test("sends the same messages as wrapModel of the AI SDK", async () => {
    const [byAgent, byModel] = await Promise.all([record(open), record(openWrapped)]);
    expect(byAgent).toHaveLength(12);
    expect(byAgent).toEqual(byModel);
  });

  async function record(openHost: (options: HostOptions) => Host) {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine("memory:", { policy: { recall: false } });
    const session = await engine.session("same");
    const host = openHost({ session, url: provider.url, budgetTokens: 5_000 });
    for (let turn = 0; turn < 6; turn += 1) await host.ask({ text: `Question ${turn}: ${writeWords(110, turn)}?` });
    expect(await session.getSummaryHistory()).not.toEqual([]);
    return provider.requests.map(({ body: { system, messages } }) => ({ system, messages }));
  }

  const openWrapped = ({ session, url, budgetTokens }: HostOptions): Host => ({
    async ask({ text }) {
      const result = streamText({
        model: wrapModel(connect(url), { session, budgetTokens, history: "session" }),
        instructions: "Answer briefly.",
        messages: writeQuestion(text),
        tools: { lookup: tool(definition) },
        stopWhen: isStepCount(5),
        providerOptions,
      });
      return result.text;
    },
  });

  test("serves models that Mastra names by a string, which have an older interface", async () => {
    await using provider = await startStrictResponses();
    await using engine = await openEngine();
    const session = await engine.session("string");
    const agent = createAgent({
      model: { id: "openai/gpt-5", url: `${provider.url}/v1`, apiKey: "test-key", api: "responses" },
      inputProcessors: [sessionProcessor({ session, budgetTokens: BUDGET_TOKENS })],
    });
    for (let turn = 0; turn < 6; turn += 1) {
      const question = writeQuestion(`Question ${turn}: ${writeWords(110, turn)}?`, turn === 1 ? PIXEL : undefined);
      expect((await agent.generate(question)).text).toContain("Answer");
    }
    expect(provider.faults).toEqual([]);
    expect(JSON.stringify(provider.requests[2]?.body)).toContain(PIXEL);
    expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(BUDGET_TOKENS);
    expect(await session.getSummaryHistory()).not.toEqual([]);
  });

  test("finds the session of each thread, and takes over once what Mastra's memory remembers", async () => {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine();
    const memory = new MockMemory({ options: { lastMessages: 20 } });
    const model = connectForMastra(provider.url);
    const thread = (id: string) => ({ memory: { thread: id, resource: "ada" }, providerOptions });
    await createAgent({ model, memory }).generate("Who am I?", thread("one"));
    const sessionFor = ({ threadId = "", resourceId = "" }) => engine.session(`${resourceId}-${threadId}`);
    const agent = createAgent({ model, memory, inputProcessors: [sessionProcessor({ sessionFor })] });
    await agent.generate("And now?", thread("one"));
    await agent.generate("Where am I?", thread("two"));
    await agent.generate("And then?", thread("one"));
    expect(await readQuestions(await engine.session("ada-one"))).toEqual(["Who am I?", "And now?", "And then?"]);
    expect(await readQuestions(await engine.session("ada-two"))).toEqual(["Where am I?"]);
    const roles = (await (await engine.session("ada-one")).transcript()).map(({ role }) => role);
    expect(roles).toEqual([1, 2, 3].flatMap(() => ["user", "assistant", "tool", "assistant"]));
    expect(provider.faults).toEqual([]);
  });

  test("stores the usage of each reply", async () => {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine();
    const session = await engine.session();
    await open({ session, url: provider.url, budgetTokens: BUDGET_TOKENS }).ask({ text: "Who am I?" });
    const { models } = await session.usage();
    expect(models).toEqual([expect.objectContaining({ answers: 2, estimated: 0 })]);
  });

  test("refuses unknown options, and names the nearest known one", () => {
    expect(() => sessionProcessor({ sesion: 1 } as never)).toThrow('Did you mean "session"?');
    expect(() => sessionProcessor({})).toThrow("sessionProcessor: pass either session or sessionFor.");
  });
});

async function readQuestions(session: Awaited<ReturnType<Awaited<ReturnType<typeof openEngine>>["session"]>>) {
  return (await session.transcript()).flatMap(({ role, parts }) =>
    role === "user" ? parts.map((part) => (part.type === "text" ? part.text : part.type)) : [],
  );
}
