import { createAnthropic } from "@ai-sdk/anthropic";
import {
  asSchema,
  convertToModelMessages,
  generateText,
  isStepCount,
  type LanguageModel,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  tool,
  type UIMessage,
  type UIMessageChunk,
  wrapLanguageModel,
} from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolsInput } from "../../src/core/message/input-types.ts";
import { persist, prepareStep, sessionMiddleware, wrapModel } from "../../src/integrations/ai-sdk/index.ts";
import {
  BUDGET_TOKENS,
  type ContractQuestion,
  describeIntegration,
  type Host,
  type HostOptions,
  openEngine,
} from "./contract.ts";
import { startStrictAnthropic, writeWords } from "./strict-provider.ts";

const MODEL = "claude-fable-5-1";

const lookup = tool({
  description: "Looks a topic up.",
  inputSchema: z.object({ topic: z.string() }),
  execute: async ({ topic }) =>
    `Found on ${topic}: ${writeWords(150, topic.length + topic.charCodeAt(topic.length - 1))}`,
});
const tools = { lookup };

function connect(url: string) {
  return createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })(MODEL);
}

type Settings = { readonly model: LanguageModel } & Partial<ReturnType<typeof persist>>;

/** A chat route and its client, which keeps and resends UI messages as `useChat` does, partial ones included. */
class ChatHost implements Host {
  readonly messages: UIMessage[];
  readonly #settings: () => Settings;

  constructor(settings: () => Settings, earlier: Host | undefined) {
    this.#settings = settings;
    this.messages = earlier instanceof ChatHost ? earlier.messages : [];
  }

  async ask({ text, image, signal, onText }: ContractQuestion): Promise<string> {
    const url = `data:image/png;base64,${image}`;
    const files = image === undefined ? [] : [{ type: "file" as const, url, mediaType: "image/png" }];
    this.messages.push({ id: `user-${this.messages.length}`, role: "user", parts: [{ type: "text", text }, ...files] });
    const result = streamText({
      instructions: "Answer briefly.",
      messages: await convertToModelMessages(this.messages, { ignoreIncompleteToolCalls: true }),
      tools,
      stopWhen: isStepCount(5),
      maxRetries: 0,
      ...(signal === undefined ? {} : { abortSignal: signal }),
      providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
      onError: () => undefined,
      ...this.#settings(),
    });
    const place = this.messages.length;
    const stream = result.toUIMessageStream({ onError: String, generateMessageId: () => `reply-${place}` });
    for await (const message of readUIMessageStream({
      stream: stream as ReadableStream<UIMessageChunk>,
      onError: () => undefined,
    })) {
      this.messages[place] = message;
      if (textOf(message) !== "") onText?.(textOf(message));
    }
    return textOf(this.messages[place]);
  }
}

function textOf(message: UIMessage | undefined): string {
  return message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") ?? "";
}

const openWrapped = ({ session, url, budgetTokens, earlier }: HostOptions) =>
  new ChatHost(() => ({ model: wrapModel(connect(url), { session, budgetTokens }) }), earlier);

const openPersisted = ({ session, url, budgetTokens, earlier }: HostOptions) =>
  new ChatHost(() => ({ model: connect(url), ...persist(session, { budgetTokens, tools }) }), earlier);

describe("wrapModel for the AI SDK", () => {
  describeIntegration({
    startProvider: startStrictAnthropic,
    open: openWrapped,
    recordsBrokenStreams: true,
    takesImages: true,
  });
});

describe("persist for the AI SDK", () => {
  describeIntegration({
    startProvider: startStrictAnthropic,
    open: openPersisted,
    recordsBrokenStreams: true,
    takesImages: true,
  });
});

