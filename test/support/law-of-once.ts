/** Checks law 7 on the result of a race, on any store. */
import { expect } from "vitest";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import type { FinishedRace } from "./race-engines.ts";

/** Checks a race without appends: it wrote one compaction if a prompt had this budget, and none if no prompt had it. */
export function expectOneRecord(race: FinishedRace, budgetTokens: number): void {
  const isAsked = race.prompts.some((asked) => asked.budgetTokens === budgetTokens);
  const changes = race.entries.filter(({ type }) => !["message", "request", "recall", "pin"].includes(type));
  expect(changes).toHaveLength(isAsked ? 1 : 0);
  const written = race.engines.flatMap(({ of }) => of("compaction"));
  expect(written).toHaveLength(isAsked ? 1 : 0);
}

export function expectOneAtATime({ maxAtOnce }: FinishedRace): void {
  expect(maxAtOnce).toBeLessThanOrEqual(1);
}

export function expectEveryCallCounted(race: FinishedRace): void {
  const received = race.engines.flatMap(({ of }) => of("summary").map(({ sessionId: _, ...attempt }) => attempt));
  const written = race.engines.flatMap(({ of }) => of("compaction"));
  const ended = race.engines.flatMap(({ of }) => of("compaction-end"));
  expect(received).toHaveLength(race.calls);
  const accounted = [...written, ...ended].flatMap(({ attempts }) => attempts);
  expect(sorted(accounted)).toEqual(sorted(received));
  const lost = ended.filter(({ outcome }) => outcome === "stale").flatMap(({ attempts }) => attempts);
  const rejected = received.filter(({ outcome }) => outcome !== "accepted");
  const byModel = recordsOf(race).filter(({ strategy }) => strategy === "planned");
  const lostAnswers = lost.filter(({ outcome }) => outcome === "accepted");
  expect(race.calls).toBe(byModel.length + rejected.length + lostAnswers.length);
}

/** Checks that the summaries form one chain, that no message is missing, and that every prompt fits its budget. */
export function expectOneChain(race: FinishedRace): void {
  const records = recordsOf(race);
  for (const [index, record] of records.entries()) {
    const before = records[index - 1];
    expect(record.parentId).toBe(before?.id);
    expect(record.coverage.lastSeq).toBeGreaterThan(before?.coverage.lastSeq ?? 0);
  }
  const written = race.engines.flatMap(({ of }) => of("compaction").flatMap(({ record }) => record?.id ?? []));
  expect(written.toSorted()).toEqual(records.map(({ id }) => id).toSorted());
  const kept = race.entries.flatMap((entry) => (entry.type === "message" ? [entry.id] : []));
  expect(kept.toSorted()).toEqual(race.history.map(({ id }) => id).toSorted());
  for (const { prompt, budgetTokens } of race.prompts) {
    expect(prompt.report.tokens).toBeLessThanOrEqual(budgetTokens);
  }
}

const recordsOf = ({ entries }: FinishedRace): readonly SummaryRecord[] =>
  entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));

const sorted = (values: readonly object[]): readonly string[] =>
  values.map((value) => JSON.stringify(value)).toSorted();
