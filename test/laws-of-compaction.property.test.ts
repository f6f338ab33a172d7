/**
 * The laws of compaction as properties: for any messages and any answers of a summarizer, a compaction makes the view
 * smaller, keeps only true statements, and happens once. Each is checked from outside, on entries, prompts and events.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../src/core/errors.ts";
import type { Message } from "../src/core/message/message.ts";
import { extractClaims } from "../src/core/summary/claims/extract-claims.ts";
import { readSourceInSteps } from "../src/core/summary/claims/read-source.ts";
import { findSupport } from "../src/core/summary/claims/source-index.ts";
import { chooseProtected } from "../src/core/summary/rank/rank-facts.ts";
import type { SummaryRecord } from "../src/core/summary/record/record.ts";
import { createWordFinder } from "../src/core/summary/verify/find-words.ts";
import { countText, runSteps } from "../src/core/tokens/count-text.ts";
import { estimate } from "../src/core/tokens/estimate.ts";
import type { PolicyInput } from "../src/policies/policy-input.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { histories, wellFormedHistories } from "../src/testing/generate-histories.ts";
import { weighted } from "../src/testing/weighted.ts";
import { FOUND_RACES, FOUND_RUNS } from "./support/found-counterexamples.ts";
import { answerPlans, INVENTED } from "./support/generate-answers.ts";
import { expectEveryCallCounted, expectOneAtATime, expectOneChain, expectOneRecord } from "./support/law-of-once.ts";
import { longTalk } from "./support/long-talk.ts";
import { openEngine } from "./support/open-engine.ts";
import { patientSummarizer } from "./support/patient-summarizer.ts";
import { type CompactionRun, type CompactionStep, playCompactions } from "./support/play-compactions.ts";
import { playTogether } from "./support/play-together.ts";
import { propertyRuns } from "./support/property-runs.ts";
import { type FinishedRace, generateRaces, type Race, type RaceOptions, runRace } from "./support/race-engines.ts";

/** A policy without the gate, so that soft compactions are tested too. */
const EAGER: PolicyInput = {
  gate: false,
  triggers: [{ type: "messages", maxMessages: 8 }],
  tail: { messages: 4, rounds: 1, ratio: 0.1 },
};

function compactionRuns(history: fc.Arbitrary<readonly Message[]>): fc.Arbitrary<CompactionRun> {
  return fc.record(
    {
      history,
      pieces: fc.array(fc.integer({ min: 4, max: 14 }), { minLength: 1, maxLength: 3 }),
      plans: fc.array(answerPlans(), { minLength: 1, maxLength: 4 }),
      budgetTokens: weighted([
        [3, fc.integer({ min: 150, max: 1_500 })],
        [1, fc.integer({ min: 1_500, max: 6_000 })],
      ]),
      policy: fc.constantFrom<PolicyInput>("default", EAGER),
    },
    { noNullPrototype: true },
  );
}

/** Shrinking a failing history can exceed the test's time limit; then the smallest one so far is shown. */
const RUNS = {
  numRuns: propertyRuns(80),
  interruptAfterTimeLimit: propertyRuns(80) * 1_500,
  markInterruptAsFailure: true,
};

function lawsOf(generated: fc.Arbitrary<CompactionRun>) {
  const parameters = { ...RUNS, examples: FOUND_RUNS.map((found): [CompactionRun] => [found]) };
  return playTogether<CompactionRun, CompactionStep>({ histories: generated, play: playCompactions, parameters });
}

/** Keeps one message for each id: an id that is repeated with another text is refused, which another law checks. */
function distinct(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}

const ofAnything = lawsOf(compactionRuns(histories({ maxTurns: 8, longestCharacters: 1_000 }).map(distinct)));
const ofSound = lawsOf(compactionRuns(wellFormedHistories({ maxTurns: 10, longestCharacters: 600 })));

