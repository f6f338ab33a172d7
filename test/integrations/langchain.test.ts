import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseLanguageModel } from "@langchain/core/language_models/base";
import { AIMessage, type BaseMessageLike, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Session } from "../../src/engine/session/session.ts";
import { openChatHistory, palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { BUDGET_TOKENS, describeIntegration, type Host, type HostOptions, openEngine } from "./contract.ts";
import { startStrictAnthropic, writeWords } from "./strict-provider.ts";
import { startStrictResponses } from "./strict-responses.ts";

const MODEL = "claude-fable-5-1";
const SYSTEM = "Answer briefly.";

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

function createAgentFor({ session, url, budgetTokens }: HostOptions, checkpointer: MemorySaver) {
  return createAgent({
    model: connect(url),
    tools: [lookup],
    systemPrompt: SYSTEM,
    middleware: [palimpsestMiddleware({ session, budgetTokens })],
    checkpointer,
  });
}

function writeQuestion(text: string, image: string | undefined): HumanMessage {
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } };
  return new HumanMessage({ content: [{ type: "text", text }, ...(image === undefined ? [] : [picture])] });
}

/** Asks an agent whose checkpointer keeps the whole conversation in a thread. */
class AgentHost implements Host {
  readonly checkpointer: MemorySaver;
  readonly #agent: Agent;

  constructor(options: HostOptions) {
    this.checkpointer = options.earlier instanceof AgentHost ? options.earlier.checkpointer : new MemorySaver();
    this.#agent = createAgentFor(options, this.checkpointer);
  }

  async ask({ text, image, signal, onText }: Parameters<Host["ask"]>[0]): Promise<string> {
    const config = { configurable: { thread_id: "thread" }, ...(signal === undefined ? {} : { signal }) };
    const stream = await this.#agent.stream(
      { messages: [writeQuestion(text, image)] },
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
  const open = (options: HostOptions) => new AgentHost(options);
  describeIntegration({ startProvider: startStrictAnthropic, open, recordsBrokenStreams: true, takesImages: true });
});

const openResponses = ({ session, url, budgetTokens }: HostOptions): Host => {
  const configuration = { baseURL: `${url}/v1` };
  const settings = { model: "gpt-5", apiKey: "test-key", configuration, maxRetries: 0, useResponsesApi: true };
  const agent = createAgent({
    model: new ChatOpenAI({ ...settings, zdrEnabled: true }),
    tools: [lookup],
    name: "helper",
    systemPrompt: SYSTEM,
    middleware: [palimpsestMiddleware({ session, budgetTokens, history: "session" })],
  });
  return {
    async ask({ text, image }) {
      const { messages } = await agent.invoke({ messages: [writeQuestion(text, image)] });
      return messages.at(-1)?.text ?? "";
    },
  };
};

describe("palimpsestMiddleware for OpenAI's Responses API and an agent that only gets new questions", () => {
  describeIntegration({
    startProvider: startStrictResponses,
    open: openResponses,
    recordsBrokenStreams: false,
    takesImages: true,
  });
});

describe("requests through the middleware", () => {
  test("are equal to those of a session whose methods the test calls itself", async () => {
    const [wrapped, byHand] = await Promise.all([record(askAgent), record(askModel)]);
    expect(wrapped.length).toBeGreaterThan(8);
    expect(wrapped).toEqual(byHand);
  });

  type Ask = (session: Session, url: string, question: HumanMessage) => Promise<void>;

  async function record(ask: Ask) {
    await using provider = await startStrictAnthropic();
    await using engine = await openEngine("memory:", { policy: { recall: false } });
    const session = await engine.session("same");
    for (let turn = 0; turn < 6; turn += 1) {
      await ask(session, provider.url, new HumanMessage(`Question ${turn}: ${writeWords(110, turn)}?`));
    }
    expect(provider.faults).toEqual([]);
    expect(await session.getSummaryHistory()).not.toEqual([]);
    return provider.requests.map(({ body }) => body);
  }

  // Cut markers contain random ids. The budget is large enough to fold whole messages only.
  const sizes = { budgetTokens: 5_000, breakpoints: false } as const;

  const askAgent: Ask = async (session, url, question) => {
    const middleware = palimpsestMiddleware({ session, history: "session", ...sizes });
    const agent = createAgent({ model: connect(url), tools: [lookup], systemPrompt: SYSTEM, middleware: [middleware] });
    await agent.invoke({ messages: [question] });
  };

  const askModel: Ask = async (session, url, question) => {
    const request = { instructions: SYSTEM, tools: [convertToOpenAITool(lookup)], model: MODEL, ...sizes };
    const model = connect(url).bindTools([lookup]);
    await session.append([question]);
    for (;;) {
      const prompt = await session.prompt(request);
      const { messages, instructions = "" } = prompt.forLangChain();
      // LangChain's models take plain messages too.
      const system = new SystemMessage({ content: [{ type: "text", text: instructions }] });
      const reply = await model.invoke([system, ...(messages as BaseMessageLike[])]);
      await session.append([reply], { promptId: prompt.id, usage: reply.usage_metadata });
      if ((reply.tool_calls ?? []).length === 0) return;
      for (const call of reply.tool_calls ?? [])
        await session.append([await lookup.invoke({ ...call, type: "tool_call" })]);
    }
  };
});

