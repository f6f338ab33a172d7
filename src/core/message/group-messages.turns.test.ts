import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories, wellFormedHistories } from "../../testing/generate-histories.ts";
import { groupTurns, groupTurnsBy } from "./group-messages.ts";
import type { Message } from "./message.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aToolCall, aRound, anExchange, aToolResult } =
  messageBuilder();
const idsOf = (messages: readonly Message[]): readonly (readonly string[])[] =>
  groupTurns(messages).map((turn) => turn.items.map((message) => message.id));
const isExchange = (...messages: readonly Message[]): boolean | undefined => groupTurns(messages).at(-1)?.isExchange;

describe("groupTurns", () => {
  test("begins a turn with every user message and keeps everything up to the next one in it", () => {
    const first = [aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }]), anAssistantMessage("Done.")];
    const second = [aUserMessage("Thanks.")];
    expect(idsOf([...first, ...second])).toEqual([first, second].map((turn) => turn.map(({ id }) => id)));
  });

  test("puts messages before the first user message into a turn without a request", () => {
    const turns = groupTurns([aSystemMessage("Be brief."), anAssistantMessage("Hello!"), ...anExchange("Hi.", "Yes?")]);
    expect(turns.map(({ items, hasRequest }) => [items.length, hasRequest])).toEqual([
      [2, false],
      [2, true],
    ]);
  });

  test("gives each of two consecutive user messages its own turn", () => {
    const turns = groupTurns([aUserMessage("One."), aUserMessage("Two."), anAssistantMessage("Both.")]);
    expect(turns.map(({ items, isExchange: done }) => [items.length, done])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test("marks a turn as an exchange once the assistant has answered", () => {
    expect(isExchange(aUserMessage("Look."))).toBe(false);
    expect(isExchange(...anExchange("Look.", "I see."))).toBe(true);
    expect(isExchange(aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }]))).toBe(false);
    expect(
      isExchange(aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }]), anAssistantMessage("Done.")),
    ).toBe(true);
  });

  test("marks no turn as an exchange while a call is open", () => {
    expect(isExchange(aUserMessage("Look."), aToolCall("a"))).toBe(false);
    const half = aRound([{ callId: "a", output: "1" }, { callId: "b" }]);
    expect(isExchange(aUserMessage("Look."), ...half)).toBe(false);
    expect(isExchange(aUserMessage("Look."), ...half, aToolResult("b", "2"), anAssistantMessage("Done."))).toBe(true);
  });

  test("never marks a turn without a request as an exchange", () => {
    expect(isExchange(anAssistantMessage("Hello!"))).toBe(false);
  });

  test("keeps all messages in order", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        expect(groupTurns(history).flatMap((turn) => turn.items)).toEqual(history);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("starts every turn after the first with a user message, and puts none inside a turn", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        for (const [index, { items, hasRequest }] of groupTurns(history).entries()) {
          const roles = items.map(({ role }) => role);
          expect(roles.slice(1)).not.toContain("user");
          expect(hasRequest).toBe(roles[0] === "user");
          expect(hasRequest || index === 0).toBe(true);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("marks every turn of a valid history as an exchange, except possibly the last", () => {
    fc.assert(
      fc.property(wellFormedHistories(), (history) => {
        const asked = groupTurns(history).filter(({ hasRequest }) => hasRequest);
        expect(asked.slice(0, -1).every((turn) => turn.isExchange)).toBe(true);
        expect(asked.at(-1)?.isExchange ?? false).toBe(endsWithAnswer(history));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("groupTurnsBy", () => {
  test("groups objects by the message that they contain", () => {
    const items = anExchange("Hi.", "Yes?").map((message, index) => ({ seq: index + 7, message }));
    expect(groupTurnsBy(items, ({ message }) => message).map((turn) => turn.items)).toEqual([items]);
  });
});

function endsWithAnswer(history: readonly Message[]): boolean {
  const last = history.at(-1);
  const isAsked = history.some(({ role }) => role === "user");
  return isAsked && last?.role === "assistant" && !last.parts.some((part) => isOpenCall(part));
}

function isOpenCall(part: Message["parts"][number]): boolean {
  return part.type === "tool-call" && part.byProvider !== true;
}