describe("law 5: a compaction shrinks the view", () => {
  test(
    "a written compaction leaves the view strictly smaller, inside the limit, and as large as reported",
    ofAnything((step) => {
      const { compactions, sizeBefore, prompt } = step;
      const recalledTokens = prompt instanceof PalimpsestError ? 0 : (prompt.report.recalled?.tokens ?? 0);
      const sizeAfter = step.sizeAfter - recalledTokens;
      for (const { tokensBefore, tokensAfter } of compactions) expect(tokensAfter).toBeLessThan(tokensBefore);
      const last = compactions.at(-1);
      if (last === undefined) return;
      expect(sizeAfter).toBeLessThan(sizeBefore);
      expect(last.tokensAfter).toBe(sizeAfter);
      expect(compactions[0]?.tokensBefore).toBe(sizeBefore);
      if (prompt instanceof PalimpsestError) {
        // A compaction that was prepared in the background is used even if the messages after it are too large by
        // themselves.
        expect(compactions.map(({ phase }) => phase)).toEqual(compactions.map(() => "background"));
        return;
      }
      expect(sizeAfter).toBeLessThanOrEqual(step.budgetTokens);
      expect(prompt.report.tokens).toBeLessThanOrEqual(step.budgetTokens);
    }),
  );

  test(
    "an empty, endless or useless answer is never accepted and never written",
    ofAnything(({ attempts, asked, compactions }) => {
      expect(attempts).toHaveLength(asked.length);
      for (const [index, { outcome }] of attempts.entries()) {
        const plan = asked[index]?.plan;
        if (plan?.type === "failed") expect(outcome).toBe("failed");
        if (plan?.type === "useless" || plan?.type === "repeated") expect(outcome).toBe("rejected");
        if (plan?.type === "oversize" && plan.times >= 6) expect(outcome).toBe("rejected");
      }
      for (const { record, attempts: own } of compactions) {
        if (record === undefined) continue;
        expect(record.text).toMatch(/[\p{L}\p{N}]/u);
        expect(record.tokensAfter).toBe(countText(record.text, estimate));
        expect(record.strategy).toBe(own.at(-1)?.outcome === "accepted" ? "planned" : "offline");
        expect(record.costUsd).toBeCloseTo(own.length * 0.01, 9);
      }
    }),
  );

  test(
    "a soft compaction leaves the newest message and the last two requests verbatim",
    ofAnything(({ starts, compactions, entriesBefore, entriesAfter }) => {
      if (starts.some(({ need }) => need === "hard")) return;
      const appended = entriesBefore.flatMap((entry) => (entry.type === "message" ? [entry] : []));
      const newest = appended.at(-1)?.seq ?? 0;
      const requests = appended.filter(({ message }) => message.role === "user").slice(-2);
      const changes = entriesAfter.slice(entriesBefore.length);
      const pruned = changes.flatMap((entry) => (entry.type === "prune" ? entry.prunes.map(({ seq }) => seq) : []));
      for (const seq of [newest, ...requests.map((request) => request.seq)]) expect(pruned).not.toContain(seq);
      for (const { steps, record } of compactions) {
        for (const step of steps) expect(["prune", "summarise", "truncate"]).toContain(step);
        expect(record?.coverage.lastSeq ?? 0).toBeLessThan(newest);
      }
    }),
  );

  test(
    "the log grows only by prompts and the entries of reported compactions",
    ofAnything(({ compactions, entriesBefore, entriesAfter }) => {
      expect(entriesAfter.slice(0, entriesBefore.length)).toEqual(entriesBefore);
      const changes = entriesAfter
        .slice(entriesBefore.length)
        .filter(({ type }) => !["request", "recall"].includes(type));
      expect(changes.map(({ id }) => id)).toEqual(compactions.flatMap(({ entryIds }) => entryIds));
    }),
  );
});

function lawsOfRaces(options: RaceOptions) {
  const play = async (race: Race, judge: (finished: FinishedRace) => Promise<void>) => judge(await runRace(race));
  const parameters = { ...RUNS, examples: FOUND_RACES.map((found): [Race] => [found]) };
  return playTogether<Race, FinishedRace>({ histories: generateRaces(options), play, parameters });
}

describe("law 7: a compaction happens once", () => {
  const ofGrowing = lawsOfRaces({ budgets: [700, 1_100, 1_500], turns: [4, 8], grows: true });
  const ofStill = lawsOfRaces({ budgets: [900], turns: [9, 12], grows: false });

  test(
    "one record is written even if many requests see a trigger",
    ofStill((race) => expectOneRecord(race, 900)),
  );

  test("two summarizers never run at once under a valid lease", ofGrowing(expectOneAtATime));

  test(
    "every call ends in a record, a rejected attempt or a lost lease, and is reported once",
    ofGrowing(expectEveryCallCounted),
  );

  test("records follow each other in one chain, and no message is lost", ofGrowing(expectOneChain));
});

describe("law 8: a summary is faithful", () => {
  test(
    "every protected fact is in the text, and every claim of the text has a source",
    ofSound(({ compactions, asked }) => {
      for (const { record, attempts } of compactions) {
        const request = asked.find(
          ({ request: { stretch } }) => stretch.at(-1)?.id === record?.messageIds.at(-1),
        )?.request;
        if (record === undefined || request === undefined || attempts.length === 0) continue;
        const { stretch, previous, capTokens } = request;
        const count = (text: string) => countText(text, estimate);
        const sheet = record.facets.sheet ?? { facts: [], turns: 0 };
        const chosen = chooseProtected(sheet, { budgetTokens: capTokens, protectedShare: 0.5, count });
        const found = createWordFinder(record.text);
        expect(chosen.facts.filter((fact) => !found.hasFact(fact)).map(({ text }) => text)).toEqual([]);
        const source = runSteps(readSourceInSteps(stretch, { previous, protectedFacts: chosen.facts }));
        for (const text of [record.text, ...record.keyPoints]) {
          const invented = extractClaims(text).filter((claim) => findSupport(source, claim) === "none");
          expect(invented.map((claim) => claim.text)).toEqual([]);
        }
        expectNothingInvented(record);
      }
    }),
  );
});

