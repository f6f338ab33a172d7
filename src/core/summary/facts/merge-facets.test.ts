import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { countText } from "../../tokens/count-text.ts";
import { charsOverFour } from "../../tokens/rough-counters.ts";
import { chooseProtected } from "../rank/rank-facts.ts";
import type { Facets } from "../record/record.ts";
import { EMPTY_SHEET, mergeFacets } from "./merge-facets.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();
const count = (text: string): number => countText(text, charsOverFour);

const firstHour = extractFacts([
  aUserMessage("Plan the move. You must never ship on Fridays. TODO: order 12 crates\nTODO: call the Lisbon office"),
  anAssistantMessage("We decided to use the north gate."),
]);

const merged = (times: number, each = EMPTY_SHEET): Facets => {
  let facets = mergeFacets(undefined, firstHour);
  for (let index = 0; index < times; index += 1) facets = mergeFacets(facets, each);
  return facets;
};

describe("mergeFacets", () => {
  test("keeps all facts over thirty merges with an empty sheet", () => {
    expect(merged(30, { facts: [], turns: 5 })).toEqual({
      ...merged(0),
      sheet: { ...merged(0).sheet, turns: 1 + 30 * 5 },
    });
  });

  test("closes an item that a later stretch resolves by id or reports as done in words", () => {
    const [crates, office] = firstHour.facts.filter(({ kind }) => kind === "open-item");
    const byId = mergeFacets(merged(0), { ...EMPTY_SHEET, resolved: [crates?.id ?? ""] });
    expect(byId.done).toEqual([crates?.text]);
    const byWords = mergeFacets(merged(0), extractFacts([anAssistantMessage("Done: called the Lisbon office")]));
    expect(byWords.actionItems.find(({ task }) => task === office?.text)?.status).toBe("done");
  });

  test("does not reopen a done item that is stated again, unless its id is in reopened", () => {
    const item = firstHour.facts.find(({ kind }) => kind === "open-item");
    const done = mergeFacets(merged(0), { ...EMPTY_SHEET, resolved: [item?.id ?? ""] });
    const again = mergeFacets(done, firstHour);
    expect(again.done).toContain(item?.text);
    const opened = mergeFacets(again, { ...EMPTY_SHEET, reopened: [item?.id ?? ""] });
    expect(opened.done).not.toContain(item?.text);
  });

  test("numbers the turns of the new stretch after the earlier ones", () => {
    const later = mergeFacets(merged(0), extractFacts([aUserMessage("See src/a.ts."), aUserMessage("And src/b.ts.")]));
    const turnOf = (text: string) => later.sheet?.facts.find((fact) => fact.text === text)?.lastTurn;
    expect([turnOf("src/a.ts"), turnOf("src/b.ts"), later.sheet?.turns]).toEqual([1, 2, 3]);
  });

  test("merges two statements that differ only in case into one fact", () => {
    const again = mergeFacets(merged(0), extractFacts([aUserMessage("you must NEVER ship on Fridays")]));
    expect(again.constraints).toEqual(["You must never ship on Fridays."]);
    expect(again.sheet?.facts.find(({ kind }) => kind === "constraint")?.uses).toBe(2);
  });

  test("keeps every protected fact over thirty merges with an empty sheet, for any history", () => {
    fc.assert(
      fc.property(
        histories({ maxTurns: 4, longestCharacters: 1_000 }),
        fc.integer({ min: 50, max: 4_000 }),
        (history, budgetTokens) => {
          let facets = mergeFacets(undefined, extractFacts(history));
          const before = chooseProtected(facets.sheet ?? EMPTY_SHEET, { budgetTokens, count });
          for (let index = 0; index < 30; index += 1) facets = mergeFacets(facets, EMPTY_SHEET);
          expect(chooseProtected(facets.sheet ?? EMPTY_SHEET, { budgetTokens, count })).toEqual(before);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("limits the number of names, and keeps constraints and decisions", () => {
    let facets = merged(0);
    for (let index = 0; index < 30; index += 1) {
      const names = Array.from({ length: 100 }, (_, name) => `src/part-${index}/file-${name}.ts`).join(" ");
      facets = mergeFacets(facets, extractFacts([anAssistantMessage(names)]));
    }
    expect(facets.sheet?.facts.filter(({ kind }) => kind === "identifier").length).toBeLessThanOrEqual(1_000);
    expect(facets.constraints).toEqual(["You must never ship on Fridays."]);
    expect(facets.decisions).toEqual(["We decided to use the north gate."]);
  });
});
