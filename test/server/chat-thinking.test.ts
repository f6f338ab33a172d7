import { createAnthropic } from "@ai-sdk/anthropic";
import { type ToolSet, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { shows } from "../../src/testing/shows.ts";
import { startAnthropicDouble } from "../../src/testing/start-anthropic-double.ts";
import { countThinking } from "../support/count-thinking.ts";
import { ChatClient } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const weather = tool({
  description: "The weather of a place.",
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => ({ place, sky: `clear over ${place}, with a light wind from the north-west` }),
});

const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");

function withoutMetadata({
  providerMetadata: _,
  callProviderMetadata: __,
  ...part
}: Record<string, unknown>): readonly object[] {
  return [part];
}

function removeThinking(part: Record<string, unknown>): readonly object[] {
  return part.type === "reasoning" ? [] : [part];
}

/** Usage of zero corrects nothing, so the engine's own count is compared with the budget. */
const NOTHING_LEARNT = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function startThinkingServer(url: string, tools: ToolSet = {}) {
  const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })("claude-opus-5-5");
  const models = [{ id: "claude", isOffline: false, forSession: () => model }];
  return startTestServer({ models, tools, engine: { counter: "estimate", budgetTokens: 3_000 } });
}

describe("a chat on a server with a model that binds thinking", () => {
  test(shows("X-32", "is never refused, with tool rounds and compactions between its turns"), async () => {
    await using provider = await startAnthropicDouble({
      reply: (_request, index) => {
        const thought = { type: "thinking", thinking: `Thought ${index}: ${words(10, index)}` };
        const call = { type: "tool_use", id: `call_${index}`, name: "weather", input: { place: `Place ${index}` } };
        const answer = { type: "text", text: `Answer ${index}: ${words(20, index)}` };
        return { content: [thought, index % 3 === 2 ? answer : call], usage: NOTHING_LEARNT };
      },
    });
    await using server = await startThinkingServer(provider.url, { weather });
    const client = new ChatClient(server.url, "thinking");
    for (let turn = 0; turn < 16; turn += 1) {
      const { errors } = await client.say(`Question ${turn}: ${words(12, turn)}?`);
      expect(errors).toEqual([]);
    }
    expect(provider.verdicts.filter(({ type }) => type === "refusal")).toEqual([]);
    expect(provider.verdicts.flatMap((verdict) => (verdict.type === "accepted" ? verdict.dropped : []))).toEqual([]);
    const sent = provider.requests.map(({ body }) => countThinking(body));
    expect(sent.slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(sent.some((count, index) => count < (sent[index - 1] ?? 0))).toBe(true);
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
  });

  test(shows("X-32", "shows in its view how much thinking the next prompt has and lacks, and why"), async () => {
    await using provider = await startAnthropicDouble({
      reply: (_request, index) => ({
        content: [
          { type: "thinking", thinking: `Thought ${index}: ${words(10, index)}` },
          { type: "text", text: `Answer ${index}: ${words(20, index)}` },
        ],
        usage: NOTHING_LEARNT,
      }),
    });
    await using server = await startThinkingServer(provider.url);
    const client = new ChatClient(server.url, "thinking");
    for (let turn = 0; turn < 12; turn += 1) await client.say(`Question ${turn}: ${words(12, turn)}?`);
    const view = async () => (await server.ask("GET", "/api/sessions/thinking/view?model=claude-opus-5-5")).body.report;
    expect((await view()).thinking).toEqual({ sentBlocks: 12, leftOut: [] });
    await server.ask("POST", "/api/sessions/thinking/compactions", {});
    const { thinking, changes } = await view();
    expect(thinking).toEqual({
      sentBlocks: 0,
      leftOut: [{ reason: "summary", blocks: expect.any(Number), tokens: expect.any(Number) }],
    });
    expect(changes.map(({ section }: { section: string }) => section)).toContain("history");
    expect((await client.say("And now?")).errors).toEqual([]);
    expect(provider.verdicts.filter(({ type }) => type === "refusal")).toEqual([]);
  });

  test("continues in one session with a client that drops signatures or thinking, and sends both to the provider", async () => {
    for (const [index, keep] of [withoutMetadata, removeThinking].entries()) {
      await using provider = await startAnthropicDouble({
        reply: (_request, turn) => ({
          content: [
            { type: "thinking", thinking: `Thought ${turn}: ${words(10, turn)}` },
            turn % 2 === 0
              ? { type: "tool_use", id: `call_${turn}`, name: "weather", input: { place: `Place ${turn}` } }
              : { type: "text", text: `Answer ${turn}: ${words(20, turn)}` },
          ],
          usage: NOTHING_LEARNT,
        }),
      });
      await using server = await startThinkingServer(provider.url, { weather });
      const client = new ChatClient(server.url, `respelled-${index}`);
      for (let turn = 0; turn < 4; turn += 1) {
        expect((await client.say(`Question ${turn}: ${words(12, turn)}?`)).errors).toEqual([]);
        client.messages = client.messages.map((message) => ({
          ...message,
          parts: message.parts.flatMap((part) => keep({ ...part }) as typeof message.parts),
        }));
      }
      expect((await server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
      expect(provider.requests.map(({ body }) => countThinking(body))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(provider.verdicts.filter(({ type }) => type === "refusal")).toEqual([]);
    }
  });
});
