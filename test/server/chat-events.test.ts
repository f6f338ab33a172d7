/** Events after a reply under the workspace preset, as a client of the event feed gets them. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { SMALL_MODELS } from "../presets/play-preset.ts";
import { followEvents, type ReceivedEvent } from "../support/follow-events.ts";
import { type ProviderScript, startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { sentOn, startChat, until } from "../support/start-chat.ts";

const { text, json, unauthorised } = scriptedReplies;

const FILLER = "the ledger keeps one row for every invoice and closes at night. ";
const SUMMARY = "The ledger keeps one row for every invoice and closes at night.";
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const SMALL = {
  preset: "workspace",
  compaction_trigger_tokens: 600,
  verbatim_window_tokens: 200,
  summary_budget_tokens: 120,
  min_verbatim_exchanges: 1,
} as const;

/** Plays one chat until a compaction has started and ended, and returns its events. */
async function playUntilEnd(summary: ProviderScript) {
  await using small = await startScriptedProvider((request, index) => {
    if (JSON.stringify(request.body).includes("boundary_index")) return json(NO_BOUNDARY);
    return typeof summary === "function" ? summary(request, index) : unauthorised();
  });
  let saidAt = 0;
  await using chat = await startChat({
    engine: { policy: SMALL, windowTokens: 200_000, summarizer: SMALL_MODELS.openai(small.url) },
    // The engine ignores usage of zero and keeps its own count, which the test can compute.
    script: () => {
      saidAt = performance.now();
      return { type: "text", text: `Answer: ${FILLER.repeat(4)}`, usage: NO_USAGE };
    },
  });
  await using followed = await followEvents(chat.server.url);
  const client = chat.client();
  const isOver = ({ name }: ReceivedEvent) => name === "compaction" || name === "compaction-end";
  const percent = async () => (await chat.server.ask("GET", "/api/sessions/chat/budget")).body.compaction.percent;
  let turn = 0;
  const ask = () => {
    turn += 1;
    return client.say(`Question ${turn}: ${FILLER.repeat(4)}`);
  };
  await ask();
  while ((await percent()) < 70) await ask();
  while ((await percent()) <= 100) {
    // The checks that earlier replies scheduled run now, and find nothing to do.
    await pause(800);
    expect(followed.events.filter(({ name }) => name.startsWith("compaction"))).toEqual([]);
    await ask();
  }
  const repliedAt = saidAt;
  await until(() => followed.events.some(isOver));
  const after = await client.say("And now?");
  return { events: [...followed.events], repliedAt, after, sent: sentOn(chat.provider.requests.at(-1) as never) };
}

describe("after a reply", () => {
  test(shows("S3-157", "a compaction starts after a pause, and its outcome follows"), async () => {
    const { events, repliedAt, sent } = await playUntilEnd(() => text(SUMMARY));
    const received = events.filter(({ name }) => name.startsWith("compaction"));
    expect(received.map(({ name }) => name).slice(0, 2)).toEqual(["compaction-start", "compaction"]);
    expect(received[0]?.data).toMatchObject({
      sessionId: "chat",
      phase: "post-response",
      promptId: expect.any(String),
    });
    expect(received[1]?.data).toMatchObject({ sessionId: "chat", phase: "post-response", reason: expect.any(String) });
    // The compaction starts half a second after the end of the provider's reply, by the server's clock.
    expect((received[0]?.atMs ?? 0) - repliedAt).toBeGreaterThan(490);
    expect(sent[0]).toContain("[History Summary]");
  });

  test("a failed compaction is an event, and the chat keeps its whole history", async () => {
    const { events, after, sent } = await playUntilEnd(() => unauthorised());
    const received = events.filter(({ name }) => name.startsWith("compaction"));
    expect(received.slice(0, 2)).toMatchObject([
      { name: "compaction-start" },
      { name: "compaction-end", data: { sessionId: "chat", outcome: "failed", reason: expect.any(String) } },
    ]);
    expect(after.errors).toEqual([]);
    expect(sent[0]).toContain("Question 1:");
  });
});
