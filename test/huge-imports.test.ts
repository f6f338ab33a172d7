/** Imports that do not fit into memory, and their limits. `npm run faults -- F14` tests the same on a server. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { newFolders } from "./support/new-folders.ts";
import { runCommand } from "./support/run-command.ts";
import { openMeasuredEngine } from "./support/watch-work.ts";

const newFolder = newFolders("huge");
/** Just above the number of entries that a view is read with at once. */
const LONG = 20_500;
/** About the number of entries of which a view is folded in one part. */
const VIEW_PART = 5_000;
const ORIGIN = { ...emptyOrigin("own"), request: "transcript" as const };

function* repeatLines(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield '{"role":"user","content":"hi"}\n';
}

describe("a log that is too long for memory", () => {
  test("is folded in parts, each recorded, and every message is still there", async () => {
    const path = `${newFolder()}/log.db`;
    const palimpsest = await openPalimpsest({ store: `sqlite:${path}`, windowTokens: 8_000, counter: "estimate" });
    const seen: number[] = [];
    palimpsest.on("catch-up", ({ foldedThroughSeq }) => seen.push(foldedThroughSeq));
    const lines = () =>
      (function* () {
        for (let index = 0; index < LONG; index += 1) {
          const text = index === 7 ? "We must never deploy on Fridays." : `line ${index}`;
          yield JSON.stringify({ id: `m${index}`, role: "user", content: text });
        }
      })();
    const { sessionId } = await palimpsest.importTranscript(lines());
    const session = await palimpsest.session(sessionId);
    const { report } = await session.prompt();
    expect(report.tokens).toBeLessThanOrEqual(report.limitTokens);
    expect(seen.length).toBeGreaterThanOrEqual(1);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    const history = await session.getSummaryHistory();
    expect(history.length).toBeGreaterThanOrEqual(2);
    const covered = history.map(({ record }) => record.coverage);
    expect(covered.every(({ firstSeq }) => firstSeq === 1)).toBe(true);
    expect(history.at(-1)?.record.text).toContain("never deploy on Fridays");
    expect((await session.message(`m${LONG - 1}`)).parts).toEqual([{ type: "text", text: `line ${LONG - 1}` }]);
    expect((await session.message("m0")).parts).toEqual([{ type: "text", text: "line 0" }]);
    expect(await session.transcript()).toHaveLength(LONG);
    await palimpsest.close();
  });

  test("emits no catch-up event if its parts fit into a prompt", async () => {
    const palimpsest = await openPalimpsest({ store: "memory:", windowTokens: 4_000_000, counter: "estimate" });
    const seen: number[] = [];
    palimpsest.on("catch-up", ({ foldedThroughSeq }) => seen.push(foldedThroughSeq));
    const { sessionId } = await palimpsest.importTranscript([...repeatLines(LONG)]);
    const { report } = await (await palimpsest.session(sessionId)).prompt();
    expect(report.tokens).toBeGreaterThan(LONG);
    expect(seen).toEqual([]);
  });
});

describe("palimpsest compact", () => {
  test("shows how much of a long imported session is folded", async () => {
    const folder = newFolder();
    const store = `sqlite:${folder}/log.db`;
    const palimpsest = await openPalimpsest({ store });
    const lines = Array.from({ length: LONG + VIEW_PART }, (_, index) => `{"role":"user","content":"line ${index}"}\n`);
    await palimpsest.importTranscript(lines, { id: "long" });
    await palimpsest.close();
    const environment = { PALIMPSEST_HOME: folder };
    const { code, out, err } = await runCommand(["compact", "long", "--store", store], environment);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("long: ") });
    const notes = [...err.matchAll(/^long: summarizing earlier messages, (\d+) % \(\d+ of \d+ entries\)\.$/gm)];
    const shown = notes.map(([, percent]) => Number(percent));
    expect(shown.length).toBeGreaterThanOrEqual(1);
    expect(shown).toEqual(shown.toSorted((left, right) => left - right));
  });
});

describe("a request for a log that was too long for memory", () => {
  test("reads each message about once while the log is folded, and no entry in the next call", async () => {
    const { palimpsest, takeWork } = openMeasuredEngine(2_000);
    const { sessionId } = await palimpsest.importTranscript([...repeatLines(LONG)]);
    const session = await palimpsest.session(sessionId);
    takeWork();
    await session.plan();
    expect(takeWork().entriesRead).toBeLessThan(LONG * 1.1);
    expect((await session.getSummaryHistory()).length).toBeGreaterThanOrEqual(4);
    takeWork();
    await session.plan();
    expect(takeWork().entriesRead).toBe(0);
  });
});

