/** The examples of docs/integrations.md: the page shows the files, and each file runs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver } from "@langchain/langgraph";
import { Agent, tool as agentsTool, OpenAIProvider, Runner } from "@openai/agents";
import { parseJsonEventStream, readUIMessageStream, tool, type UIMessage, uiMessageChunkSchema } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../examples/ai-sdk/agent.ts";
import { createRoute } from "../../examples/ai-sdk/chat-route.ts";
import { createThreadedAgent } from "../../examples/langchain/agent.ts";
import { createAgent as createMastraAgent } from "../../examples/mastra/agent.ts";
import { ask as askAgent } from "../../examples/openai-agents/agent.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { openEngine } from "./contract.ts";
import { connectForMastra } from "./mastra-model.ts";
import { startStrictAnthropic } from "./strict-provider.ts";
import { startStrictResponses } from "./strict-responses.ts";

const FOLDERS = ["ai-sdk", "langchain", "mastra", "openai-agents"];

function listExamples(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(repositoryRoot, "examples", folder)).map((file) => `examples/${folder}/${file}`),
  );
}

describe("docs/integrations.md", () => {
  const page = readFileSync(join(repositoryRoot, "docs/integrations.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block);

  test.each(listExamples())("shows %s", (path) => {
    const source = readFileSync(join(repositoryRoot, path), "utf8")
      .replace(/^\/\*\*.*\n/, "")
      .replaceAll(/"..\/..\/src\/integrations\/([\w-]+)\/index.ts"/g, '"palimpsest/$1"')
      .replaceAll('"../../src/index.ts"', '"palimpsest"');
    expect(blocks).toContain(source);
  });

  test("has no other programs", () => {
    expect(blocks).toHaveLength(listExamples().length);
  });
});

const connect = (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })("claude-fable-5-1");
const lookup = tool({
  inputSchema: z.object({ topic: z.string() }),
  execute: async ({ topic }) => `Found: ${topic} ${"again ".repeat(500)}`,
});

describe("the examples for the AI SDK", () => {
  test("the chat route answers useChat, and stores the conversation", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 1 });
    await using engine = await openEngine();
    const POST = createRoute(engine, connect(provider.url));
    const messages: UIMessage[] = [];
    for (const text of ["The first question?", "The second question?"]) {
      messages.push({ id: `m${messages.length}`, role: "user", parts: [{ type: "text", text }] });
      const body = JSON.stringify({ id: "chat", messages });
      const response = await POST(new Request("http://localhost/api/chat", { method: "POST", body }));
      messages.push(await readReply(response));
    }
    expect(provider.faults).toEqual([]);
    const roles = (await (await engine.session("chat")).transcript()).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("The first question?");
  });

  test("the agent remembers its conversation, and compacts after every tenth step", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 11 });
    await using engine = await openEngine("memory:", { budgetTokens: 60_000 });
    const reasons: string[] = [];
    engine.on("compaction", ({ reason }) => reasons.push(reason));
    const session = await engine.session("agent");
    const agent = createAgent(session, connect(provider.url), { lookup });
    expect((await agent.generate({ prompt: "Who am I?" })).text).toContain("Answer");
    await agent.generate({ prompt: "And now?" });
    expect(reasons).toEqual(["requested manually", "requested manually"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Who am I?");
    expect(provider.faults).toEqual([]);
  });
});

describe("the example for Mastra", () => {
  test("each thread has its own session", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 1 });
    await using engine = await openEngine();
    const agent = createMastraAgent(engine, { model: connectForMastra(provider.url) });
    const thread = (id: string) => ({ memory: { thread: id, resource: "ada" } });
    expect((await agent.generate("Who am I?", thread("one"))).text).toContain("Answer");
    await agent.generate("Where am I?", thread("two"));
    await agent.generate("And now?", thread("one"));
    const roles = (await (await engine.session("one")).transcript()).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Who am I?");
    expect(provider.faults).toEqual([]);
  });
});

describe("the example for LangChain", () => {
  test("the agent remembers the conversation of each thread", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 1 });
    await using engine = await openEngine();
    const settings = { model: "claude-fable-5-1", apiKey: "test-key", anthropicApiUrl: provider.url, maxRetries: 0 };
    const agent = createThreadedAgent(engine, new ChatAnthropic(settings), new MemorySaver());
    const ask = (content: string, thread_id: string) =>
      agent.invoke({ messages: [{ role: "user", content }] }, { configurable: { thread_id } });
    await ask("Who am I?", "one");
    await ask("Where am I?", "two");
    const { messages } = await ask("And now?", "one");
    expect(messages.at(-1)?.text).toContain("Answer");
    expect(messages).toHaveLength(4);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Who am I?");
    expect(await (await engine.session("one")).transcript()).toHaveLength(4);
    expect(provider.faults).toEqual([]);
  });
});

describe("the example for the OpenAI Agents SDK", () => {
  test("the agent remembers its conversation", async () => {
    await using provider = await startStrictResponses();
    await using engine = await openEngine();
    const session = await engine.session("agents");
    const lookupTopic = agentsTool({
      name: "lookup",
      description: "Looks a topic up.",
      parameters: z.object({ topic: z.string() }),
      execute: async ({ topic }) => `Found: ${topic}`,
    });
    const agent = new Agent({ name: "helper", model: "gpt-5", tools: [lookupTopic] });
    const modelProvider = new OpenAIProvider({ apiKey: "test-key", baseURL: `${provider.url}/v1` });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    expect(await askAgent(agent, session, "Who am I?", runner)).toContain("Answer");
    await askAgent(agent, session, "And now?", runner);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Who am I?");
    expect(provider.faults).toEqual([]);
  });
});

async function readReply(response: Response): Promise<UIMessage> {
  if (response.body === null) throw new Error("The response has no body.");
  const parsed = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema });
  const stream = parsed.pipeThrough(
    new TransformStream({
      transform(part, controller) {
        if (part.success) controller.enqueue(part.value);
      },
    }),
  );
  let reply: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) reply = message;
  if (reply === undefined) throw new Error("The response has no message.");
  return { ...reply, id: "reply" };
}
