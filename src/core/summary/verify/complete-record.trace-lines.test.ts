import { describe, expect, test } from "vitest";
import { FACTS_HEADING } from "../record/layout.ts";
import type { Fact, SummaryLine } from "../record/record.ts";
import { traceLines } from "./complete-record.ts";

const written: readonly SummaryLine[] = [
  { text: "What happened:", messageIds: [] },
  { text: "- User: The total is 12, and the rest is 400.", messageIds: ["m1"], salience: 0.5 },
  { text: "- Assistant: I wrote src/a.ts.", messageIds: ["m2", "m3"] },
  { text: "- User: Thanks.", messageIds: ["m4"] },
];

function aFact(overrides: Partial<Fact>): Fact {
  return {
    id: "f1",
    kind: "constraint",
    text: "never push",
    source: "m0",
    saidBy: "user",
    status: "live",
    lastTurn: 0,
    uses: 1,
    ...overrides,
  };
}

function idsOf(text: string, restored: readonly Fact[] = []): readonly (readonly string[])[] {
  return traceLines(text, { written, restored }).map(({ messageIds }) => messageIds);
}

describe("traceLines", () => {
  test("returns the written lines if the text did not change", () => {
    expect(traceLines(written.map(({ text }) => text).join("\n"), { written, restored: [] })).toEqual(written);
  });

  test("traces a line that lost a clause, and a line after removed lines", () => {
    expect(idsOf("What happened:\n- User: The total is 12.\n- User: Thanks.")).toEqual([[], ["m1"], ["m4"]]);
  });

  test("cites the source of each restored fact, and all sources of a line of names", () => {
    const restored = [
      aFact({}),
      aFact({ id: "f2", kind: "identifier", text: "src/b.ts", source: "m7" }),
      aFact({ id: "f3", kind: "identifier", text: "src/c.ts", source: "m8" }),
    ];
    const text = `What happened:\n- User: Thanks.\n\n${FACTS_HEADING}\n- must hold: never push\n- names: src/b.ts; src/c.ts`;
    expect(idsOf(text, restored)).toEqual([[], ["m4"], [], [], ["m0"], ["m7", "m8"]]);
  });

  test("returns no source for a line that is not in the written lines", () => {
    expect(idsOf("Somebody wrote this by hand.")).toEqual([[]]);
    expect(idsOf("")).toEqual([]);
  });
});