describe("limits", () => {
  test("end a call that takes longer than catchUpMs, the next call continues, and the session can be restored in the meantime", async () => {
    const limits = { catchUpMs: 1 };
    const palimpsest = await openPalimpsest({ store: "memory:", windowTokens: 8_000, counter: "estimate", limits });
    const { sessionId } = await palimpsest.importTranscript([...repeatLines(LONG)]);
    const session = await palimpsest.restore();
    expect(session.id).toBe(sessionId);
    expect(await palimpsest.sessions()).toHaveLength(1);
    const refusals: unknown[] = [];
    const ask = async (): Promise<number> => {
      try {
        return (await session.prompt()).report.tokens;
      } catch (error) {
        refusals.push(error);
        return refusals.length < 1_000 ? ask() : Number.NaN;
      }
    };
    expect(await ask()).toBeGreaterThan(0);
    expect(refusals.length).toBeGreaterThanOrEqual(1);
    for (const error of refusals) expect(error).toMatchObject({ code: "catching-up", retryable: true });
  });

  test("end a call after its time limit if there is no room in memory for its long view, and it succeeds later", async () => {
    const options = { store: "memory:", windowTokens: 8_000, counter: "estimate" } as const;
    const palimpsest = await openPalimpsest({ ...options, limits: { catchUpMs: 1 } });
    const lines = Array.from({ length: 250 }, () => JSON.stringify({ role: "user", content: "A crate. ".repeat(150) }));
    const ids = ["a", "b", "c", "d"];
    for (const id of ids) await palimpsest.importTranscript(lines, { id });
    const sessions = await Promise.all(ids.map((id) => palimpsest.load(id)));
    const outcomes = await Promise.allSettled(sessions.map((session) => session.prompt({ preview: true })));
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const error of refused) {
      expect(error).toMatchObject({ code: "catching-up", message: expect.stringContaining("no room in memory") });
    }
    for (const session of sessions) {
      expect((await session.prompt({ preview: true })).report.tokens).toBeLessThanOrEqual(8_000);
    }
  });

  test("let another long session be read while calls wait for a model", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    let waiting = 0;
    const summarizer = {
      name: "patient",
      estimateCost: () => 0,
      async summarize() {
        waiting += 1;
        await released;
        return { type: "failed", kind: "transport", reason: "It was only a test.", origin: ORIGIN } as const;
      },
    };
    const options = { store: "memory:", windowTokens: 8_000, counter: "estimate", summarizer } as const;
    const palimpsest = await openPalimpsest({ ...options, limits: { catchUpMs: 20_000 } });
    const lines = Array.from({ length: 250 }, () => JSON.stringify({ role: "user", content: "A crate. ".repeat(150) }));
    for (const id of ["a", "b", "c"]) await palimpsest.importTranscript(lines, { id });
    const [first, second, third] = await Promise.all(["a", "b", "c"].map((id) => palimpsest.load(id)));
    const prompts = [first?.prompt(), second?.prompt()];
    await expect.poll(() => waiting).toBe(2);
    expect((await third?.prompt({ preview: true }))?.report.tokens).toBeLessThanOrEqual(8_000);
    release(undefined);
    await Promise.all(prompts);
  });

  test("refuse messages above the limit of an import", async () => {
    const palimpsest = await openPalimpsest({ store: "memory:", limits: { importMessages: 10 } });
    await expect(palimpsest.importTranscript([...repeatLines(11)])).rejects.toMatchObject({
      code: "limit-exceeded",
      message: expect.stringContaining("limits.importMessages"),
    });
    expect(await palimpsest.sessions()).toEqual([]);
    expect((await palimpsest.importTranscript([...repeatLines(10)])).messages).toBe(10);
  });

  test("refuse an append above the limit of entries in a session, and keep stored entries", async () => {
    const palimpsest = await openPalimpsest({ store: "memory:", limits: { sessionEntries: 3 } });
    const session = await palimpsest.session("a");
    for (const content of ["one", "two", "three"]) await session.append({ role: "user", content });
    await expect(session.append({ role: "user", content: "four" })).rejects.toMatchObject({ code: "limit-exceeded" });
    expect(await session.transcript()).toHaveLength(3);
  });
});
