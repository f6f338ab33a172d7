/**
 * The view, the plan, the strip, explanations and the budget show the prompt that the next turn of the chat sends, with
 * the server's tools, its budget, the chosen model and the instructions.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/core/message/json.ts";
import { startAnthropicDouble } from "../../src/testing/start-anthropic-double.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { ChatClient, startChat } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const weather = tool({
  description: "The weather of a place, as the nearest station has measured it in the last hour.",
  inputSchema: z.object({
    place: z.string().describe("A town or an island."),
    hours: z.number().default(1),
  }),
  execute: async ({ place }) => ({ place, sky: "clear" }),
});

const INSTRUCTIONS = "You answer questions about ferries. Be brief, and name the pier.";

async function startThinkingServer() {
  const provider = await startAnthropicDouble({
    reply: (_request, index) => ({
      content: [
        { type: "thinking", thinking: `Thought ${index}: the ferry leaves from the old pier.` },
        { type: "text", text: `Answer ${index}: it leaves at nine, from the old pier.` },
      ],
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    }),
  });
  const model = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "test-key" })("claude-opus-5-5");
  const models = [{ id: "claude", isOffline: false, forSession: () => model }];
  const server = await startTestServer({ models, tools: { weather }, engine: { budgetTokens: 30_000 } });
  return { provider, server };
}

const toolsOf = ({ tools }: JsonObject) =>
  (tools as JsonObject[]).map(({ name, description, input_schema }) => ({
    name,
    description,
    inputSchema: input_schema,
  }));

describe("the next prompt that the server shows", () => {
  test("is the one that its next chat turn sends: messages, instructions, tools, thinking and tokens", async () => {
    const { provider, server } = await startThinkingServer();
    const client = new ChatClient(server.url, "ferry");
    const body = { instructions: INSTRUCTIONS };
    for (let turn = 0; turn < 3; turn += 1) await client.say(`Question ${turn}: when does it leave?`, { body });
    const text = "And on Sundays?";
    // The client's next message is stored first, so that the view contains it.
    const next = { id: `ferry-u${client.messages.length + 1}`, role: "user", parts: [{ type: "text", text }] };
    await server.ask("POST", "/api/sessions/ferry/messages", { messages: [next] });
    const query = `instructions=${encodeURIComponent(INSTRUCTIONS)}`;
    const get = async (path: string) => (await server.ask("GET", `/api/sessions/ferry/${path}`)).body;
    const view = await get(`view?provider=anthropic&${query}`);
    const budget = await get(`budget?${query}`);
    const plan = await get(`plan?${query}`);
    const { metadata } = await client.say(text, { body });
    const sent = provider.requests.at(-1)?.body ?? {};
    expect(view.report.thinking).toEqual({ sentBlocks: 3, leftOut: [] });
    expect(view.prompt.messages).toEqual(sent.messages);
    expect(view.prompt.system).toEqual(sent.system);
    expect(view.tools).toEqual(toolsOf(sent));
    expect(view.report.sections).toContainEqual({ name: "tools", tokens: expect.any(Number) });
    expect(view.report.tokens).toBe(metadata.prompt?.tokens);
    expect(budget.promptTokens).toBe(metadata.prompt?.tokens);
    expect(view.report.plan.runs).toEqual(plan.runs);
    await server[Symbol.asyncDispose]();
    await provider.close();
  });

  test("is counted with the server's tools and for the model that a client names, in every figure", async () => {
    await using chat = await startChat({
      script: () => replies.text("At nine, from the old pier."),
      wire: "openai",
      other: { id: "haiku", wire: "anthropic" },
      tools: { weather },
    });
    const { server } = chat;
    const client = chat.client("ferry");
    await client.say("When does the ferry leave?", { body: { model: "haiku" } });
    const text = "And on Sundays?";
    const next = { id: `ferry-u${client.messages.length + 1}`, role: "user", parts: [{ type: "text", text }] };
    await server.ask("POST", "/api/sessions/ferry/messages", { messages: [next] });
    const get = async (path: string) => (await server.ask("GET", `/api/sessions/ferry/${path}`)).body;
    const rpc = async (method: string, params = {}) =>
      (await server.ask("POST", "/rpc", { jsonrpc: "2.0", id: 1, method, params })).body.result;
    await rpc("load_session_into_context", { session_id: "ferry" });
    const byOther = [await get("view?model=haiku"), await get("budget?model=haiku")];
    const byDefault = [await get("view"), await get("budget"), await rpc("get_context_breakdown")];
    const { metadata } = await client.say(text, { body: { model: "haiku" } });
    expect([byOther[0].report.tokens, byOther[1].promptTokens]).toEqual(Array(2).fill(metadata.prompt?.tokens));
    expect(byOther[0].report.windowTokens).toBe(metadata.prompt?.windowTokens);
    const again = await client.regenerate();
    expect([byDefault[0].report.tokens, byDefault[1].promptTokens, byDefault[2].total_tokens]).toEqual(
      Array(3).fill(again.metadata.prompt?.tokens),
    );
    expect(byDefault[0].report.windowTokens).toBe(again.metadata.prompt?.windowTokens);
  });
});
