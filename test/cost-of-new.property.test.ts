/**
 * Law 9: the cost of a turn depends only on what is new, however long the conversation is. Work is counted, not timed:
 * entries and bytes through the store, characters through the counter.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../src/core/message/message.ts";
import { wellFormedHistories } from "../src/testing/generate-histories.ts";
import { weighted } from "../src/testing/weighted.ts";
import { propertyRuns } from "./support/property-runs.ts";
import { NO_WORK, openMeasuredEngine, type Work } from "./support/watch-work.ts";

const BUDGET_TOKENS = 1_500;
/**
 * With a small budget most turns compact, and turns that compact are not checked. With a large budget few turns
 * compact, and the view is long.
 */
const budgets = weighted([
  [1, fc.constant(BUDGET_TOKENS)],
  [9, fc.constant(20 * BUDGET_TOKENS)],
]);
/** Characters of a prompt that fills the budget: about as many as a compaction writes and counts. */
const VIEW_CHARACTERS = BUDGET_TOKENS * 4;

describe("law 9: the cost of a turn", () => {
  test("without a compaction a turn reads, writes and counts only what is new", async () => {
    const property = fc.asyncProperty(
      wellFormedHistories({ longestCharacters: 1_000 }),
      fc.integer({ min: 1, max: 4 }),
      budgets,
      async (history, times, budgetTokens) => {
        const { palimpsest, takeWork } = openMeasuredEngine(budgetTokens);
        const session = await palimpsest.session();
        for (const message of repeated(history, times)) {
          takeWork();
          await session.append(message, { format: "palimpsest" });
          const prompt = await session.prompt().catch(() => undefined);
          if (prompt === undefined) return;
          const work = takeWork();
          if (prompt.report.compaction !== undefined) continue;
          // A prompt that exactly fills its budget is searched for removable content, even if there is none.
          const searchedCharacters = prompt.report.plan.held === undefined ? 0 : budgetTokens * 4;
          expectCostOfNew(work, message, { searchedCharacters, recalled: prompt.report.recalled?.text });
        }
      },
    );
    // Each run is a conversation of up to a hundred turns with its compactions, and each turn is checked.
    const limits = { interruptAfterTimeLimit: propertyRuns(20) * 8_000, markInterruptAsFailure: true };
    await fc.assert(property, { numRuns: propertyRuns(20), ...limits });
  });

  test("a turn that recalls earlier messages reads and counts a bounded number, and writes one more entry", async () => {
    const statement = fc.record({ asks: fc.boolean(), place: fc.integer({ min: 1, max: 999 }) });
    let recalls = 0;
    const property = fc.asyncProperty(fc.array(statement, { minLength: 60, maxLength: 80 }), async (statements) => {
      const { palimpsest, takeWork } = openMeasuredEngine(BUDGET_TOKENS);
      const session = await palimpsest.session();
      for (const [index, { asks, place }] of statements.entries()) {
        const said = `Crate ${index} with the lamps of Clara stands in hall ${place}. ${"It is heavy. ".repeat(10)}`;
        const text = asks ? `Where does crate ${place % (index + 1)} of Clara stand?` : said;
        const message: Message = { id: `u${index}`, role: "user", parts: [{ type: "text", text }] };
        takeWork();
        await session.append(message, { format: "palimpsest" });
        const { report } = await session.prompt();
        const work = takeWork();
        await session.append({ id: `a${index}`, role: "assistant", content: "Good." });
        if (report.compaction !== undefined) continue;
        if (report.recalled !== undefined) recalls += 1;
        expectCostOfNew(work, message, { searchedCharacters: 0, recalled: report.recalled?.text });
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(2) });
    expect(recalls).toBeGreaterThan(5);
  });

  test("a conversation ten times as long costs at most 10 % more per turn, compactions included", async () => {
    const [short, long] = await costPerTurn({ after: [400, 4_000], measure: 100 });
    for (const key of ["entriesRead", "entriesWritten", "bytesWritten", "charactersCounted"] as const) {
      expect(long[key]).toBeLessThanOrEqual(short[key] * 1.1);
    }
  });

  test("opening a session reads its view, not its log", async () => {
    const { palimpsest, store } = openMeasuredEngine(BUDGET_TOKENS);
    const session = await palimpsest.session("long");
    for (let index = 0; index < 1_500; index += 1) {
      await session.append(turnMessage(index));
      await session.prompt();
    }
    const fresh = openMeasuredEngine(BUDGET_TOKENS, store);
    const opened = await fresh.palimpsest.session("long");
    await opened.prompt();
    const { entriesRead } = fresh.takeWork();
    expect(entriesRead).toBeLessThan(200);
  });
});

/** The most messages that recall reads for a request, and the most characters that it counts, for a log of any length. */
const RECALL_MESSAGES = 400;
const RECALL_CHARACTERS = 60_000;

interface TurnFacts {
  readonly searchedCharacters: number;
  readonly recalled: string | undefined;
}

function expectCostOfNew(work: Work, message: Message, { searchedCharacters, recalled }: TurnFacts): void {
  const size = JSON.stringify(message).length;
  const isRequest = message.role === "user";
  expect(work.entriesWritten).toBe(recalled === undefined ? 2 : 3);
  // Each prompt reads the recall entry that the previous prompt wrote.
  expect(work.entriesRead).toBeLessThanOrEqual(4);
  expect(work.candidatesRead).toBeLessThanOrEqual(isRequest ? RECALL_MESSAGES : 0);
  expect(work.bytesWritten).toBeLessThanOrEqual(size * 2 + 3_000 + 4 * (recalled?.length ?? 0));
  const recallCharacters = isRequest ? RECALL_CHARACTERS : 0;
  expect(work.charactersCounted).toBeLessThanOrEqual(size * 3 + 1_000 + searchedCharacters + recallCharacters);
}

function repeated(history: readonly Message[], times: number): readonly Message[] {
  return Array.from({ length: times }, (_, round) =>
    history.map((message) => ({ ...message, id: `${message.id}-${round}` })),
  ).flat();
}

const turnMessage = (index: number) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Message ${index % 100} of a long conversation about nothing in particular, said at some length.`,
});

interface MeasuredStretches {
  /** How many messages come before each measured stretch. */
  readonly after: readonly [number, number];
  readonly measure: number;
}

async function costPerTurn({ after, measure }: MeasuredStretches): Promise<readonly [Work, Work]> {
  const { palimpsest, takeWork } = openMeasuredEngine(BUDGET_TOKENS);
  const session = await palimpsest.session();
  let messageCount = 0;
  const sayUntil = async (count: number): Promise<Work> => {
    takeWork();
    for (; messageCount < count; messageCount += 1) {
      await session.append(turnMessage(messageCount));
      await session.prompt();
    }
    return takeWork();
  };
  const measured = async (before: number): Promise<Work> => {
    await sayUntil(before);
    const total = await sayUntil(before + measure);
    expect(total.charactersCounted).toBeLessThan(measure * 1_000 + VIEW_CHARACTERS * 100);
    expect(total).not.toEqual(NO_WORK);
    return total;
  };
  return [await measured(after[0]), await measured(after[1])];
}
