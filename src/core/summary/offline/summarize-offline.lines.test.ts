import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import type { Message } from "../../message/message.ts";
import { joinLines } from "../record/layout.ts";
import type { Facets, SummaryLine, SummaryRecord } from "../record/record.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import { summarizeOffline } from "./summarize-offline.ts";

const budgets = fc.oneof(fc.integer({ min: 24, max: 400 }), fc.integer({ min: 24, max: 20_000 }));
const isHeading = ({ text }: SummaryLine): boolean => /^[A-Z][a-z ]+:$/.test(text);

function linesOf({ lines = [] }: SummaryRecord): readonly SummaryLine[] {
  return lines;
}

/** Returns the names of a line that are in none of the messages it cites. */
function untraced({ text, messageIds }: SummaryLine, messages: readonly Message[]): readonly string[] {
  const cited = messages.filter(({ id }) => messageIds.includes(id));
  const { unsupported } = verifySummary(text, cited, { protectedFacts: [] });
  return unsupported.flatMap((claim) => (claim.kind === "statement" ? [] : [claim.text]));
}

function factsOf({ goal, actionItems, ...lists }: Omit<Facets, "sheet">): readonly string[] {
  const { constraints, decisions, unresolved, entities, participants, done } = lists;
  const tasks = actionItems.map(({ task }) => task);
  const goals = goal === undefined ? [] : [goal];
  return [goals, constraints, decisions, tasks, unresolved, entities, participants, done].flat();
}

describe("the lines of an offline summary", () => {
  test("form the text when joined, and each line except a heading cites messages of the stretch", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 5, longestCharacters: 2_000 }), budgets, (messages, budgetTokens) => {
        const record = summarizeOffline(messages, { budgetTokens });
        const ids = new Set(messages.map(({ id }) => id));
        expect(joinLines(linesOf(record))).toBe(record.text);
        for (const line of linesOf(record)) {
          expect(line.messageIds.length > 0).toBe(!isHeading(line));
          expect(line.messageIds.every((id) => ids.has(id))).toBe(true);
          expect(new Set(line.messageIds).size).toBe(line.messageIds.length);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test("contain only names that are in the messages they cite", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 4, longestCharacters: 1_000 }), budgets, (messages, budgetTokens) => {
        for (const line of linesOf(summarizeOffline(messages, { budgetTokens }))) {
          expect(untraced(line, messages), line.text).toEqual([]);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("cite messages of the chain after a fold, and so does every fact of the facets", () => {
    const stretches = fc.array(histories({ maxTurns: 2, longestCharacters: 500 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(stretches, budgets, (all, budgetTokens) => {
        const numbered = all.map((messages, part) => messages.map((each) => ({ ...each, id: `${part}-${each.id}` })));
        let previous: SummaryRecord | undefined;
        for (const [part, messages] of numbered.entries()) {
          const record: SummaryRecord = summarizeOffline(messages, { budgetTokens, previous });
          const known = new Set(numbered.slice(0, part + 1).flatMap((each) => each.map(({ id }) => id)));
          expect(joinLines(linesOf(record))).toBe(record.text);
          for (const line of linesOf(record)) {
            expect(line.messageIds.length > 0).toBe(!isHeading(line));
            expect(line.messageIds.every((id) => known.has(id))).toBe(true);
          }
          const { sheet, ...lists } = record.facets;
          for (const { source, text } of sheet?.facts ?? []) expect(known.has(source), text).toBe(true);
          const stated = new Set(sheet?.facts.map(({ text }) => text));
          for (const text of factsOf(lists)) expect(stated.has(text), text).toBe(true);
          previous = record;
        }
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

describe("a line of an offline summary", () => {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const ask = aUserMessage("Please repair the import of src/orders/load.ts. You must never drop the column vat_rate.");
  const round = aRound(
    [{ callId: "c1", tool: "Bash", input: { command: "npm run orders" }, output: "Error: no column vat_rate" }],
    { text: "I run the import first." },
  );
  const answer = anAssistantMessage("The loader skips vat_rate in line 88, so every invoice is wrong.");
  const messages = [ask, ...round, answer];
  const record = summarizeOffline(messages, { budgetTokens: 400 });
  const find = (words: string): SummaryLine | undefined => linesOf(record).find(({ text }) => text.includes(words));

  test("that states a fact cites the message of the fact", () => {
    expect(find("- You must never drop")?.messageIds).toEqual([ask.id]);
  });

  test("about a tool call cites the call and its result", () => {
    expect(find("npm run orders")?.messageIds).toEqual(round.map(({ id }) => id));
  });

  test("still cites its original message after two folds", () => {
    const next = [aUserMessage("Then look at the totals."), anAssistantMessage("The totals are fine now.")];
    const second = summarizeOffline(next, { budgetTokens: 400, previous: record });
    const third = summarizeOffline([aUserMessage("Good.")], { budgetTokens: 400, previous: second });
    const line = linesOf(third).find(({ text }) => text.includes("line 88"));
    expect(line?.messageIds).toEqual([answer.id]);
  });

  test("still cites its message if another line of the text was edited", () => {
    const edited = { ...record, text: record.text.replace("npm run orders", "the import") };
    const next = summarizeOffline([aUserMessage("Good.")], { budgetTokens: 400, previous: edited });
    expect(linesOf(next).find(({ text }) => text.includes("line 88"))?.messageIds).toEqual([answer.id]);
  });
});

describe("the sections of an offline summary", () => {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const work = aRound([{ callId: "c1", tool: "Bash", input: { command: "npm test" }, output: "ok" }]);
  const later = Array.from({ length: 12 }, () =>
    anAssistantMessage("The harbor was quiet, and gulls sat on the pier."),
  );

  test("list no finished work that says nothing alone, and none whose words another item has", () => {
    const done = "The investigation is complete. All tests pass. All tests pass and linting is clean.";
    const messages = [aUserMessage("Clean the build."), ...work, anAssistantMessage(done), ...later];
    const { text } = summarizeOffline(messages, { budgetTokens: 120 });
    expect(text).toContain("Done:\n- All tests pass and linting is clean.\n");
    expect(text).not.toContain("investigation is complete.\n- ");
  });

  test("quote an answer without the number of an item that is listed elsewhere", () => {
    const answer = "1. Economy 2. One traveler 3. Never book a night flight.";
    const messages = [aUserMessage("Book me a flight to Porto."), ...work, aUserMessage(answer), ...later];
    const { text } = summarizeOffline(messages, { budgetTokens: 140 });
    expect(text).toContain("- Never book a night flight.\n");
    expect(text).toContain("- 1. Economy 2. One traveler\n");
  });
});
