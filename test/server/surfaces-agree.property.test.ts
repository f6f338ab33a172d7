/**
 * All surfaces agree at every size: the view, the plan, the strip, the budget and explanations over HTTP show the same,
 * whether the history fits, is folded for the preview, or has been compacted.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";
import { histories } from "../../src/testing/generate-histories.ts";
import { writeLongSession } from "../support/long-session.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { findContradictions, readSurfaces } from "../support/read-surfaces.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const WINDOW = { windowTokens: 8_000, reserveTokens: 1_000 };
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ engine: { ...WINDOW, summarizer: "offline" } });
});

afterAll(() => server[Symbol.asyncDispose]());

/** Imports the lines of a log that was written elsewhere. */
async function importLong(id: string, messages: number): Promise<void> {
  const lines = Array.from({ length: messages }, (_, index) =>
    JSON.stringify({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Crate ${index + 1} stands in shed ${index % 7}. ${"It was counted twice. ".repeat(index % 4)}`,
    }),
  );
  const response = await fetch(`${server.url}/api/sessions/import?id=${id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: lines.join("\n"),
  });
  expect([response.status, await response.json()]).toMatchObject([200, { messages }]);
}

const make = {
  appended: (id: string, messages: number) => writeLongSession(server, { id, messages }),
  imported: importLong,
};

/** An import stores the same entries as appends, so one length shows it. */
const LENGTHS = { appended: [60, 1_999, 2_001], imported: [4_900] } as const;

describe.each(["appended", "imported"] as const)("a session whose messages were %s", (how) => {
  test.each(LENGTHS[how])(
    "a session has the same prompt in every endpoint, with %d messages and no compaction yet",
    async (messages) => {
      const id = `${how}-${messages}`;
      await make[how](id, messages);
      const before = await readSurfaces(server, { id });
      expect(findContradictions(before)).toEqual([]);
      expect(before.plan.runs[0]?.fate).toBe(messages > 60 ? "summarised" : "verbatim");
      const wide = { windowTokens: 10_000_000, reserveTokens: 1_000 };
      const whole = await readSurfaces(server, { id, query: wide });
      expect(findContradictions(whole)).toEqual([]);
      expect(whole.plan.runs.map(({ fate }) => fate)).toEqual(["verbatim"]);
      // Nothing of it is in the log: a preview leaves no trace.
      const { entries } = (await server.ask("GET", `/api/sessions/${id}/entries?types=summary,truncate,prune`)).body;
      expect(entries).toEqual([]);
    },
  );
});

test("endpoints show the same prompt if they are requested at the same time, and later", async () => {
  await writeLongSession(server, { id: "at-once", messages: 2_600 });
  const together = await readSurfaces(server, { id: "at-once", atOnce: true });
  expect(findContradictions(together)).toEqual([]);
  const later = await readSurfaces(server, { id: "at-once" });
  expect(later.plan).toEqual(together.plan);
});

test("a message can be appended while a strip folds messages for its preview", async () => {
  const engine = await openPalimpsest({ ...WINDOW, summarizer: "offline" });
  const session = await engine.session();
  const history = Array.from({ length: 3_000 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Crate ${index + 1} stands in shed ${index % 7}, and it was counted twice.`,
  }));
  await session.append(history);
  const done: string[] = [];
  const strip = session.strip({ buckets: 10 }).finally(() => done.push("strip"));
  const append = session.append([{ role: "user", content: "One more crate." }]).finally(() => done.push("append"));
  await Promise.all([strip, append]);
  expect(done).toEqual(["append", "strip"]);
  expect(await strip).toMatchObject({ lastSeq: 3_000, messages: 3_000 });
  expect((await strip).shownTokens).toBeLessThan(WINDOW.windowTokens);
  expect(await session.strip({ buckets: 10 })).toMatchObject({ lastSeq: 3_001, messages: 3_001 });
  await engine.close();
});

const POLICIES = ["default", "rolling-chat", "windowed-sql", "agent-rounds", "workspace", "ratio-chain"] as const;

describe.each(POLICIES)("a generated session under the policy %s", (policy) => {
  test("a generated session has the same prompt in every endpoint, for any window", async () => {
    await using own = await startTestServer({ engine: { ...WINDOW, policy, summarizer: "offline" } });
    let count = 0;
    const windows = fc.constantFrom(200, 600, 2_000, 50_000);
    const property = fc.asyncProperty(
      histories({ maxTurns: 12 }),
      windows,
      fc.boolean(),
      async (messages, windowTokens, isPrompted) => {
        count += 1;
        const id = `generated-${count}`;
        await own.ask("POST", "/api/sessions", { id });
        const body = { messages, format: "palimpsest" };
        const { status } = await own.ask("POST", `/api/sessions/${id}/messages`, body);
        fc.pre(status === 200 && messages.length > 0);
        const sizes = { windowTokens, reserveTokens: 50 };
        if (isPrompted) await own.ask("POST", `/api/sessions/${id}/prompts`, sizes);
        expect(findContradictions(await readSurfaces(own, { id, query: sizes }))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(3) });
  });
});
