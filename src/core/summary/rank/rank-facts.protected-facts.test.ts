import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { countText } from "../../tokens/count-text.ts";
import { charsOverFour } from "../../tokens/rough-counters.ts";
import { makeFact } from "../facts/make-fact.ts";
import { FACTS_HEADING, renderFact, renderFacts } from "../record/layout.ts";
import type { Fact, FactKind, FactSheet } from "../record/record.ts";
import { chooseProtected, isChosenFirst } from "./rank-facts.ts";

const { aUserMessage } = messageBuilder();
const count = (text: string): number => countText(text, charsOverFour);

const aFact = (kind: FactKind, text: string, overrides: Partial<Fact> = {}): Fact => {
  const fact = makeFact({ kind, text, source: "m1", saidBy: "assistant", turn: 0 });
  if (fact === undefined) throw new TypeError(`no fact: ${text}`);
  return { ...fact, ...overrides };
};

const choose = (facts: readonly Fact[], budgetTokens: number, turns = 10) =>
  chooseProtected({ facts, turns }, { budgetTokens, count });

describe("chooseProtected", () => {
  const name = aFact("identifier", "src/a.ts", { lastTurn: 8 });
  const decision = aFact("decision", "We decided to use the north gate.");
  const item = aFact("open-item", "order the crates");
  const constraint = aFact("constraint", "You must never ship on Fridays.");
  const pin = aFact("pin-note", "Ana pays.");

  test("orders pin notes and constraints first, then open items, decisions and recent names", () => {
    expect(choose([name, decision, item, constraint, pin], 1_000).facts).toEqual([
      pin,
      constraint,
      item,
      decision,
      name,
    ]);
  });

  test("includes names from the last three turns, from open items, and older names by the user", () => {
    const old = (text: string, overrides: Partial<Fact> = {}) =>
      aFact("identifier", text, { lastTurn: 2, ...overrides });
    const facts = [
      old("src/old.ts"),
      old("src/b.ts"),
      old("20931", { saidBy: "user" }),
      name,
      aFact("open-item", "mend src/b.ts"),
    ];
    expect(choose(facts, 1_000).facts.map(({ text }) => text)).toEqual([
      "mend src/b.ts",
      "src/a.ts",
      "src/b.ts",
      "20931",
    ]);
  });

  test("omits done items", () => {
    expect(choose([{ ...item, status: "done" }], 1_000)).toEqual({ facts: [], evicted: [], tokens: 0, floorTokens: 0 });
  });

  test("evicts facts that do not fit in half of the budget", () => {
    const items = Array.from({ length: 20 }, (_, index) =>
      aFact("open-item", `order crate number ${index} for the move`),
    );
    const { facts, evicted, tokens } = choose([...items, decision], 200);
    expect(facts.length).toBeGreaterThan(3);
    expect(evicted).toContain(decision);
    expect(facts.length + evicted.length).toBe(21);
    expect(tokens).toBeLessThanOrEqual(100);
  });

  test("keeps constraints that exceed the protected share, and returns their tokens as floorTokens", () => {
    const all = choose([constraint, pin, item], 1_000).tokens;
    const { facts, evicted, floorTokens } = choose([constraint, pin, item], all - 1);
    expect(facts).toEqual([pin, constraint]);
    expect(evicted).toEqual([item]);
    expect(floorTokens).toBeGreaterThan((all - 1) / 2);
  });

  test("evicts the oldest constraints if they exceed the whole budget, and never evicts pin notes", () => {
    const constraints = Array.from({ length: 40 }, (_, turn) => ({
      ...constraint,
      id: `c${turn}`,
      text: `Never touch config-${turn}.json.`,
      lastTurn: turn,
    }));
    const { facts, evicted } = chooseProtected(
      { facts: [...constraints, pin], turns: 40 },
      { budgetTokens: 200, count },
    );
    expect(facts).toContain(pin);
    expect(facts).toContain(constraints.at(-1));
    expect(evicted).toContain(constraints[0]);
    expect(count(renderFacts(facts))).toBeLessThanOrEqual(200);
    expect(choose([pin], 1).facts).toEqual([pin]);
  });

  test("evicts no constraint that fits the budget, and stays within the share or the floor, in any history", () => {
    fc.assert(
      fc.property(
        histories({ maxTurns: 5, longestCharacters: 1_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        fc.constantFrom(0.25, 0.5, 1),
        (messages, budgetTokens, protectedShare) => {
          const sheet: FactSheet = extractFacts([...messages, aUserMessage("You must keep this.")]);
          const { facts, evicted, tokens, floorTokens } = chooseProtected(sheet, {
            budgetTokens,
            protectedShare,
            count,
          });
          const cap = Math.floor(budgetTokens * protectedShare);
          const fixed = sheet.facts.filter(isChosenFirst);
          const room = budgetTokens - fixed.reduce((sum, fact) => sum + count(`${renderFact(fact)}\n`), 0);
          if (room >= count(`${FACTS_HEADING}\n`)) expect(evicted.filter(isChosenFirst)).toEqual([]);
          expect(new Set([...facts, ...evicted]).size).toBe(facts.length + evicted.length);
          expect(tokens <= cap || floorTokens > cap).toBe(true);
          expect(count(renderFacts(facts))).toBeLessThanOrEqual(Math.max(cap, floorTokens));
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});
