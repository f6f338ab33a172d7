/**
 * Conversations that their provider compacts, played through the official clients and the frameworks. In each request,
 * the model knows every fact of the conversation: from the compaction, or from what follows it.
 */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents";
import { generateText } from "ai";
import { createAgent } from "langchain";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { validate } from "../../src/core/public/index.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { wrapModel } from "../../src/integrations/ai-sdk/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { PalimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { type CompactingProvider, findFacts, startCompactingProvider } from "./compacting-provider.ts";
import { BUDGET_TOKENS, openEngine } from "./contract.ts";
import { writeWords } from "./strict-provider.ts";

setTracingDisabled(true);

type Ask = (session: Session, url: string, question: string) => Promise<unknown>;

interface Case {
  readonly name: string;
  readonly format: "openai-responses" | "anthropic";
  readonly ask: Ask;
}

const size = { budgetTokens: BUDGET_TOKENS };

const askOpenAi: Ask = async (session, url, question) => {
  const client = new OpenAI({ apiKey: "test-key", baseURL: `${url}/v1`, maxRetries: 0 });
  const next = { role: "user", content: question };
  const prompt = await session.prompt({ ...size, next, model: "gpt-5", provider: "openai-responses" });
  const context_management = [{ type: "compaction", compact_threshold: 1_300 }];
  const request = { model: "gpt-5", store: false, context_management, ...prompt.as("openai-responses") };
  const { output } = await client.responses.create(request);
  await session.append(output, { promptId: prompt.id });
};

const askAnthropic: Ask = async (session, url, question) => {
  const client = new Anthropic({ apiKey: "test-key", baseURL: url, maxRetries: 0 });
  const model = "claude-opus-4-6";
  const next = { role: "user", content: question };
  const prompt = await session.prompt({ ...size, next, model, provider: "anthropic" });
  const { content } = await client.beta.messages.create({
    model,
    max_tokens: 1_000,
    betas: ["compact-2026-01-12"],
    context_management: { edits: [{ type: "compact_20260112" }] },
    ...prompt.as("anthropic"),
  });
  await session.append({ role: "assistant", content }, { promptId: prompt.id, format: "anthropic" });
};

const askAiSdk: (provider: "openai" | "anthropic") => Ask = (provider) => async (session, url, question) => {
  const connection = { baseURL: `${url}/v1`, apiKey: "test-key" };
  const model =
    provider === "openai" ? createOpenAI(connection)("gpt-5") : createAnthropic(connection)("claude-opus-4-6");
  const compaction = [{ type: "compaction" as const, compactThreshold: 1_300 }];
  await generateText({
    model: wrapModel(model, { ...size, session, history: "session" }),
    messages: [{ role: "user", content: question }],
    maxRetries: 0,
    providerOptions: {
      openai: { store: false, contextManagement: compaction },
      anthropic: { contextManagement: { edits: [{ type: "compact_20260112" }] } },
    },
  });
};

const askLangChain: Ask = async (session, url, question) => {
  const configuration = { baseURL: `${url}/v1` };
  const settings = { model: "gpt-5", apiKey: "test-key", configuration, maxRetries: 0, useResponsesApi: true };
  const agent = createAgent({
    model: new ChatOpenAI({ ...settings, zdrEnabled: true }),
    middleware: [palimpsestMiddleware({ ...size, session, history: "session" })],
  });
  await agent.invoke({ messages: [new HumanMessage(question)] });
};

const askAgentsSdk: Ask = async (conversation, url, question) => {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: "test-key", baseURL: `${url}/v1` }) });
  const session = new PalimpsestSession(conversation, size);
  const { callModelInputFilter } = session;
  await runner.run(new Agent({ name: "helper", model: "gpt-5" }), question, { session, callModelInputFilter });
};

const CASES: readonly Case[] = [
  { name: "OpenAI's client", format: "openai-responses", ask: askOpenAi },
  { name: "Anthropic's client", format: "anthropic", ask: askAnthropic },
  { name: "the AI SDK with OpenAI", format: "openai-responses", ask: askAiSdk("openai") },
  { name: "the AI SDK with Anthropic", format: "anthropic", ask: askAiSdk("anthropic") },
  { name: "LangChain", format: "openai-responses", ask: askLangChain },
  { name: "the OpenAI Agents SDK", format: "openai-responses", ask: askAgentsSdk },
];

const TURNS = 14;

interface Play {
  readonly provider: CompactingProvider;
  readonly store: string;
}

/** Plays a conversation in two processes' worth of engines, and returns what its model can know. */
async function play({ ask }: Case, { provider, store }: Play, mode: "carry" | "allow"): Promise<void> {
  for (const part of [0, 1]) {
    await using engine = await openEngine(store, { policy: { providerCompaction: mode, recall: false } });
    const session = await engine.session("compacted");
    for (let turn = 0; turn < TURNS / 2; turn += 1) {
      const number = (part * TURNS) / 2 + turn;
      await ask(session, provider.url, `Remember fact-${number}. ${writeWords(60, number)}.`);
    }
  }
  expect(provider.faults).toEqual([]);
  expect(provider.compactions).toBeGreaterThan(1);
  expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(BUDGET_TOKENS);
}

function openStore(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-compaction-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, "store.db")}`;
}

const allFacts = Array.from({ length: TURNS }, (_, number) => `fact-${number}`);

describe.each(CASES)("compactions that a provider writes, with $name", (row) => {
  test("are sent first if the policy allows them, and our summary moves to another provider", async () => {
    await using provider = await startCompactingProvider(row.format);
    const store = openStore();
    await play(row, { provider, store }, "allow");
    for (const [turn, known] of provider.known.entries()) {
      expect([...known].toSorted()).toEqual(allFacts.slice(0, turn + 1).toSorted());
    }
    const first = provider.places.findIndex((place) => place !== -1);
    expect(new Set(provider.places.slice(first))).toEqual(new Set([0]));
    await using engine = await openEngine(store, { policy: { providerCompaction: "allow", recall: false } });
    const session = await engine.session("compacted");
    expect(await session.getSummaryHistory()).not.toEqual([]);
    const prompt = await session.prompt({ ...size, next: { role: "user", content: "And now?" }, preview: true });
    const other = row.format === "anthropic" ? prompt.as("openai-responses") : prompt.as("anthropic");
    const text = JSON.stringify(other);
    expect(text).toContain("Summary of the");
    expect(text).not.toContain("y the provider");
    expect(validate(other, row.format === "anthropic" ? "openai-responses" : "anthropic")).toEqual([]);
    expect(findFacts(await session.transcript()).toSorted()).toEqual(allFacts.toSorted());
  });

  test("are carried otherwise, and the model still knows what they hold", async () => {
    await using provider = await startCompactingProvider(row.format);
    await play(row, { provider, store: openStore() }, "carry");
    // From the first fold on, the model also knows our summary, which may leave out a fact.
    const folded = provider.summarized.indexOf(true);
    for (const [turn, known] of provider.known.slice(0, folded === -1 ? TURNS : folded).entries()) {
      expect([...known].toSorted()).toEqual(allFacts.slice(0, turn + 1).toSorted());
    }
  });
});