describe("the options of summarizationMiddleware", () => {
  test("compact when the trigger is reached, keep the newest messages, and let the model write the summary", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 1 });
    await using engine = await openEngine("memory:", { budgetTokens: 60_000, policy: { recall: false } });
    const session = await engine.session();
    const prompts: string[] = [];
    const summaryModel = RunnableLambda.from((prompt: string) => {
      prompts.push(prompt);
      return new AIMessage("The user asked ten questions about words.");
    });
    const middleware = palimpsestMiddleware({
      session,
      history: "session",
      model: summaryModel as unknown as BaseLanguageModel,
      trigger: [{ messages: 500 }, { messages: 9, tokens: 1 }],
      keep: { messages: 4 },
      summaryPrompt: "Be short about this: {messages}",
      summaryPrefix: "So far:",
    });
    const agent = createAgent({ model: connect(provider.url), middleware: [middleware] });
    for (let turn = 0; turn < 5; turn += 1) await agent.invoke({ messages: [new HumanMessage(`Question ${turn}?`)] });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("Be short about this: ");
    expect(prompts[0]).toContain("Question 0?");
    expect(provider.faults).toEqual([]);
    const sent = JSON.stringify(provider.requests.at(-1)?.body);
    expect(sent).toContain("So far:\\n\\nThe user asked ten questions about words.");
    expect(sent).not.toContain("Question 1?");
    expect(sent).toContain("Question 3?");
  });

  test("are checked", () => {
    // @ts-expect-error The option does not exist.
    expect(() => palimpsestMiddleware({ trigers: { tokens: 1 } })).toThrow('Did you mean "trigger"?');
    expect(() => palimpsestMiddleware({ trigger: { tokens: -1 } })).toThrow("tokens");
    expect(() => palimpsestMiddleware({})).toThrow("pass either session or sessionFor");
  });
});

describe("without LangChain", () => {
  test("the entry point can be imported, and a call prints the install command", async () => {
    const hook = `import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith("@langchain/") || name === "langchain")
          throw Object.assign(new Error("missing"), { code: "ERR_MODULE_NOT_FOUND" });
        return next(name, context);
      } });`;
    const call = `const { openChatHistory } = await import("./src/integrations/langchain/index.ts");
      const session = { sync() {}, append() {}, prompt() {}, ended() {} };
      await openChatHistory(session).catch(({ code, message }) => console.log(code, message));`;
    const options = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, "--input-type=module", "-e", call];
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: repositoryRoot });
    expect(stdout).toContain("config-invalid palimpsest/langchain: LangChain is not installed. Run: npm install");
  });
});

describe("a named agent", () => {
  test("continues its session, although LangChain names its answers when the call is over", async () => {
    await using provider = await startStrictAnthropic({ stepsPerTurn: 2 });
    await using engine = await openEngine();
    const session = await engine.session("named");
    const agent = createAgent({
      model: connect(provider.url),
      tools: [lookup],
      name: "helper",
      checkpointer: new MemorySaver(),
      middleware: [palimpsestMiddleware({ session })],
    });
    const config = { configurable: { thread_id: "thread" } };
    for (const text of ["Who am I?", "And now?"]) await agent.invoke({ messages: [new HumanMessage(text)] }, config);
    expect(await engine.forks("named")).toEqual([]);
    expect(await session.transcript()).toHaveLength(10);
    expect(provider.faults).toEqual([]);
  });
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
