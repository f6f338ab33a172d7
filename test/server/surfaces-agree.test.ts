/**
 * The view, the plan, the strip, every explanation and the budget show one prompt, the one that is sent, even if a long
 * conversation was just imported and is not yet folded.
 */
import { describe, expect, test } from "vitest";
import type { PlanRun } from "../../src/core/plan/plan.ts";
import type { StripBucket } from "../../src/engine/session/make-strip.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const MESSAGES = 61;
const WINDOW = { windowTokens: 3_000, reserveTokens: 500 };

/** Long enough that no summary quotes all of it. */
function wordsOf(index: number): string {
  return `Part ${index + 1}. ${"The ferry leaves at nine and the island has one road. ".repeat(12)}`;
}

/** Imports messages without requesting a prompt. */
async function importTalk({ ask }: TestServer, id = "talk"): Promise<void> {
  await ask("POST", "/api/sessions", { id });
  const messages = Array.from({ length: MESSAGES }, (_, index) => ({
    id: `${id}-${index + 1}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: wordsOf(index),
  }));
  expect((await ask("POST", `/api/sessions/${id}/messages`, { messages })).status).toBe(200);
}

/** Returns the fates by seq, as each surface reports them. */
async function readFates({ ask }: TestServer, id: string, query = "") {
  const get = async (path: string) => (await ask("GET", `/api/sessions/${id}/${path}`)).body;
  const [view, plan, strip] = [await get(`view?${query}`), await get(`plan?${query}`), await get(`strip?${query}`)];
  const { entries } = await get("messages?limit=1000");
  const explained = [];
  for (const { id: messageId } of entries) explained.push(await get(`messages/${messageId}/explanation?${query}`));
  const spread = (runs: readonly PlanRun[], seq: number) =>
    runs.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq)?.fate;
  const places: readonly number[] = entries.map(({ seq }: { seq: number }) => seq);
  const texts: readonly string[] = view.prompt.messages.map((message: unknown) => JSON.stringify(message));
  return {
    view: places.map((seq) => spread(view.report.plan.runs, seq)),
    plan: places.map((seq) => spread(plan.runs, seq)),
    strip: strip.buckets.map(({ fates }: StripBucket) => fates[0]?.fate),
    explained: explained.map(({ fate }) => fate),
    isAhead: explained[0].isAhead === true,
    areShown: explained.map(({ isShown }) => isShown),
    sent: places.map((_, index) => texts.some((text) => text.includes(wordsOf(index)))),
  };
}

type Fates = Awaited<ReturnType<typeof readFates>>;

function expectOne({ view, plan, strip, explained, areShown, sent }: Fates): void {
  expect(plan).toEqual(view);
  expect(strip).toEqual(view);
  expect(explained).toEqual(view);
  expect(areShown).toEqual(sent);
}

describe("a long imported conversation", () => {
  test("is shown as the next prompt would send it, before and after it is folded", async () => {
    await using server = await startTestServer({ engine: { ...WINDOW, summarizer: "offline" } });
    await importTalk(server);
    const before = await readFates(server, "talk");
    expectOne(before);
    expect(before.isAhead).toBe(true);
    expect(before.view[0]).not.toBe("verbatim");
    expect(before.view.at(-1)).toBe("verbatim");
    expect((await server.ask("GET", "/api/sessions/talk/entries?types=summary,truncate")).body.entries).toEqual([]);
    await server.ask("POST", "/api/sessions/talk/prompts", {});
    const after = await readFates(server, "talk");
    expectOne(after);
    expect(after.isAhead).toBe(false);
    // The view after the prompt is the one that was previewed before it.
    expect(after.view).toEqual(before.view);
  });

  test("is shown for the window that the request names", async () => {
    await using server = await startTestServer({ engine: { windowTokens: 100_000, summarizer: "offline" } });
    await importTalk(server);
    const whole = await readFates(server, "talk");
    expectOne(whole);
    expect(new Set(whole.view)).toEqual(new Set(["verbatim"]));
    const small = await readFates(server, "talk", new URLSearchParams(Object.entries(WINDOW).map(pair)).toString());
    expectOne(small);
    expect(small.view[0]).not.toBe("verbatim");
    expectOne(await readFates(server, "talk"));
  });

  test("is shown as it is sent, also under a policy that sends only the newest messages", async () => {
    await using server = await startTestServer({ engine: { windowTokens: 100_000, policy: "rolling-chat" } });
    await importTalk(server);
    expectOne(await readFates(server, "talk"));
  });
});

describe("the limits of a window", () => {
  test("are the same in the view and in the prompt, in the sample and in other sessions", async () => {
    await using server = await startTestServer({ engine: { windowTokens: 50_000, reserveTokens: 2_000 } });
    const { ask } = server;
    const { id } = (await ask("POST", "/api/sample", {})).body.session;
    for (let turn = 0; turn < 8; turn += 1) await ask("POST", `/api/sessions/${id}/sample/next`, {});
    const fork = (await ask("POST", `/api/sessions/${id}/forks`, {})).body.id;
    await importTalk(server);
    for (const [sessionId, windowTokens, reserveTokens] of [
      [id, 6_000, 1_000],
      [fork, 6_000, 1_000],
      ["talk", 50_000, 2_000],
    ] as const) {
      const { report } = (await ask("GET", `/api/sessions/${sessionId}/view`)).body;
      const { compaction, ...budget } = (await ask("GET", `/api/sessions/${sessionId}/budget`)).body;
      expect(report).toMatchObject({ windowTokens, reserveTokens, limitTokens: windowTokens - reserveTokens });
      expect(budget).toMatchObject({ windowTokens, reserveTokens, maxInputTokens: report.limitTokens });
      for (const line of [compaction.triggerTokens, compaction.targetTokens]) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThan(report.limitTokens);
      }
    }
    const { body } = await ask("GET", "/api/sessions/talk/budget?windowTokens=9000&reserveTokens=1000");
    expect(body).toMatchObject({ windowTokens: 9_000, maxInputTokens: 8_000, needsSummary: true });
  });
});

function pair([name, value]: readonly [string, number]): [string, string] {
  return [name, String(value)];
}
