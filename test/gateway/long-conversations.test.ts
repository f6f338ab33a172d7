/** The gateway with the official clients of two vendors, between them and providers that check every request. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/message/json.ts";
import { type StrictProvider, startStrictAnthropic, writeWords } from "../integrations/strict-provider.ts";
import { startStrictResponses } from "../integrations/strict-responses.ts";
import { newFolders } from "../support/new-folders.ts";
import { startGateway, WINDOW_TOKENS } from "./start-gateway.ts";
import { startStrictChat } from "./strict-chat.ts";

const newFolder = newFolders("gateway");
const TURNS = 16;
const CLAUDE = "claude-fable-5-1";
const TOOL = { name: "lookup", description: "Looks a topic up." };
const SCHEMA = { type: "object", properties: { topic: { type: "string" } } } as const;

function expectHeld(provider: StrictProvider): void {
  expect(provider.faults).toEqual([]);
  expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(WINDOW_TOKENS);
  // Each compaction changes the past once; requests between them only grow.
  expect(provider.brokenPrefixes).toBeGreaterThan(0);
  expect(provider.brokenPrefixes).toBeLessThan(provider.requests.length / 4);
}

const resultOf = (topic: unknown) => `Found on ${JSON.stringify(topic)}: ${writeWords(150, 7)}`;

describe("the gateway", () => {
  test("keeps a long conversation of Anthropic's client valid and in its window, over a restart", async () => {
    await using provider = await startStrictAnthropic();
    const store = `sqlite:${newFolder()}/store.db`;
    const messages: Anthropic.MessageParam[] = [];
    for (const part of [0, 1]) {
      await using gateway = await startGateway(provider.url, { store });
      const client = new Anthropic({ baseURL: gateway.url, apiKey: "key of the client", maxRetries: 0 });
      for (let turn = 0; turn < TURNS / 2; turn += 1) {
        messages.push({ role: "user", content: `Question ${part}.${turn}: ${writeWords(40, turn)}` });
        for (let step = 0; step < 2; step += 1) {
          const reply = await client.messages
            .stream({
              model: CLAUDE,
              max_tokens: 100,
              system: [{ type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } }],
              tools: [{ ...TOOL, input_schema: SCHEMA }],
              thinking: { type: "adaptive" },
              messages,
            })
            .finalMessage();
          messages.push({ role: "assistant", content: reply.content });
          const calls = reply.content.filter((block) => block.type === "tool_use");
          if (calls.length === 0) break;
          const results = calls.map(({ id, input }) => ({
            type: "tool_result" as const,
            tool_use_id: id,
            content: resultOf(input),
          }));
          messages.push({ role: "user", content: results });
        }
      }
      const { body } = await gateway.ask("GET", "/api/sessions");
      expect(body.sessions).toHaveLength(1);
      expect(body.sessions[0].messageCount).toBeGreaterThanOrEqual(messages.length);
    }
    expectHeld(provider);
    expect(provider.requests.map(({ body }) => body.system)).toEqual(
      provider.requests.map(() => [{ type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } }]),
    );
    expect(new Set(provider.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer key of the client"]),
    );
  });

  test("keeps a long conversation of OpenAI's client valid and in its window, in chat completions", async () => {
    await using provider = await startStrictChat();
    await using gateway = await startGateway(provider.url);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key of the client", maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "developer", content: "Answer briefly." }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: "user", content: `Question ${turn}: ${writeWords(40, turn)}` });
      for (let step = 0; step < 2; step += 1) {
        const completion = await client.chat.completions
          .stream({
            model: "gpt-5.4",
            max_completion_tokens: 100,
            tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }],
            messages,
          })
          .finalMessage();
        messages.push(completion);
        const calls = completion.tool_calls ?? [];
        for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: resultOf(id) });
        if (calls.length === 0) break;
      }
    }
    expectHeld(provider);
    const heads = provider.requests.map(({ body }) => (body.messages as readonly JsonObject[])[0]);
    expect(new Set(heads.map((head) => JSON.stringify(head)))).toEqual(
      new Set([JSON.stringify({ role: "developer", content: "Answer briefly." })]),
    );
  });

  test("keeps a long conversation of OpenAI's client valid and in its window, in responses", async () => {
    await using provider = await startStrictResponses();
    await using gateway = await startGateway(provider.url);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key of the client", maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      input.push({ role: "user", content: `Question ${turn}: ${writeWords(40, turn)}` });
      for (let step = 0; step < 2; step += 1) {
        const response = await client.responses.create({
          model: "gpt-5.4",
          instructions: "Answer briefly.",
          store: false,
          include: ["reasoning.encrypted_content"],
          tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: false }],
          input,
        });
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
        const calls = response.output.filter((item) => item.type === "function_call");
        for (const { call_id } of calls)
          input.push({ type: "function_call_output", call_id, output: resultOf(call_id) });
        if (calls.length === 0) break;
      }
    }
    expectHeld(provider);
  });
});
