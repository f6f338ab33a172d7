/** How long callers wait for a summarizer, how they cancel, and what happens to a late answer. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, test } from "vitest";
import { WorkerSummaries } from "../src/compose/threads/summary-thread.ts";
import type { Entry } from "../src/core/log/entry.ts";
import { fit as fitHistory, type OpenOptions, type Session } from "../src/index.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../src/ports/summarizer.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { scriptedTimer } from "../src/testing/scripted-clock.ts";
import { longTalk, RULE } from "./support/long-talk.ts";
import { openEngine } from "./support/open-engine.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies } from "./support/scripted-provider-reply.ts";
import { startChat, until } from "./support/start-chat.ts";
import { startTestServer } from "./support/start-server.ts";
import { watchEngine } from "./support/watch-engine.ts";

const TURNS = 40;
const LIMIT_TOKENS = 3_000;
const TTL_MS = 300_000;
const GOOD = "The ledger on port 4711 was looked at first; then the mailer, the scheduler and the others.";

/** Answers when the test releases it. */
function heldSummarizer() {
  const asked: SummaryRequest[] = [];
  const signals: AbortSignal[] = [];
  const waiting: ((text: string) => void)[] = [];
  const summarizer: Summarizer = {
    name: "held",
    estimateCost: () => 0.01,
    async summarize(request, signal): Promise<SummaryOutcome> {
      asked.push(request);
      signals.push(signal);
      request.onProgress?.("held-model");
      const text = await new Promise<string | undefined>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const origin = { ...emptyOrigin("held"), model: "held-model", costUsd: 0.5, request: "transcript" as const };
      if (text === undefined) return { type: "failed", kind: "aborted", reason: "It was given up.", origin };
      return { type: "summary", text, origin };
    },
  };
  const answer = (text = GOOD) => {
    for (const resolve of waiting.splice(0)) resolve(text);
  };
  return { summarizer, asked, signals, answer };
}

async function start(options: OpenOptions = {}) {
  const clock = scriptedTimer({ startMs: 1_000_000 });
  const held = heldSummarizer();
  const watched = await watchEngine({
    counter: "estimate",
    clock,
    summarizer: held.summarizer,
    budgetTokens: LIMIT_TOKENS,
    ...options,
  });
  const session = await watched.engine.session("s");
  await session.append(longTalk({ turns: TURNS }), { format: "palimpsest" });
  return {
    ...held,
    ...watched,
    clock,
    session,
    [Symbol.asyncDispose]: () => watched.engine.close({ withinMs: 1_000 }),
  };
}