/** No generated history contains any of these, so a summary that has one got it from the summarizer. */
function expectNothingInvented({ text, keyPoints, facets }: SummaryRecord): void {
  const words = JSON.stringify([text, keyPoints, facets]);
  for (const claim of INVENTED) expect(words).not.toContain(claim);
}

/** A session with a nearly full prompt, and a summarizer that was called and has not answered. */
async function startPreparing() {
  const store = createMemoryStore();
  const summarizer = patientSummarizer();
  const { engine, of } = openEngine({ store, summarizer });
  const session = await engine.session();
  const append = (from: number, turns: number) => session.append(longTalk({ turns, from }), { format: "palimpsest" });
  await append(0, 2);
  // After this prompt the provider has cached the prefix, so optional work is not done at once.
  await session.prompt({ budgetTokens: 1_000_000 });
  await append(2, 10);
  const size = async () => {
    const { report } = await session.prompt({ preview: true, budgetTokens: 1_000_000 });
    return report.tokens - (report.recalled?.tokens ?? 0);
  };
  const ask = async (fullness: number) => session.prompt({ budgetTokens: Math.ceil((await size()) / fullness) });
  const early = await ask(0.9);
  expect(early.report.compaction).toBeUndefined();
  await pass();
  expect(summarizer.waiting).toBe(1);
  const entries = () => store.tenant("local").readEntries(session.id, {});
  return { session, summarizer, of, size, ask, entries };
}

async function pass(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}

describe("a summary that is prepared in the background", () => {
  test("is complete when settle resolves", async () => {
    const { session, summarizer } = await startPreparing();
    let isSettled = false;
    const settled = session.settle().then(() => {
      isSettled = true;
    });
    await pass();
    expect(isSettled).toBe(false);
    summarizer.answer();
    await settled;
    expect(isSettled).toBe(true);
  });

  test("keeps turns that arrive in the meantime", async () => {
    const { session, summarizer, of, size, ask } = await startPreparing();
    const later = longTalk({ turns: 2, from: 12 });
    await session.append(later, { format: "palimpsest" });
    summarizer.answer();
    await session.settle();
    const sizeBefore = await size();
    const prompt = await ask(0.96);
    const [written] = of("compaction");
    const recalledTokens = prompt.report.recalled?.tokens ?? 0;
    const tokensAfter = (await size()) - recalledTokens;
    expect(written).toMatchObject({ phase: "background", tokensBefore: sizeBefore, tokensAfter });
    expect(prompt.report.tokens).toBe(await size());
    const covered = new Set(written?.record?.messageIds);
    expect(covered.size).toBeGreaterThan(0);
    for (const { id } of later) {
      expect(covered.has(id)).toBe(false);
      expect((await session.explain(id)).fate).toBe("verbatim");
    }
  });

  test("is discarded with an event when the past has changed", async () => {
    const { session, summarizer, of, ask, entries } = await startPreparing();
    summarizer.answer();
    await session.settle();
    await session.pin({ note: "Another past." });
    await ask(0.1);
    const [end] = of("compaction-end");
    expect(end).toMatchObject({ phase: "background", outcome: "stale", attempts: [{ outcome: "accepted", calls: 1 }] });
    expect((await entries()).filter(({ type }) => type === "summary")).toEqual([]);
  });

  test("is prepared once, even if it is requested repeatedly while it is being written or is waiting", async () => {
    const { session, summarizer, ask } = await startPreparing();
    for (let asked = 0; asked < 3; asked += 1) await ask(0.9);
    summarizer.answer();
    await session.settle();
    for (let asked = 0; asked < 3; asked += 1) await ask(0.9);
    await session.settle();
    expect(summarizer.asked).toHaveLength(1);
  });

  test("is waited for, not paid for again, when the prompt no longer fits", async () => {
    const { session, summarizer, of, ask } = await startPreparing();
    const urgent = ask(1.2);
    await pass();
    expect(summarizer.asked).toHaveLength(1);
    summarizer.answer();
    const prompt = await urgent;
    expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
    await session.settle();
    expect(summarizer.asked).toHaveLength(1);
    expect(of("compaction").map(({ phase, record }) => [phase, record?.strategy])).toEqual([["background", "planned"]]);
  });

  test("is applied when the prompt is nearly full, and not earlier if that does not pay for itself", async () => {
    const { session, summarizer, of, ask } = await startPreparing();
    summarizer.answer();
    await session.settle();
    const held = await ask(0.94);
    expect(held.report.plan.gate?.acts).toBe(false);
    expect(of("compaction")).toEqual([]);
    const applied = await ask(0.96);
    expect(applied.report.compactions).toHaveLength(1);
    expect(of("compaction")).toHaveLength(1);
    expect(summarizer.asked).toHaveLength(1);
  });
});
