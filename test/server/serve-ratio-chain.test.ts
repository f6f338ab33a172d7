/**
 * `serve` under the preset ratio-chain, with one small model that answers chats and writes its own summaries, as an
 * operator starts it: the summaries, and its log at the level `debug`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import { shows } from "../../src/testing/shows.ts";
import { wordsOf } from "../presets/play-preset.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { type StartedServe, startServe } from "../support/serve-process.ts";
import { until } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-ratio-chain-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DEBUG = 20;

interface RatioChainServer extends AsyncDisposable {
  readonly process: StartedServe;
  readonly client: Client;
  /** For each request, its tokens plus the longest answer that it allows. */
  readonly sizes: readonly number[];
}

/** A provider that enforces its model's window, and a server on it. */
async function serve(windowTokens: number, summaries: (index: number) => ScriptedReply): Promise<RatioChainServer> {
  const counter = await loadCounter("o200k");
  const sizes: number[] = [];
  let asked = 0;
  const provider = await startScriptedProvider((request) => {
    const { messages, response_format: format, max_tokens: longest = 0 } = request.body;
    const isSummary = wordsOf(messages).includes("<meta total_messages=");
    const inputTokens = countText(wordsOf(messages), counter) + countText(JSON.stringify(format ?? ""), counter);
    sizes.push(inputTokens + Number(longest));
    if (inputTokens + Number(longest) > windowTokens) return scriptedReplies.overflow();
    // A provider reports the tokens that it counted.
    const usage = { inputTokens, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    if (!isSummary) return { type: "text", text: "Noted.", usage };
    asked += 1;
    return summaries(asked - 1);
  });
  const environment = {
    PALIMPSEST_HOME: mkdtempSync(join(folder, "home-")),
    PALIMPSEST_POLICY: "ratio-chain",
    PALIMPSEST_BASE_URL: `${provider.url}/v1`,
    PALIMPSEST_MODEL: "small",
    PALIMPSEST_WINDOW_TOKENS: String(windowTokens),
  };
  const process = await startServe({ args: ["--log", "debug"], environment });
  return {
    process,
    client: createClient({ url: process.url }),
    sizes,
    async [Symbol.asyncDispose]() {
      await process.end();
      await provider.close();
    },
  };
}

async function say(client: Client, number: number): Promise<void> {
  const text = `Station ${number} keeps version ${number}.1. ${"Visitors walk on to the next room. ".repeat(30)}`;
  const message = { id: `m${number}`, role: "user", parts: [{ type: "text", text }] };
  for await (const part of client.chat({ body: { id: "guide", message } })) {
    if (part.type === "error") throw new Error(String(part.errorText));
  }
}

const answer = (index: number): ScriptedReply =>
  scriptedReplies.json({
    summary: `Visitors walk on to the next room, part ${"abc"[index] ?? "d"}.`,
    keyPoints: ["visitors walk on"],
    context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
  });

describe("serve under ratio-chain", () => {
  test.each([2_048, 3_072, 4_096])(
    shows(
      ["X-30", "S4-74", "S4-22", "S4-81", "S4-80"],
      "a model with a window of %d summarizes its own conversation up to the maximum depth, and the log has the figures of each summary",
    ),
    async (windowTokens) => {
      await using served = await serve(windowTokens, answer);
      const { client, process, sizes } = served;
      const written = () => process.logged().filter(({ msg }) => msg === "summary written");
      let number = 0;
      const sayMore = (): Promise<void> => {
        number += 1;
        return say(client, number);
      };
      while (written().length < 3 && number < 60) await sayMore();
      // A chain has at most three summaries: the chat continues without a fourth.
      for (let more = 0; more < 8; more += 1) await sayMore();
      const { summaries } = await client.listSummaries({ params: { id: "guide" } });
      expect(summaries.map(({ record }) => [record.depth, record.model])).toEqual(
        [0, 1, 2].map((depth) => [depth, "small"]),
      );
      for (const { record } of summaries) expect(record.id).toMatch(UUID);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(windowTokens);
      await until(() => written().length === 3);
      for (const [depth, line] of written().entries()) {
        expect(line).toMatchObject({ level: DEBUG, sessionId: "guide", depth, summaryId: summaries[depth]?.record.id });
        expect(line.compressedMessages).toBeGreaterThanOrEqual(5);
        expect(line.ratioBefore).toBeGreaterThanOrEqual(0.8);
        expect(line.estimateAfter).toBeLessThan(windowTokens * 0.8);
      }
    },
  );

  test(
    shows(["S4-51", "S4-52"], "the log has the beginning of an unusable answer without secrets, and all messages stay"),
    async () => {
      const secret = `ghp_${"a1B2c3".repeat(6)}`;
      const raw = `\u0007Sure, the key is ${secret} and ${"words ".repeat(100)}`;
      await using served = await serve(4_096, () => scriptedReplies.text(raw));
      const { client, process } = served;
      const details = () => process.logged().filter(({ msg }) => msg === "summary answer unreadable");
      let number = 0;
      while (details().length === 0 && number < 60) {
        number += 1;
        await say(client, number);
      }
      await until(() => details().length > 0);
      const [line] = details();
      expect(line).toMatchObject({ level: DEBUG, sessionId: "guide", code: "validation", model: "small" });
      const rawStart = String(line?.rawStart);
      expect(rawStart).toMatch(/^Sure, the key is \[secret:/);
      expect(rawStart.length).toBeLessThanOrEqual(200);
      expect(rawStart).not.toMatch(/\p{Cc}/u);
      expect(process.err()).not.toContain(secret);
      const { summaries } = await client.listSummaries({ params: { id: "guide" } });
      expect(summaries).toEqual([]);
      const { entries } = await client.readMessages({ params: { id: "guide" }, query: { limit: 200 } });
      expect(entries).toHaveLength(2 * number);
    },
  );
});
