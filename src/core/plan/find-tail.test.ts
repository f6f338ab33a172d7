import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import type { ViewMessage } from "../log/view.ts";
import { groupRounds, groupTurns } from "../message/group-messages.ts";
import type { Message } from "../message/message.ts";
import { findLastRequests, findLeastTail, findRoundBorderAt, findRoundBorders, findTail } from "./find-tail.ts";
import type { TailMeasures } from "./plan-settings.ts";

const { aUserMessage, anAssistantMessage, aRound, anExchange, aSystemMessage } = messageBuilder();

/** Each message has ten tokens unless `tokens` gives another number. */
const viewOf = (messages: readonly Message[], tokens: readonly number[] = []): readonly ViewMessage[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    message,
    shown: message,
    tokens: tokens[index] ?? 10,
    fate: "verbatim",
    reason: "",
  }));

/** 0 system · 1 user · 2 assistant · 3 user · 4 calls · 5 results · 6 results · 7 assistant · 8 user */
const conversation = viewOf([
  aSystemMessage("Be brief."),
  ...anExchange("Hello.", "Hello!"),
  aUserMessage("Look."),
  ...aRound(
    [
      { callId: "a", output: "1" },
      { callId: "b", output: "2" },
    ],
    { apart: true },
  ),
  anAssistantMessage("Done."),
  aUserMessage("Thanks."),
]);

describe("findTail", () => {
  test("returns the end of the view if every measure is zero", () => {
    expect(findTail(conversation, {})).toBe(9);
    expect(findTail(conversation, { messages: 0, tokens: 0, exchanges: 0, rounds: 0 })).toBe(9);
  });

  test.each<[string, TailMeasures, number]>([
    ["the given number of messages", { messages: 2 }, 7],
    ["all messages if the given number is larger", { messages: 99 }, 0],
    ["the newest messages whose tokens fit", { tokens: 20 }, 7],
    ["nothing if the newest message does not fit", { tokens: 9 }, 9],
    ["all messages if their tokens fit", { tokens: 90 }, 0],
    ["the given number of turns", { exchanges: 1 }, 8],
    ["all rounds of a turn", { exchanges: 2 }, 3],
    ["all messages if there are fewer turns", { exchanges: 4 }, 0],
    ["the given number of rounds", { rounds: 2 }, 7],
    ["all messages of a round", { rounds: 3 }, 4],
  ])("keeps %s", (_, measures, start) => {
    expect(findTail(conversation, measures)).toBe(start);
  });

  test("moves back to the start of a round instead of splitting it", () => {
    expect(findTail(conversation, { messages: 3 })).toBe(4);
    expect(findTail(conversation, { messages: 4 })).toBe(4);
    expect(findTail(conversation, { tokens: 35 })).toBe(4);
  });

  test("uses the measure that keeps the most messages", () => {
    expect(findTail(conversation, { messages: 1, tokens: 20, rounds: 1 })).toBe(7);
    expect(findTail(conversation, { messages: 1, tokens: 20, exchanges: 2 })).toBe(3);
    expect(findTail(conversation, { messages: 8, tokens: 20, exchanges: 2 })).toBe(1);
  });

  test("stops at the first message that does not fit, even if an older one would fit", () => {
    expect(findTail(viewOf(anExchange("Hello.", "Hello!"), [1, 50]), { tokens: 20 })).toBe(2);
  });

  test("returns 0 for an empty view", () => {
    expect(findTail([], { messages: 3, tokens: 10, exchanges: 1, rounds: 1 })).toBe(0);
  });
});

describe("findRoundBorders", () => {
  test("returns the indexes between rounds, including both ends of the view", () => {
    expect(findRoundBorders(conversation)).toEqual([0, 1, 2, 3, 4, 7, 8, 9]);
    expect(findRoundBorders([])).toEqual([0]);
  });
});

describe("findRoundBorderAt", () => {
  test("returns the start of the round that contains a message", () => {
    expect([3, 4, 5, 6, 7, 9].map((index) => findRoundBorderAt(conversation, index))).toEqual([3, 4, 4, 4, 7, 9]);
  });
});

describe("findLeastTail", () => {
  test("returns the start of the newest round, open or closed", () => {
    expect(findLeastTail(conversation)).toBe(8);
    const open = viewOf([aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }, { callId: "b" }])]);
    expect(findLeastTail(open)).toBe(1);
  });
});

describe("findLastRequests", () => {
  test("returns the last two user messages, however old they are", () => {
    expect(findLastRequests(conversation).map(({ seq }) => seq)).toEqual([4, 9]);
    const rounds = Array.from({ length: 20 }, (_, index) => aRound([{ callId: `c${index}`, output: "1" }])).flat();
    expect(findLastRequests(viewOf([aUserMessage("Look."), ...rounds])).map(({ seq }) => seq)).toEqual([1]);
  });
});

describe("findTail, for any view", () => {
  const measured = fc.record(
    {
      messages: fc.nat({ max: 12 }),
      tokens: fc.nat({ max: 200 }),
      exchanges: fc.nat({ max: 4 }),
      rounds: fc.nat({ max: 6 }),
    },
    { requiredKeys: [] },
  );
  const views = histories({ maxTurns: 6, longestCharacters: 200 }).map((history) =>
    viewOf(
      history,
      history.map((_, index) => ((index * 13) % 37) + 1),
    ),
  );

  test("begins the tail between rounds, and keeps at least what each measure requires", () => {
    fc.assert(
      fc.property(views, measured, (view, measures) => {
        const start = findTail(view, measures);
        const tail = view.slice(start);
        expect(findRoundBorders(view)).toContain(start);
        expect(tail.length).toBeGreaterThanOrEqual(Math.min(view.length, measures.messages ?? 0));
        const messages = view.map(({ message }) => message);
        const turns = groupTurns(messages);
        const wanted = turns.slice(Math.max(0, turns.length - (measures.exchanges ?? 0))).flatMap(({ items }) => items);
        expect(tail.length).toBeGreaterThanOrEqual(wanted.length);
        const inTail = groupRounds(tail.map(({ message }) => message)).length;
        expect(inTail).toBeGreaterThanOrEqual(Math.min(groupRounds(messages).length, measures.rounds ?? 0));
        const sum = view.slice(start - 1).reduce((total, { tokens }) => total + tokens, 0);
        expect(start === 0 || sum > (measures.tokens ?? 0)).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns the same tail as the most inclusive measure alone", () => {
    fc.assert(
      fc.property(views, measured, (view, measures) => {
        const start = findTail(view, measures);
        const starts = Object.entries(measures).map(([name, value]) => findTail(view, { [name]: value }));
        expect(start).toBe(Math.min(view.length, ...starts));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never makes the tail shorter if a measure grows", () => {
    fc.assert(
      fc.property(views, measured, fc.nat({ max: 50 }), (view, measures, more) => {
        const larger = {
          ...measures,
          tokens: (measures.tokens ?? 0) + more,
          messages: (measures.messages ?? 0) + more,
        };
        expect(findTail(view, larger)).toBeLessThanOrEqual(findTail(view, measures));
      }),
      { numRuns: propertyRuns() },
    );
  });
});
