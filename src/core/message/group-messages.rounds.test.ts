import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories, wellFormedHistories } from "../../testing/generate-histories.ts";
import { groupRounds, groupRoundsBy } from "./group-messages.ts";
import { listAnsweredIds, listCallIds, type Message } from "./message.ts";
import { createRepairer } from "./repair-messages.ts";

const { aUserMessage, anAssistantMessage, aToolCall, aToolResult, aRound, parallelCalls } = messageBuilder();
const idsOf = (messages: readonly Message[]): readonly (readonly string[])[] =>
  groupRounds(messages).map((round) => round.items.map((message) => message.id));
const together = (...groups: readonly (readonly Message[])[]): readonly (readonly string[])[] =>
  groups.map((group) => group.map((message) => message.id));

describe("groupRounds", () => {
  test("puts each message without a call or result into its own round", () => {
    const [asked, answered] = [aUserMessage("Hello."), anAssistantMessage("Hello!")];
    expect(idsOf([asked, answered])).toEqual(together([asked], [answered]));
  });

  test("keeps a tool result with its call", () => {
    const asked = aUserMessage("Look it up.");
    const round = aRound([{ callId: "a", output: "found" }]);
    const answered = anAssistantMessage("There it is.");
    expect(idsOf([asked, ...round, answered])).toEqual(together([asked], round, [answered]));
  });

  test("keeps parallel calls and their results together, whatever the order of the results", () => {
    const calls = parallelCalls([{ callId: "a" }, { callId: "b" }, { callId: "c" }]);
    const results = [aToolResult("c", "3"), aToolResult("a", "1"), aToolResult("b", "2")];
    expect(idsOf([calls, ...results])).toEqual(together([calls, ...results]));
  });

  test("keeps several calls with one id together with their results", () => {
    const calls = parallelCalls([{ callId: "a" }, { callId: "a" }]);
    const round = [calls, aToolResult("a", "1"), aToolResult("a", "2")];
    expect(idsOf(round)).toEqual(together(round));
    expect(groupRounds(round.slice(0, 2))[0]?.openCalls).toEqual(["a"]);
  });

  test("joins parallel calls that are separate messages", () => {
    const calls = [aToolCall("a"), aToolCall("b")];
    const results = [aToolResult("b", "2"), aToolResult("a", "1")];
    expect(idsOf([...calls, ...results])).toEqual(together([...calls, ...results]));
  });

  test("joins calls across thinking, but not across text", () => {
    const thought = anAssistantMessage("", { parts: [{ type: "reasoning", text: "And that one." }] });
    const joined = [aToolCall("a"), thought, aToolCall("b"), aToolResult("a", "1"), aToolResult("b", "2")];
    expect(idsOf(joined)).toEqual(together(joined));
    const [call, words] = [aToolCall("c"), anAssistantMessage("Never mind.")];
    expect(idsOf([call, words])).toEqual(together([call], [words]));
  });

  test("joins a message that is only thinking with the assistant's next message", () => {
    const thought = anAssistantMessage("", { parts: [{ type: "reasoning", text: "Hm." }] });
    const round = [thought, aToolCall("a"), aToolResult("a", "1")];
    const [asked, answered] = [aUserMessage("Look."), anAssistantMessage("Done.")];
    expect(idsOf([asked, ...round, answered])).toEqual(together([asked], round, [answered]));
    expect(idsOf([thought, asked])).toEqual(together([thought], [asked]));
  });

  test("starts a new round with a call that follows a result", () => {
    const first = [parallelCalls([{ callId: "a" }, { callId: "b" }]), aToolResult("a", "1")];
    const second = [aToolCall("c"), aToolResult("c", "3")];
    expect(idsOf([...first, ...second])).toEqual(together(first, second));
  });

  test("keeps consecutive rounds apart", () => {
    const [first, second] = [aRound([{ callId: "a", output: "1" }]), aRound([{ callId: "b", output: "2" }])];
    expect(idsOf([...first, ...second])).toEqual(together(first, second));
  });

  test("keeps user messages out of a round", () => {
    const [call, interruption, late] = [aToolCall("a"), aUserMessage("Stop."), aToolResult("a", "found")];
    expect(idsOf([call, interruption, late])).toEqual(together([call], [interruption], [late]));
  });

  test("keeps a call and its result together despite a stray result next to or between them", () => {
    const stray = aToolResult("lost", "nobody asked");
    const mixed = aToolResult("a", "found", { parts: [...stray.parts, ...aToolResult("a", "found").parts] });
    const beside = [aToolCall("a"), mixed];
    expect(idsOf(beside)).toEqual(together(beside));
    const between = [aToolCall("b"), stray, aToolResult("b", "found")];
    expect(idsOf(between)).toEqual(together(between));
  });

  test("reports no open call for a tool that the provider ran", () => {
    const searched = anAssistantMessage("", {
      parts: [{ type: "tool-call", callId: "a", tool: "search_web", input: {}, byProvider: true }],
    });
    const next = anAssistantMessage("Found it.");
    expect(idsOf([searched, next])).toEqual(together([searched], [next]));
    expect(groupRounds([searched])[0]?.openCalls).toEqual([]);
  });

  test("lists the open calls of a round", () => {
    const calls = parallelCalls([{ callId: "a" }, { callId: "b" }]);
    expect(groupRounds([calls])[0]?.openCalls).toEqual(["a", "b"]);
    expect(groupRounds([calls, aToolResult("a", "1")])[0]?.openCalls).toEqual(["b"]);
    expect(groupRounds([calls, aToolResult("b", "2"), aToolResult("a", "1")])[0]?.openCalls).toEqual([]);
  });

  test("keeps all messages in order", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        expect(groupRounds(history).flatMap((round) => round.items)).toEqual(history);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns no empty round", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        expect(groupRounds(history).every((round) => round.items.length > 0)).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("starts no round of a valid history with a result, and leaves only its last round open", () => {
    fc.assert(
      fc.property(wellFormedHistories(), (history) => {
        const rounds = groupRounds(history);
        expect(rounds.filter(({ items }) => items[0]?.role === "tool")).toEqual([]);
        expect(rounds.slice(0, -1).filter(({ openCalls }) => openCalls.length > 0)).toEqual([]);
        expect(rounds.at(-1)?.openCalls ?? []).toEqual(openCallsOf(history));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never separates a call from its result at the border of two rounds", () => {
    fc.assert(
      fc.property(histories(), fc.nat(), (history, place) => {
        const rounds = groupRounds(history);
        const border = rounds.length === 0 ? 0 : place % rounds.length;
        const [before, after] = [rounds.slice(0, border), rounds.slice(border)].map((half) =>
          half.flatMap((round) => round.items),
        );
        const whole = countStrays(history);
        expect(countStrays(before ?? []) + countStrays(after ?? [])).toBeLessThanOrEqual(whole);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("groupRoundsBy", () => {
  test("groups objects by the message that they contain", () => {
    const items = aRound([{ callId: "a", output: "1" }]).map((message, index) => ({ seq: index + 7, message }));
    const rounds = groupRoundsBy(items, (item) => item.message);
    expect(rounds.map((round) => round.items.map(({ seq }) => seq))).toEqual([[7, 8]]);
  });
});

function openCallsOf(history: readonly Message[]): readonly string[] {
  const answered = new Set(history.flatMap(listAnsweredIds));
  return history.flatMap(listCallIds).filter((id) => !answered.has(id));
}

/** Counts results that the repairer finds without a call. */
function countStrays(messages: readonly Message[]): number {
  const repairer = createRepairer();
  for (const message of messages) repairer.push(message);
  return repairer.repairs.filter(({ kind }) => kind === "orphan-result" || kind === "duplicate-result").length;
}