describe("requests through the AI SDK's adapter", () => {
  test("are equal to those of a session whose methods the test calls itself", async () => {
    const inputSchema = await asSchema(lookup.inputSchema).jsonSchema;
    const callTools = [{ type: "function", name: "lookup", description: lookup.description, inputSchema }];
    const [wrapped, byHand] = await Promise.all([record(openWrapped), record(openByHand(callTools))]);
    expect(wrapped).toHaveLength(12);
    expect(wrapped).toEqual(byHand);
    // The first prompts are smaller than what Anthropic caches.
    expect(JSON.stringify(wrapped.at(-1))).toContain('"cache_control":{"type":"ephemeral"}');
    const [persisted, byHandToo] = await Promise.all([record(openPersisted), record(openByHand(tools))]);
    expect(persisted).toEqual(byHandToo);
  });

  async function record(open: (options: HostOptions) => Host) {
    await using provider = await startStrictAnthropic();
    // Recalled passages and cut markers contain random ids. The budget is large enough to fold whole messages only.
    await using engine = await openEngine("memory:", { policy: { recall: false } });
    const host = open({ session: await engine.session("same"), url: provider.url, budgetTokens: 5_000 });
    for (let turn = 0; turn < 6; turn += 1) await host.ask({ text: `Question ${turn}: ${writeWords(110, turn)}?` });
    expect(provider.faults).toEqual([]);
    expect(await (await engine.session("same")).getSummaryHistory()).not.toEqual([]);
    return provider.requests.map(({ body }) => body);
  }

  /** Calls the session's methods itself, one step at a time. */
  const openByHand =
    (counted: ToolsInput) =>
    ({ session, url, budgetTokens }: HostOptions): Host => {
      const request = { instructions: "Answer briefly.", tools: counted, model: MODEL, budgetTokens };
      return {
        async ask({ text }) {
          await session.append({ role: "user", content: [{ type: "text", text }] });
          for (;;) {
            const prompt = await session.prompt(request);
            const result = streamText({
              model: connect(url),
              ...prompt.forStreamText(),
              tools,
              providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
            });
            await result.consumeStream();
            // Anthropic's provider adds a part about its own answer, which the adapters leave out too.
            const messages = (await result.response).messages.map(({ content, ...message }) => {
              const parts = typeof content === "string" ? content : content.filter(({ type }) => type !== "custom");
              return { ...message, content: parts };
            });
            await session.append(messages, { promptId: prompt.id, usage: await result.usage });
            if ((await result.finishReason) !== "tool-calls") return result.text;
          }
        },
      };
    };
});

describe("prepareStep in an agent's loop", () => {
  test("keeps 60 steps in budget, and stores each message once", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 60 });
    await using engine = await openEngine();
    const session = await engine.session();
    const agent = new ToolLoopAgent({
      model: connect(provider.url),
      instructions: "Answer briefly.",
      tools,
      stopWhen: isStepCount(60),
      prepareStep: prepareStep(session, { budgetTokens: BUDGET_TOKENS, tools }),
    });
    expect((await agent.generate({ prompt: "A question?" })).text).toContain("Answer");
    expect(provider.faults).toEqual([]);
    expect(provider.requests).toHaveLength(60);
    expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(BUDGET_TOKENS);
    const calls = (await session.transcript()).flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call"));
    expect(calls).toHaveLength(2 * 59);
    const summaries = JSON.stringify(provider.requests.at(-1)?.body).split("[End of the summary]").length - 1;
    expect(summaries).toBe(1);
  });

  test("an agent that only gets new questions keeps its conversation with persist", async () => {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine();
    const session = await engine.session();
    const settings = persist(session, { budgetTokens: BUDGET_TOKENS, history: "session", tools });
    const agent = new ToolLoopAgent({ model: connect(provider.url), tools, ...settings });
    await agent.generate({ prompt: "Who am I?" });
    await agent.generate({ prompt: "And now?" });
    expect((await session.transcript()).map(({ role }) => role)).toEqual([...TURN, ...TURN]);
    expect(provider.faults).toEqual([]);
  });

  const TURN = ["user", "assistant", "tool", "assistant"];
});

describe("sessionMiddleware", () => {
  test("works in wrapLanguageModel and finds the session of each call", async () => {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine();
    const middleware = sessionMiddleware({
      sessionFor: ({ providerOptions }) => engine.session(String(providerOptions?.palimpsest?.sessionId)),
      history: "session",
    });
    const model = wrapLanguageModel({ model: connect(provider.url), middleware });
    const ask = (sessionId: string, prompt: string) =>
      generateText({ model, prompt, tools, stopWhen: isStepCount(3), providerOptions: { palimpsest: { sessionId } } });
    await ask("one", "Who am I?");
    await ask("two", "Where am I?");
    await ask("one", "And now?");
    const texts = (await (await engine.session("one")).transcript()).flatMap(({ role, parts }) =>
      role === "user" ? parts.map((part) => (part.type === "text" ? part.text : "")) : [],
    );
    expect(texts).toEqual(["Who am I?", "And now?"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Who am I?");
    expect(provider.faults).toEqual([]);
  });
});
