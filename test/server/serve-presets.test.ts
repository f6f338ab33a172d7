/** Presets under `palimpsest serve`, as an operator runs it: the command, a policy file, and its log. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/message/json.ts";
import { shows } from "../../src/testing/shows.ts";
import { followEvents } from "../support/follow-events.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { type LogLine, type StartedServe, startServe } from "../support/serve-process.ts";
import { ChatClient } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-serve-presets-"));
const STRUCTURED = {
  summary: "They spoke of the harbour.",
  keyPoints: ["the harbour"],
  context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
};
/** Ids of the models that currently fail to write summaries. */
const down = new Set<string>();
const provider = await startScriptedProvider(({ body }) => {
  if (!isForSummary(body)) return scriptedReplies.text("Indeed.");
  if (down.has(String(body.model))) return scriptedReplies.unauthorised();
  const isStructured = JSON.stringify(body).includes("keyPoints");
  return scriptedReplies.text(isStructured ? JSON.stringify(STRUCTURED) : STRUCTURED.summary);
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const QUESTION = "What of the harbour";
/** Summaries are requested at temperature 0, and chats at the provider's default. */
function isForSummary(body: JsonObject): boolean {
  return body.temperature === 0;
}

const summaryModels = () => provider.requests.flatMap(({ body }) => (isForSummary(body) ? [body.model] : []));

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");

let homes = 0;
async function serve(policy: object, windowTokens = 8_192): Promise<StartedServe> {
  homes += 1;
  const home = join(folder, `home-${homes}`);
  const config = `${home}.json`;
  const connection = { baseUrl: `${provider.url}/v1`, windowTokens };
  const server = {
    model: "main:large-model",
    connections: [
      { ...connection, name: "main", models: ["large-model"] },
      { ...connection, name: "beside", models: ["gpt-4.1", "small-model"] },
    ],
  };
  writeFileSync(config, JSON.stringify({ ...policy, server }));
  return startServe({ args: ["--config", config], environment: { PALIMPSEST_HOME: home } });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response.
async function ask(url: string, path: string): Promise<any> {
  const answer = await fetch(`${url}${path}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe("the model that writes summaries", () => {
  /** Runs turns until a reply says that a summary was written. */
  const talk = async (server: StartedServe) => {
    const client = new ChatClient(server.url, "talk");
    for (let turn = 1; turn <= 12; turn += 1) {
      const { metadata } = await client.say(`${QUESTION} ${turn}? ${words(500)}`);
      if (metadata.summary !== undefined) return metadata.summary;
    }
    return expect.fail("no summary was written");
  };

  test.each([
    [
      shows("S2-40", "is gpt-4.1 if agent-rounds forces it"),
      { preset: "agent-rounds", AgentHistorySummarizationForceGpt41: true },
      "gpt-4.1",
    ],
    [
      shows(["S4-13", "S4-77"], "is the first model of summarizerModelPreference that the server has"),
      {
        preset: "ratio-chain",
        minMessages: 4,
        preserveRecent: 2,
        summarizerModelPreference: ["not-here", "small-model", "gpt-4.1"],
      },
      "small-model",
    ],
    [
      shows("S4-13", "is the preferred model of the connection that the policy names"),
      { preset: "windowed-sql", MAX_CHAT_HISTORY: 4, summary: { modelPreference: ["beside:gpt-4.1"] } },
      "gpt-4.1",
    ],
  ])("%s, and is named in the reply and the record", async (_, policy, model) => {
    await using server = await serve(policy);
    const before = summaryModels().length;
    const summary = await talk(server);
    expect(summary.model).toBe(model);
    expect(new Set(summaryModels().slice(before))).toEqual(new Set([model]));
    const { summaries } = await ask(server.url, "/api/sessions/talk/summaries");
    expect(summaries.map(({ record }: { readonly record: object }) => record)).toMatchObject([{ model }]);
  });
});

test.each([
  [4_096, {}, 3_000],
  [16_384, {}, 12_000],
  [16_384, { CHAT_TOKEN_THRESHOLD: 700 }, 700],
])(
  shows(
    ["S1-15", "S1-34"],
    "windowed-sql folds when a chat reaches its token threshold, for a window of %d tokens and the settings %j",
  ),
  async (windowTokens, keys, threshold) => {
    await using server = await serve({ preset: "windowed-sql", ...keys }, windowTokens);
    const client = new ChatClient(server.url, "sized");
    // A word is 1.3 tokens by the document's estimate, and a message 10 more.
    const fifth = words(Math.floor(threshold / 5 / 1.3));
    const summaries: boolean[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      const { metadata } = await client.say(`${QUESTION} ${turn}? ${fifth}`);
      summaries.push(metadata.summary !== undefined);
    }
    expect(summaries).toEqual([false, false, false, false, true]);
  },
);

test(
  shows("S2-47", "the event feed has a summary event in the turn whose reply contains the summary, and in no other"),
  async () => {
    const before = summaryModels().length;
    await using server = await serve({ preset: "agent-rounds" });
    await using followed = await followEvents(server.url);
    const readSummaries = () =>
      followed.events.filter(({ name }) => name === "compaction").map(({ data }) => data.summary);
    const client = new ChatClient(server.url, "grouped");
    const carried: unknown[] = [];
    for (let turn = 1; turn <= 8; turn += 1) {
      const { metadata } = await client.say(`${QUESTION} ${turn}? ${words(700)}`);
      if (metadata.summary !== undefined) carried.push(metadata.summary);
      // The event tells clients that their view of the earlier history is outdated.
      await expect.poll(readSummaries).toHaveLength(carried.length);
    }
    expect(carried.length).toBeGreaterThan(0);
    expect(carried.length).toBeLessThan(8);
    // No model is preferred, so the server's own model writes the summaries.
    expect(new Set(summaryModels().slice(before))).toEqual(new Set(["large-model"]));
    expect(readSummaries()).toMatchObject(carried.map((summary) => ({ id: Object(summary).id, model: "large-model" })));
  },
);

describe("the log of a server, without --log", () => {
  const POLICY = { preset: "windowed-sql", MAX_CHAT_HISTORY: 4 };
  const linesOf = (server: StartedServe, msg: string): readonly LogLine[] =>
    server.logged().filter((line) => line.msg === msg);

  test(
    shows(
      ["S1-14", "S1-36", "S1-37", "S1-47"],
      "has the tokens of every prompt, each summary and each failure under windowed-sql",
    ),
    async () => {
      await using server = await serve(POLICY);
      const client = new ChatClient(server.url, "logged");
      for (const turn of [1, 2, 3]) await client.say(`${QUESTION} ${turn}?`);
      await expect.poll(() => linesOf(server, "prompt").length).toBe(3);
      for (const line of linesOf(server, "prompt")) {
        expect(line).toMatchObject({
          sessionId: "logged",
          tokens: expect.any(Number),
          limitTokens: expect.any(Number),
        });
      }
      expect(linesOf(server, "summarised")).toMatchObject([{ sessionId: "logged", model: "large-model" }]);
      down.add("large-model");
      const failed = await client.say(`${QUESTION} 4?`);
      down.clear();
      // The answer used the full history.
      expect(failed.text).toBe("Indeed.");
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(`${QUESTION} 2?`);
      await expect.poll(() => linesOf(server, "summary failed").length).toBe(1);
      expect(linesOf(server, "summary failed")).toMatchObject([
        { level: 40, sessionId: "logged", model: "large-model", reason: expect.stringMatching(/./) },
      ]);
      const figures = await (await fetch(`${server.url}/metrics`)).text();
      expect(figures).toMatch(/compactions_total\{[^}]*policy="windowed-sql"[^}]*\} 1/);
      expect(JSON.stringify(server.logged())).not.toContain(QUESTION);
    },
  );

  test("has no line for a prompt under another policy", async () => {
    await using server = await serve({ preset: "default" });
    await new ChatClient(server.url, "quiet").say(`${QUESTION}?`);
    expect(await server.end()).toBe(0);
    expect(server.logged()).toEqual([]);
  });
});