/** Starts the same scene without keeping the handle of its session. */
async function startUnheld() {
  const { session: _, ...scene } = await start();
  return scene;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const changesOf = async (session: Session): Promise<readonly Entry["type"][]> =>
  (await session.entries()).map(({ type }) => type).filter((type) => type !== "message" && type !== "request");

/** Runs all pending work, and returns whether the promise still waits for the clock. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const turns = (async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return "pending";
  })();
  return (await Promise.race([promise, turns])) === "pending";
}

const next = { id: "next", role: "user", content: "And the printer?" };

describe("an aborted signal", () => {
  test("ends the wait of prompt() at once, cancels the call and writes nothing; the new message stays", async () => {
    await using scene = await start();
    const { session, asked, signals } = scene;
    const giving = new AbortController();
    const prompt = session.prompt({ next, signal: giving.signal });
    await until(() => asked.length === 1);
    const reason = new Error("The tab was closed.");
    giving.abort(reason);
    await expect(prompt).rejects.toMatchObject({
      name: "PalimpsestError",
      code: "aborted",
      retryable: false,
      cause: reason,
    });
    expect(signals[0]?.aborted).toBe(true);
    await session.settle();
    expect(await changesOf(session)).toEqual([]);
    expect((await session.entries()).at(-1)).toMatchObject({ type: "message", id: "next" });
    expect(scene.of("summary")).toMatchObject([{ outcome: "failed", rule: "aborted" }]);
    // The session continues: the next prompt calls again.
    const again = session.prompt({ next });
    await until(() => asked.length === 2);
    scene.answer();
    expect((await again).report.compaction?.isRecorded).toBe(true);
  });

  test("ends the wait of a prompt that is queued", async () => {
    await using scene = await start();
    const giving = new AbortController();
    const first = scene.session.prompt();
    await until(() => scene.asked.length === 1);
    const second = scene.session.prompt({ signal: giving.signal });
    giving.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    scene.answer();
    expect((await first).report.compaction?.isRecorded).toBe(true);
    expect((await scene.session.entries({ types: ["request"] })).length).toBe(1);
  });

  test("that fired before the call prevents every append", async () => {
    await using scene = await start();
    const before = await scene.session.entries();
    const signal = AbortSignal.abort();
    await expect(scene.session.prompt({ next, signal })).rejects.toMatchObject({ code: "aborted" });
    expect(await scene.session.compact({ signal })).toEqual({ type: "aborted" });
    expect(await scene.session.entries()).toEqual(before);
    expect(scene.asked).toEqual([]);
  });

  test("ends compact() with the outcome aborted and cancels the call", async () => {
    await using scene = await start();
    const giving = new AbortController();
    const outcome = scene.session.compact({ signal: giving.signal });
    await until(() => scene.asked.length === 1);
    giving.abort();
    expect(await outcome).toEqual({ type: "aborted" });
    expect(scene.signals[0]?.aborted).toBe(true);
    await scene.session.settle();
    expect(await changesOf(scene.session)).toEqual([]);
  });

  test.each([
    ["above its budget", {}],
    ["by a trigger", { triggerTokens: 2_000 }],
  ])("ends fit() while it folds %s, and cancels the call", async (_, policy) => {
    const { summarizer, asked, signals } = heldSummarizer();
    const giving = new AbortController();
    const history = longTalk({ turns: TURNS });
    const size = { format: "palimpsest", policy, budgetTokens: LIMIT_TOKENS } as const;
    const options = { ...size, summarizer, signal: giving.signal };
    const fitted = fitHistory(history, options);
    await until(() => asked.length === 1);
    giving.abort();
    await expect(fitted).rejects.toMatchObject({ code: "aborted" });
    expect(signals[0]?.aborted).toBe(true);
    await expect(fitHistory(history, options)).rejects.toMatchObject({ code: "aborted" });
    expect(asked).toHaveLength(1);
  });

  test.each(["before the call", "during the call"])(
    "ends resummarize() with the outcome aborted if it fires %s, and the summary stays",
    async (moment) => {
      await using scene = await start();
      const { session, asked, signals } = scene;
      const folding = session.compact();
      await until(() => asked.length === 1);
      scene.answer();
      await folding;
      const [before] = await session.getSummaryHistory();
      const giving = new AbortController();
      if (moment === "before the call") giving.abort();
      const outcome = session.resummarize("Keep the ports.", { signal: giving.signal });
      if (moment === "during the call") {
        await until(() => asked.length === 2);
        giving.abort();
        await until(() => signals[1]?.aborted === true);
      }
      expect(await outcome).toEqual({ type: "aborted" });
      await session.settle();
      expect((await session.getSummaryHistory()).map(({ record }) => record.id)).toEqual([before?.record.id]);
    },
  );

  test("closes the connection to the model", async () => {
    await using provider = await startScriptedProvider(() => scriptedReplies.hang());
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    await using scene = await start({ summarizer });
    const giving = new AbortController();
    const prompt = scene.session.prompt({ signal: giving.signal });
    await until(() => provider.requests.length === 1);
    expect(provider.openConnections).toBe(1);
    giving.abort();
    await expect(prompt).rejects.toMatchObject({ code: "aborted" });
    await provider.settle();
    expect(provider.requests).toHaveLength(1);
  });

  test("closes the connection to the model when a client disconnects while a summary is rewritten", async () => {
    await using provider = await startScriptedProvider(() =>
      provider.requests.length === 1 ? scriptedReplies.text(GOOD) : scriptedReplies.hang(),
    );
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    await using server = await startTestServer({
      engine: { summarizer, counter: "estimate", budgetTokens: LIMIT_TOKENS },
    });
    await server.ask("POST", "/api/sessions", { id: "s" });
    const messages = longTalk({ turns: TURNS });
    await server.ask("POST", "/api/sessions/s/messages", { messages, format: "palimpsest" });
    expect((await server.ask("POST", "/api/sessions/s/compactions", {})).body.type).toBe("compacted");
    const giving = new AbortController();
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const { signal } = giving;
    const answer = fetch(`${server.url}/api/sessions/s/summary`, { ...request, signal }).catch((error) => error);
    await until(() => provider.requests.length === 2);
    giving.abort();
    expect(await answer).toMatchObject({ name: "AbortError" });
    await provider.settle();
    const { body } = await server.ask("GET", "/api/sessions/s/summaries");
    expect(body.summaries).toHaveLength(1);
  });

  test.each(["prompts", "compactions", "previews"])(
    "closes the connection to the model when a client disconnects from /%s",
    async (path) => {
      await using provider = await startScriptedProvider(() => scriptedReplies.hang());
      const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
      await using server = await startTestServer({
        engine: { summarizer, counter: "estimate", budgetTokens: LIMIT_TOKENS },
      });
      await server.ask("POST", "/api/sessions", { id: "s" });
      const messages = longTalk({ turns: TURNS });
      await server.ask("POST", "/api/sessions/s/messages", { messages, format: "palimpsest" });
      const giving = new AbortController();
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body: "{}", signal: giving.signal };
      const answer = fetch(`${server.url}/api/sessions/s/${path}`, request).catch((error: unknown) => error);
      await until(() => provider.requests.length === 1);
      giving.abort();
      expect(await answer).toMatchObject({ name: "AbortError" });
      await provider.settle();
      const { body } = await server.ask("GET", "/api/sessions/s/entries?limit=1&newestFirst=true");
      expect(body.entries).toMatchObject([{ type: "message" }]);
    },
  );
});

describe("a silent summarizer", () => {
  test("delays prompt() by ten seconds; then code writes the summary, which the late answer replaces when the cache is cold", async () => {
    await using scene = await start();
    const { session, clock, asked, of } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(9_999);
    expect(await isPending(waited)).toBe(true);
    clock.advance(1);
    const prompt = await waited;
    expect(prompt.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(prompt.report.summary?.text).toContain(RULE);
    const [byCode] = await session.getSummaryHistory();
    expect(byCode?.record).toMatchObject({ strategy: "offline" });
    expect(of("summary")).toMatchObject([
      {
        outcome: "failed",
        rule: "late",
        model: "held-model",
        calls: 0,
        reason: "The summarizer made no progress for 10000 ms.",
      },
    ]);
    // The call continues.
    expect(scene.signals[0]?.aborted).toBe(false);
    scene.answer();
    await session.settle();
    const warm = await session.prompt();
    expect(warm.report.summary?.id).toBe(byCode?.record.id);
    clock.advance(TTL_MS + 1);
    const cold = await session.prompt();
    expect(cold.report.summary?.text).toContain("the mailer, the scheduler and the others");
    expect(cold.report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    const records = await session.getSummaryHistory();
    expect(records.at(-1)?.record).toMatchObject({ strategy: "held", coverage: byCode?.record.coverage, costUsd: 0.5 });
    expect(of("summary").slice(1)).toMatchObject([{ outcome: "accepted", calls: 1, costUsd: 0.5 }]);
    expect(asked).toHaveLength(1);
  });

  test("still delivers its late answer after the caller has dropped the session", async () => {
    await using scene = await startUnheld();
    const { clock, asked, engine, of } = scene;
    const waited = engine.session("s").then((session) => session.prompt());
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await waited;
    scene.answer();
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    const session = await engine.session("s");
    await session.settle();
    clock.advance(TTL_MS + 1);
    const { report } = await session.prompt();
    expect(report.summary?.text).toContain("the mailer, the scheduler and the others");
    expect(of("summary").map(({ outcome, calls }) => [outcome, calls])).toEqual([
      ["failed", 0],
      ["accepted", 1],
    ]);
  });

  test("is canceled before resummarize() calls it again", async () => {
    await using scene = await start();
    const { session, clock, asked, signals } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await waited;
    expect(signals[0]?.aborted).toBe(false);
    const rewritten = session.resummarize();
    await until(() => asked.length === 2);
    expect(signals[0]?.aborted).toBe(true);
    scene.answer();
    expect((await rewritten).type).toBe("compacted");
  });

  test("that reports progress delays prompt() by 20 seconds in total", async () => {
    await using scene = await start();
    const { session, clock, asked } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    for (let seconds = 6; seconds <= 18; seconds += 6) {
      clock.advance(6_000);
      asked[0]?.onProgress?.();
      expect(clock.sleeping[0]).toBe(Math.min(10_000, 20_000 - seconds * 1_000));
    }
    clock.advance(1_999);
    expect(await isPending(waited)).toBe(true);
    clock.advance(1);
    await waited;
    expect(scene.of("summary")).toMatchObject([
      { rule: "late", reason: "The summarizer did not finish within 20000 ms." },
    ]);
    expect((await session.getSummaryHistory()).at(-1)?.record.strategy).toBe("offline");
  });

  test("is ended if the past has changed, and its late answer is counted and discarded", async () => {
    await using scene = await start();
    const { session, clock, asked, of } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await waited;
    await session.append(longTalk({ turns: TURNS, from: TURNS }), { format: "palimpsest" });
    // While the answer is pending no other request is sent: code writes the summary of this fold.
    const second = await session.prompt();
    expect(second.report.compaction?.isRecorded).toBe(true);
    expect(asked).toHaveLength(1);
    await session.prompt();
    await session.settle();
    expect(scene.signals[0]?.aborted).toBe(true);
    expect(of("summary").map(({ outcome, rule, calls }) => [outcome, rule, calls])).toEqual([
      ["failed", "late", 0],
      ["failed", "late", 1],
    ]);
    const records = await session.getSummaryHistory();
    expect(records.map(({ record }) => record.strategy)).toEqual(["offline", "offline"]);
  });

  test("is counted as rejected, with its cost, if its answer was not used before the next fold", async () => {
    await using scene = await start();
    const { session, clock, asked, of } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await waited;
    scene.answer();
    await session.settle();
    await session.append(longTalk({ turns: TURNS, from: TURNS }), { format: "palimpsest" });
    const second = session.prompt();
    await until(() => asked.length === 2);
    scene.answer();
    expect((await second).report.compaction?.isRecorded).toBe(true);
    await session.settle();
    expect(of("summary").map(({ outcome, rule, calls, costUsd }) => [outcome, rule, calls, costUsd])).toEqual([
      ["failed", "late", 0, 0],
      ["accepted", undefined, 1, 0.5],
      ["rejected", "late", 1, 0.5],
    ]);
  });

  test.each([
    ["has arrived", true, ["rejected", "late", 1, 0.5]],
    ["is pending", false, ["failed", "late", 1, 0]],
  ])("is counted as discarded if its late answer %s when the engine is closed", async (_, hasCome, counted) => {
    const scene = await start();
    const { session, clock, asked, of } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await waited;
    if (hasCome) {
      scene.answer();
      await session.settle();
    }
    await scene.engine.close();
    expect(of("summary").map(({ outcome, rule, calls, costUsd }) => [outcome, rule, calls, costUsd])).toEqual([
      ["failed", "late", 0, 0],
      counted,
    ]);
  });

  test("behind a socket times out after ten seconds without any part of an answer", async () => {
    await using provider = await startScriptedProvider(() => scriptedReplies.hang());
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    await using scene = await start({ summarizer });
    const waited = scene.session.prompt();
    await until(() => provider.requests.length === 1 && scene.clock.sleeping.includes(10_000));
    scene.clock.advance(10_000);
    expect((await waited).report.compaction?.isRecorded).toBe(true);
    expect(scene.of("summary")).toMatchObject([{ rule: "late", model: "gpt-4.1-mini" }]);
    scene.session.abandon();
    await provider.settle();
  });

  test("delays prompt() by at most summary.waitMs", async () => {
    await using scene = await start({ policy: { summary: { waitMs: 3_000 } } });
    const { session, clock, asked } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(3_000));
    clock.advance(3_000);
    expect((await waited).report.compaction?.isRecorded).toBe(true);
  });

  test("delays compact() by 20 seconds; then code writes the summary, and the late answer may still be used", async () => {
    await using scene = await start();
    const { session, clock, asked } = scene;
    const outcome = session.compact();
    await until(() => asked.length === 1 && clock.sleeping.includes(20_000));
    clock.advance(19_999);
    expect(await isPending(outcome)).toBe(true);
    clock.advance(1);
    expect(await outcome).toMatchObject({ type: "compacted", report: { attempts: [{ rule: "late", calls: 0 }] } });
    expect((await session.getSummaryHistory()).at(-1)?.record.strategy).toBe("offline");
    scene.answer();
    await session.settle();
    await session.prompt({ budgetTokens: 100_000 });
    expect((await session.getSummaryHistory()).at(-1)?.record.strategy).toBe("held");
  });

  test("that reports progress delays compact() by two minutes", async () => {
    await using scene = await start();
    const { session, clock, asked } = scene;
    const outcome = session.compact();
    await until(() => asked.length === 1 && clock.sleeping.includes(20_000));
    for (let seconds = 15; seconds < 120; seconds += 15) {
      clock.advance(15_000);
      asked[0]?.onProgress?.();
    }
    clock.advance(14_999);
    expect(await isPending(outcome)).toBe(true);
    clock.advance(1);
    expect(await outcome).toMatchObject({ type: "compacted", report: { attempts: [{ rule: "late", calls: 0 }] } });
  });

  test("delays resummarize() by 20 seconds; then code writes the summary, and the late answer may still be used", async () => {
    await using scene = await start();
    const { session, clock, asked } = scene;
    const folded = session.compact();
    await until(() => asked.length === 1);
    scene.answer();
    await folded;
    const outcome = session.resummarize();
    await until(() => asked.length === 2 && clock.sleeping.includes(20_000));
    clock.advance(20_000);
    expect(await outcome).toMatchObject({ type: "compacted", report: { attempts: [{ rule: "late", calls: 0 }] } });
    scene.answer("The ledger on port 4711 came first, and the printer last.");
    await session.settle();
    const { report } = await session.prompt({ budgetTokens: 100_000 });
    expect(report.summary?.text).toContain("the printer last");
  });

  test("delays fit() by 20 seconds; then code writes the summary", async () => {
    const clock = scriptedTimer({ startMs: 1_000_000 });
    const { summarizer, asked, signals } = heldSummarizer();
    const options = { format: "palimpsest", summarizer, budgetTokens: LIMIT_TOKENS, clock } as const;
    const fitted = fitHistory(longTalk({ turns: TURNS }), options);
    await until(() => asked.length === 1 && clock.sleeping.includes(20_000));
    clock.advance(19_999);
    expect(await isPending(fitted)).toBe(true);
    clock.advance(1);
    expect((await fitted).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(signals[0]?.aborted).toBe(true);
  });

  test("leaves the log unchanged under a policy with onFailure: keep, and the prompt still fits", async () => {
    await using scene = await start({ policy: "ratio-chain" });
    const { session, clock, asked } = scene;
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(await changesOf(session)).toEqual([]);
    expect(scene.signals[0]?.aborted).toBe(true);
    expect(scene.of("summary")).toMatchObject([{ outcome: "failed", rule: "late", calls: 1 }]);
  });
});

describe("a summarizer that hangs repeatedly", () => {
  async function startHanging(policy: OpenOptions["policy"]) {
    const provider = await startScriptedProvider(() => scriptedReplies.hang());
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    return { ...(await start({ summarizer, policy })), provider };
  }

  test("is not called by the sixth prompt, which does not wait", async () => {
    await using scene = await startHanging("ratio-chain");
    const { session, clock, provider } = scene;
    for (let prompts = 1; prompts <= 5; prompts += 1) {
      const waited = session.prompt();
      await until(() => provider.requests.length === prompts);
      clock.advance(10_000);
      await waited;
    }
    // The clock does not advance, so a prompt that waits would never resolve.
    expect((await session.prompt()).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(provider.requests).toHaveLength(5);
    await provider.close();
  });

  test("in the background delays one prompt by ten seconds, and the next one not at all", async () => {
    await using scene = await startHanging("workspace");
    const { session, clock, provider } = scene;
    const first = session.prompt();
    for (const requests of [1, 2]) {
      await until(() => provider.requests.length === requests);
      clock.advance(10_000);
    }
    await first;
    // The work after the last reply has started.
    await until(() => provider.requests.length === 3);
    const waited = session.prompt();
    await until(() => clock.sleeping.includes(10_000));
    clock.advance(10_000);
    expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect((await session.prompt()).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    await provider.close();
  });
});

describe("a prompt while the summarizer works for another call", () => {
  test.each(["compact", "resummarize"] as const)(
    "waits 20 seconds for %s(); then code writes the summary",
    async (name) => {
      await using scene = await start();
      const { session, clock, asked } = scene;
      if (name === "resummarize") {
        const folded = session.compact();
        await until(() => asked.length === 1);
        scene.answer();
        await folded;
      }
      const before = asked.length;
      const outcome = session[name]();
      await until(() => asked.length > before && clock.sleeping.includes(20_000));
      clock.advance(15_000);
      const waited = session.prompt({ next });
      for (const milliseconds of [15_000, 4_999]) {
        asked.at(-1)?.onProgress?.();
        clock.advance(milliseconds);
        expect(await isPending(waited)).toBe(true);
      }
      clock.advance(1);
      expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
      const reason = "The summarizer did not finish within 20000 ms while another call waited.";
      expect(await outcome).toMatchObject({ type: "compacted", report: { attempts: [{ rule: "late", reason }] } });
    },
  );

  test("waits no longer than 20 seconds if it was requested before compact() started", async () => {
    await using scene = await start();
    const { session, clock, asked } = scene;
    const outcome = session.compact();
    const waited = session.prompt();
    await until(() => asked.length === 1 && clock.sleeping.includes(20_000));
    clock.advance(10_000);
    asked[0]?.onProgress?.();
    clock.advance(10_000);
    expect(await outcome).toMatchObject({ type: "compacted" });
    expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
  });

  test("waits 20 seconds for the lease of another engine; then it is made smaller for that request", async () => {
    const store = createMemoryStore();
    await using scene = await start({ store });
    const other = await watchEngine({
      store,
      counter: "estimate",
      clock: scene.clock,
      summarizer: scene.summarizer,
      budgetTokens: LIMIT_TOKENS,
    });
    const outcome = scene.session.compact();
    await until(() => scene.asked.length === 1);
    const waited = (await other.engine.session("s")).prompt();
    await until(() => scene.clock.sleeping.filter((each) => each === 20_000).length >= 2);
    for (let passed = 0; passed < 20_000; passed += 1_000) {
      scene.asked[0]?.onProgress?.();
      scene.clock.advance(1_000);
      await isPending(waited);
    }
    expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    scene.answer();
    expect(await outcome).toMatchObject({ type: "compacted" });
    await other.engine.close();
  });
});

describe("a topic detector that hangs", () => {
  test("delays prompt() by 10 seconds, and a summarizer that hangs too by 10 more", async () => {
    await using provider = await startScriptedProvider(() => scriptedReplies.hang());
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    await using scene = await start({ summarizer, policy: "workspace" });
    const { session, clock, engine } = scene;
    const boundaries: unknown[] = [];
    engine.on("topic-boundary", (event) => boundaries.push(event));
    const waited = session.prompt();
    await until(() => provider.requests.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    await until(() => provider.requests.length === 2);
    clock.advance(10_000);
    expect((await waited).report.tokens).toBeLessThanOrEqual(LIMIT_TOKENS);
    expect(boundaries).toMatchObject([
      { index: undefined, calls: 1, reason: "The topic detector did not answer in time." },
    ]);
  });
});

describe("a chat whose summarizer fails", () => {
  const say = (url: string) =>
    fetch(`${url}/api/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        id: "s",
        message: { id: "u", role: "user", parts: [{ type: "text", text: "And then?" }] },
      }),
    }).then((answer) => answer.text());

  async function startTalk(engine: OpenOptions) {
    const chat = await startChat({
      script: () => scriptedReplies.text("It is done."),
      engine: { counter: "estimate", budgetTokens: LIMIT_TOKENS, ...engine },
    });
    await chat.server.ask("POST", "/api/sessions", { id: "s" });
    const messages = longTalk({ turns: TURNS });
    await chat.server.ask("POST", "/api/sessions/s/messages", { messages, format: "palimpsest" });
    return chat;
  }

  test("is answered after ten seconds if the summarizer hangs", async () => {
    const clock = scriptedTimer({ startMs: 1_000_000 });
    const { summarizer, asked } = heldSummarizer();
    await using chat = await startTalk({ clock, summarizer });
    const answer = say(chat.server.url);
    await until(() => asked.length === 1 && clock.sleeping.includes(10_000));
    clock.advance(10_000);
    expect(await answer).toContain("It is done.");
  });

  test("is answered 20 seconds after it was sent if a compaction hangs before it", async () => {
    const clock = scriptedTimer({ startMs: 1_000_000 });
    const { summarizer, asked } = heldSummarizer();
    await using chat = await startTalk({ clock, summarizer });
    const compaction = chat.server.ask("POST", "/api/sessions/s/compactions", {});
    await until(() => asked.length === 1 && clock.sleeping.includes(20_000));
    clock.advance(10_000);
    asked[0]?.onProgress?.();
    const answer = say(chat.server.url);
    await until(() => clock.sleeping.filter((each) => each === 20_000).length === 2);
    clock.advance(20_000);
    expect((await compaction).body.type).toBe("compacted");
    expect(await answer).toContain("It is done.");
  });

  test("is answered at once, after one request, if the provider requests a wait of a day", async () => {
    await using provider = await startScriptedProvider(() => scriptedReplies.rateLimited("86400"));
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
    const clock = scriptedTimer({ startMs: 1_000_000 });
    await using chat = await startTalk({ clock, summarizer });
    // The clock does not advance, so any pause would block the answer forever.
    expect(await say(chat.server.url)).toContain("It is done.");
    expect(provider.requests).toHaveLength(1);
  });
});

test("a thread for summaries that hangs delays prompt() by its time limit; then the main thread writes the summary", async () => {
  const startWorker = () => new Worker(new URL("data:text/javascript,for (;;);"));
  const summaryThread = new WorkerSummaries({ startWorker, maxAnswerMs: 20 });
  const { engine } = openEngine({ store: createMemoryStore(), budgetTokens: LIMIT_TOKENS, summaryThread });
  const session = await engine.session("a");
  await session.append(longTalk({ turns: TURNS }), { format: "palimpsest" });
  await session.prompt();
  expect(await session.entries({ types: ["summary"] })).toHaveLength(1);
});
