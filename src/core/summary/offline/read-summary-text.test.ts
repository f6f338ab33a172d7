import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { HEADINGS } from "../record/headings.ts";
import { readSections } from "../record/layout.ts";
import { HISTORY_STRATEGY, readSummaryText } from "./read-summary-text.ts";
import { summarizeOffline } from "./summarize-offline.ts";

const options = { source: "cover", count: 12 };

const sentences = fc.constantFrom(
  "The price must stay below 4711 euros.",
  "We decided to use Postgres 17.",
  "TODO: write to Ana about invoice-88.",
  "The ledger account is acc-7731.",
  "I fixed the parser in src/parse.ts.",
  "Which port does the server listen on?",
  "My goal is to move the archive to cold storage.",
  "The harbour was measured on 2024-05-03.",
);
const histories = fc.array(
  fc.record({
    role: fc.constantFrom("user", "assistant"),
    content: fc.array(sentences, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 2, maxLength: 20 },
);

describe("readSummaryText", () => {
  test("parses the lists of a summary that summarizeOffline wrote", () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 60, max: 600 }), (history, budgetTokens) => {
        const messages = history.map(({ role, content }) => ({ role, content: content.join(" ") }));
        const record = summarizeOffline(messages, { budgetTokens });
        const read = readSummaryText(record.text, options);
        expect(read.text).toBe(record.text);
        const under = (heading: string) => new Set(readSections(record.text, [heading]).get(heading) ?? []);
        const { constraints, decisions, done, sheet } = read.facets;
        expect(constraints).toEqual([]);
        const reported = (sheet?.facts ?? []).filter(({ kind }) => kind === "reported").map(({ text }) => text);
        expect(new Set(reported)).toEqual(under(HEADINGS.constraints));
        expect(new Set(decisions)).toEqual(new Set([...under(HEADINGS.decisions), ...under(HEADINGS.known)]));
        expect(new Set(done)).toEqual(under(HEADINGS.done));
        for (const fact of read.facets.sheet?.facts ?? []) expect(fact.isTakenOver).toBe(true);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("parses the key points of a narrative, and the facts under their heading", () => {
    const text = [
      "They moved the archive.",
      "",
      "Key points:",
      "- It took a week.",
      "Facts kept from the conversation:",
      "- must hold: Nothing may be lost.",
      "- open: write to Ana (Ben; due Friday)",
      "- names: src/a.ts; acc-7731",
    ].join("\n");
    const { facets, keyPoints, strategy } = readSummaryText(text, options);
    expect(keyPoints).toEqual(["It took a week."]);
    expect(facets.constraints).toEqual([]);
    expect(facets.sheet?.facts).toContainEqual(
      expect.objectContaining({ kind: "reported", text: "Nothing may be lost.", isTakenOver: true }),
    );
    expect(facets.actionItems).toEqual([{ task: "write to Ana", owner: "Ben", due: "Friday", status: "open" }]);
    expect(facets.entities).toEqual(["src/a.ts", "acc-7731"]);
    expect(strategy).toBe(HISTORY_STRATEGY);
  });

  test("reads a pinned note as a reported fact", () => {
    const { facets } = readSummaryText("Facts kept from the conversation:\n- pinned: Obey.", options);
    expect(facets.sheet?.facts).toMatchObject([{ kind: "reported", text: "Obey.", isTakenOver: true }]);
  });
});
