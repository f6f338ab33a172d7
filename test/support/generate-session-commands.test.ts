import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wellFormedHistories } from "../../src/testing/generate-histories.ts";
import { findAt, type SessionCommand, sessionCommands } from "./generate-session-commands.ts";
import { propertyRuns } from "./property-runs.ts";

const appended = (commands: readonly SessionCommand[]) =>
  commands.flatMap((command) => (command.type === "append" ? command.messages : []));

describe("sessionCommands", () => {
  test("returns the messages of one history, one to four at a time, in order", () => {
    const commands = sessionCommands({ messages: wellFormedHistories() });
    fc.assert(
      fc.property(commands, (list) => {
        expect(appended(list).map(({ id }) => id)).toEqual(appended(list).map((_, index) => `m${index}`));
        for (const command of list) {
          if (command.type !== "append") continue;
          expect(command.messages.length).toBeGreaterThanOrEqual(1);
          expect(command.messages.length).toBeLessThanOrEqual(4);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns every kind of command, and also tiny budgets", () => {
    const all = fc.sample(sessionCommands(), { numRuns: 1_000, seed: 7 }).flat();
    expect([...new Set(all.map(({ type }) => type))].toSorted()).toEqual([
      "append",
      "append-again",
      "change-budget",
      "change-model",
      "clear",
      "compact",
      "delete",
      "fork",
      "pin",
      "prompt",
      "redo",
      "reopen",
      "undo",
      "unpin",
    ]);
    const budgets = all.flatMap((command) => (command.type === "change-budget" ? [command.budgetTokens] : []));
    expect(Math.min(...budgets)).toBeLessThan(20);
  });

  test("returns only the requested kinds", () => {
    const all = fc.sample(sessionCommands({ only: ["append", "prompt"] }), { numRuns: 200, seed: 7 }).flat();
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(["append", "prompt"]));
  });

  test("shrinks to the commands that a property is about", () => {
    const failure = fc.check(
      fc.property(sessionCommands(), (list) => !list.some(({ type }) => type === "fork")),
      { seed: 7, numRuns: 500 },
    );
    expect(failure.counterexample?.[0]).toEqual([{ type: "fork", at: 0 }]);
  });
});

describe("findAt", () => {
  test("returns an item if there is one", () => {
    expect([0, 0.49, 0.5, 0.99].map((at) => findAt(["a", "b"], at))).toEqual(["a", "a", "b", "b"]);
    expect(findAt([], 0.5)).toBeUndefined();
  });
});
