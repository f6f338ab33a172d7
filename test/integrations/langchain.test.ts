import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openChatHistory, palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { BUDGET_TOKENS, describeIntegration, type Host, type HostOptions, openEngine, type Question } from "./contract.ts";
import { startStrictAnthropic, writeWords } from "./strict-provider.ts";

const MODEL = "claude-fable-5-1";

const lookup = tool(({ topic }) => `Found on ${topic}: ${writeWords(150, topic.charCodeAt(topic.length - 1))}`, {
  name: "lookup",
  description: "Looks a topic up.",
  schema: z.object({ topic: z.string() }),
});

const connect = (url: string) =>
  new ChatAnthropic({
    model: MODEL,
    apiKey: "test-key",
    anthropicApiUrl: url,
    maxTokens: 1_000,
    maxRetries: 0,
    thinking: { type: "adaptive" },
  });

type Agent = ReturnType<typeof createAgentFor>;

function createAgentFor({ session, url, budgetTokens }: HostOptions, checkpointer?: MemorySaver) {
  const history = checkpointer === undefined ? "session" : "host";
  return createAgent({
    model: connect(url),
    tools: [lookup],
    systemPrompt: "Answer briefly.",
    middleware: [palimpsestMiddleware({ session, budgetTokens, history })],
    ...(checkpointer === undefined ? {} : { checkpointer }),
  });
}

/** Asks an agent whose checkpointer keeps the whole conversation in a thread, or which gets only new questions. */
class AgentHost implements Host {
  readonly checkpointer: MemorySaver | undefined;
  readonly #agent: Agent;

  constructor(options: HostOptions, isThreaded: boolean) {
    const earlier = options.earlier instanceof AgentHost ? options.earlier.checkpointer : undefined;
    this.checkpointer = isThreaded ? (earlier ?? new MemorySaver()) : undefined;
    this.#agent = createAgentFor(options, this.checkpointer);
  }

  async ask({ text, image, signal, onText }: Question): Promise<string> {
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } };
    const content = [{ type: "text", text }, ...(image === undefined ? [] : [picture])];
    const config = { configurable: { thread_id: "thread" }, ...(signal === undefined ? {} : { signal }) };
    const stream = await this.#agent.stream(
      { messages: [new HumanMessage({ content })] },
      { ...config, streamMode: ["messages", "values"] },
    );
    let answer = "";
    for await (const [mode, data] of stream) {
      if (mode === "values") answer = data.messages.at(-1)?.text ?? "";
      else if (data[0].type === "ai" && data[0].text !== "") onText?.(data[0].text);
    }
    return answer;
  }
}

describe("palimpsestMiddleware for an agent with a checkpointer", () => {
  const open = (options: HostOptions) => new AgentHost(options, true);
  describeIntegration({ startProvider: startStrictAnthropic, open, streams: true, takesImages: true });
});

describe("palimpsestMiddleware for an agent that only gets new questions", () => {
  const open = (options: HostOptions) => new AgentHost(options, false);
  describeIntegration({ startProvider: startStrictAnthropic, open, streams: true, takesImages: true });
});

describe("openChatHistory", () => {
  test("stores messages, returns what the model would see, and hides everything when cleared", async () => {
    await using engine = await openEngine();
    const session = await engine.session();
    const history = await openChatHistory(session, { budgetTokens: BUDGET_TOKENS });
    for (let turn = 0; turn < 20; turn += 1) {
      await history.addMessages([
        new HumanMessage(`Question ${turn}: ${writeWords(60, turn)}?`),
        new AIMessage(`Answer ${turn}: ${writeWords(60, turn + 50)}.`),
      ]);
    }
    const seen = await history.getMessages();
    expect(seen[0]).toBeInstanceOf(HumanMessage);
    expect(seen[0]?.text).toContain("Summary of the");
    expect(seen.at(-1)?.text).toContain("Answer 19");
    expect(await session.transcript()).toHaveLength(40);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
  });
});
