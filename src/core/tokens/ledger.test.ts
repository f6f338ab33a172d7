import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { SECTION_ORDER } from "../sections/section.ts";
import { addToLedger, EMPTY_LEDGER, type Ledger, type LedgerChange, replaceInLedger, sumLedger } from "./ledger.ts";

const sections = fc.constantFrom(...SECTION_ORDER);
const additions = fc.array(fc.record({ section: sections, tokens: fc.nat(100_000) }), { maxLength: 60 });

const removeFromLedger = (ledger: Ledger, { section, tokens }: LedgerChange): Ledger =>
  replaceInLedger(ledger, { section, removedTokens: tokens, addedTokens: 0 });

const sumOf = (ledger: Ledger): number => Object.values(ledger.tokens).reduce((sum, tokens) => sum + tokens, 0);

describe("Ledger", () => {
  test("sums added tokens by section and in total", () => {
    fc.assert(
      fc.property(additions, (changes) => {
        const ledger = changes.reduce(addToLedger, EMPTY_LEDGER);
        for (const section of SECTION_ORDER) {
          const expected = changes.filter((change) => change.section === section);
          expect(ledger.tokens[section]).toBe(expected.reduce((sum, { tokens }) => sum + tokens, 0));
        }
        expect(sumLedger(ledger)).toBe(sumOf(ledger) - ledger.tokens.reserve);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("is empty again when everything is removed", () => {
    fc.assert(
      fc.property(additions, (changes) => {
        const full = changes.reduce(addToLedger, EMPTY_LEDGER);
        expect(changes.toReversed().reduce(removeFromLedger, full)).toEqual(EMPTY_LEDGER);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("replaces tokens in one section, and does not change the others or the original ledger", () => {
    const before = addToLedger(addToLedger(EMPTY_LEDGER, { section: "history", tokens: 900 }), {
      section: "summary",
      tokens: 50,
    });
    const after = replaceInLedger(before, { section: "history", removedTokens: 700, addedTokens: 20 });
    expect(after.tokens).toEqual({ ...EMPTY_LEDGER.tokens, history: 220, summary: 50 });
    expect(before.tokens.history).toBe(900);
  });

  test("does not count the reserve as part of the prompt", () => {
    expect(sumLedger(addToLedger(EMPTY_LEDGER, { section: "reserve", tokens: 4_096 }))).toBe(0);
  });

  test("throws when more tokens are removed than a section has, or negative tokens are added", () => {
    expect(() => removeFromLedger(EMPTY_LEDGER, { section: "history", tokens: 1 })).toThrow(TypeError);
    expect(() => addToLedger(EMPTY_LEDGER, { section: "history", tokens: -1 })).toThrow(TypeError);
  });
});
