import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { hugeTexts } from "../../../testing/hostile-texts.ts";
import type { Message } from "../../message/message.ts";
import { countText } from "../../tokens/count-text.ts";
import { charsOverFour } from "../../tokens/rough-counters.ts";
import { chooseProtected, rankFacts } from "../rank/rank-facts.ts";
import { FACTS_HEADING } from "../record/layout.ts";
import type { Fact } from "../record/record.ts";
import { repairSummary } from "./repair-summary.ts";
import { verifySummary } from "./verify-summary.ts";

const { aUserMessage } = messageBuilder();
const count = (text: string): number => countText(text, charsOverFour);

interface RepairCase {
  readonly messages: readonly Message[];
  readonly protectedFacts?: readonly Fact[];
  readonly budgetTokens?: number;
}

const repair = (text: string, { messages, protectedFacts = [], budgetTokens = 10_000 }: RepairCase) =>
  repairSummary(text, verifySummary(text, messages, { protectedFacts }), { budgetTokens, protectedFacts, count });

const said = [aUserMessage("src/a.ts, src/b.ts and src/c.ts on 3 May 2024, 12 rows.")];

describe("repairSummary", () => {
  test.each([
    ["The rows are in src/a.ts. They came from src/invented.ts.", "The rows are in src/a.ts."],
    ["Changed src/a.ts, src/invented.ts, and src/c.ts today.", "Changed src/a.ts; and src/c.ts today."],
    ["We changed src/a.ts (see src/invented.ts) and left.", "We changed src/a.ts and left."],
    ["We saw 12 (or src/invented.ts) rows.", "We saw 12; rows."],
    ["We edited it (see src/invented.ts) and left it there.", "We edited it and left it there."],
    ["All passed, except one in src/invented.ts, which fails. Good.", "Good."],
    ["- kept src/b.ts\n- lost 999 rows\n- 12 rows", "- kept src/b.ts\n- 12 rows"],
    ["1. src/a.ts\n2. src/invented.ts\n3. done", "1. src/a.ts\n3. done"],
    ["Done on May 3, on 4 May 2024, 2024.", ""],
    ["src/a.ts; 999 rows; 12 rows", "src/a.ts; 12 rows"],
    ["Nothing wrong here.", "Nothing wrong here."],
  ])("turns %j into %j", (before, after) => {
    expect(repair(before, { messages: said }).text).toBe(after);
  });

  test("never joins the text around a cut into a date", () => {
    const messages = [aUserMessage("It was May 3, and 2024 rows.")];
    const { text } = repair("Seen on May 3, bad_name, 2024 rows.", { messages });
    expect(text).toBe("Seen on May 3; 2024 rows.");
    expect(verifySummary(text, messages, { protectedFacts: [] }).unsupported).toEqual([]);
  });

  test("restores missing protected facts as lines under a heading", () => {
    const messages = [aUserMessage("Move out. You must never ship on Fridays. Let's use src/a.ts and src/b.ts.")];
    const protectedFacts = rankFacts(extractFacts(messages));
    const { text, restored, isOverBudget } = repair("The move goes on with src/b.ts.", { messages, protectedFacts });
    expect(text).toBe(
      [
        "The move goes on with src/b.ts.",
        "",
        FACTS_HEADING,
        "- must hold: You must never ship on Fridays.",
        "- goal: Move out. You must never ship on Fridays. Let's use src/a.ts and src/b.ts.",
        "- decided: Let's use src/a.ts and src/b.ts.",
        "- names: src/a.ts",
      ].join("\n"),
    );
    expect([restored.length, isOverBudget]).toEqual([4, false]);
  });

  test("drops prose from its end until the facts fit the cap", () => {
    const messages = [aUserMessage("You must never ship on Fridays.")];
    const protectedFacts = extractFacts(messages).facts.filter(({ kind }) => kind === "constraint");
    const prose = Array.from(
      { length: 30 },
      (_, index) => `Sentence ${"abcdefghij".charAt(index % 10)} says little.`,
    ).join(" ");
    const { text, isTrimmed, isOverBudget } = repair(prose, { messages, protectedFacts, budgetTokens: 60 });
    expect(text.startsWith("Sentence a says little.")).toBe(true);
    expect(text.endsWith("- must hold: You must never ship on Fridays.")).toBe(true);
    expect([isTrimmed, isOverBudget, count(text) <= 60]).toEqual([true, false, true]);
  });

  test("keeps all protected facts if they alone exceed the cap, and returns isOverBudget", () => {
    const messages = [aUserMessage("You must never ship on Fridays.")];
    const protectedFacts = extractFacts(messages).facts;
    const { text, isOverBudget } = repair("Prose.", { messages, protectedFacts, budgetTokens: 5 });
    expect(isOverBudget).toBe(true);
    expect(text).toContain("You must never ship on Fridays.");
  });

  test("returns a text within the cap, with every protected fact and no unsupported claim", () => {
    const summaries = fc
      .array(fc.oneof(texts({ longestCharacters: 600 }), fc.constantFrom(...FRAGMENTS)), { maxLength: 8 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(
        histories({ maxTurns: 4, longestCharacters: 800 }),
        summaries,
        fc.integer({ min: 20, max: 1_500 }),
        (messages, summary, budgetTokens) => {
          const chosen = chooseProtected(extractFacts(messages), { budgetTokens, count });
          const repaired = repair(summary, { messages, protectedFacts: chosen.facts, budgetTokens });
          const after = verifySummary(repaired.text, messages, { protectedFacts: chosen.facts });
          expect(after.unsupported).toEqual([]);
          expect(after.missing).toEqual([]);
          expect(after.score).toBe(1);
          expect(repaired.isOverBudget).toBe(count(repaired.text) > budgetTokens);
          if (chosen.floorTokens === 0) expect(repaired.isOverBudget).toBe(false);
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test.each(hugeTexts())("repairs $name in linear time", async ({ build }) => {
    const cost = async (long: string) => {
      const text = `${long} src/invented.ts`;
      const report = verifySummary(text, said, { protectedFacts: [] });
      return cpuMsOf(() => {
        const repaired = repairSummary(text, report, { budgetTokens: 500, protectedFacts: [], count });
        expect(count(repaired.text)).toBeLessThanOrEqual(500);
      });
    };
    expect(await growthOf(build(), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});

/** Pieces that become a date, a percentage or a list item when something between them is cut. */
const FRAGMENTS = [
  "May 3, ",
  "bad_name, ",
  "2024",
  "3 ",
  "(bad_name) ",
  "May ",
  "50 ",
  "(",
  ")",
  "% ",
  "%",
  ", ",
  ". ",
  "; ",
  "\r",
  "\n12. ",
  "12.",
  "\n- ",
  "src/a.ts ",
  "x/y/z ",
  "bad_name",
  "\u2028",
  "of ",
  "14",
  ":30 ",
  "1",
  ",234 ",
  "and ",
  "。",
  "[secret:npm-token:a1b2c3]",
  "a",
  "_b",
  "# ",
];
