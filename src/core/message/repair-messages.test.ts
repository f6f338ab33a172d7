import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { histories, wellFormedHistories } from "../../testing/generate-histories.ts";
import { listAnsweredIds, listCallIds, type Message, type Part, type ToolCallPart } from "./message.ts";
import { outputText } from "./message-text.ts";
import type { RepairKind } from "./repair.ts";
import { createRepairer, repairMessages } from "./repair-messages.ts";
import { makeWellFormed } from "./well-formed.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aToolCall, aToolResult, aRound, parallelCalls } =
  messageBuilder();

const kindsOf = (messages: readonly Message[]): readonly RepairKind[] =>
  repairMessages(messages).repairs.map(({ kind }) => kind);
const repair = (...messages: readonly Message[]): readonly Message[] => repairMessages(messages).messages;
const rolesOf = (messages: readonly Message[]): readonly string[] => messages.map(({ role }) => role);
const textsOf = (message: Message | undefined): readonly string[] => message?.parts.flatMap(wordsOf) ?? [];

describe("repairMessages with an orphan result", () => {
  test("turns an orphan result into a note in a user message, with the tool's name if it is known", () => {
    const orphan = aToolResult("lost", "", {
      parts: [{ ...toolResultPart("lost", "nobody asked"), tool: "read_file" }],
    });
    const { messages, repairs } = repairMessages([anAssistantMessage("Hello!"), orphan]);
    expect(rolesOf(messages)).toEqual(["assistant", "user"]);
    expect(textsOf(messages[1])).toEqual(["[Result of an earlier tool call read_file] nobody asked"]);
    expect(messages[1]?.id).toBe(orphan.id);
    expect(repairs).toEqual([{ kind: "orphan-result", messageId: orphan.id, text: expect.stringContaining('"lost"') }]);
  });

  test("shows an orphan result after the results of the open calls", () => {
    const [call, orphan, result] = [aToolCall("a"), aToolResult("lost", "nobody asked"), aToolResult("a", "found")];
    const repaired = repair(call, orphan, result);
    expect(repaired.slice(0, 2)).toEqual([call, result]);
    expect(textsOf(repaired[2])).toEqual(["[Result of an earlier tool call] nobody asked"]);
  });

  test("removes an orphan result from a message that also has an expected result", () => {
    const answer = toolResultPart("a", "found");
    const mixed = aToolResult("a", "", { parts: [toolResultPart("lost", "nobody asked"), answer] });
    const repaired = repair(aToolCall("a"), mixed);
    expect(rolesOf(repaired)).toEqual(["assistant", "tool", "user"]);
    expect(repaired[1]).toEqual({ ...mixed, parts: [answer] });
    expect(repaired[2]?.id).not.toBe(mixed.id);
  });

  test("treats a result before its call, or after another message, as an orphan", () => {
    const early = [aToolResult("a", "found"), aToolCall("a"), anAssistantMessage("Done.")];
    expect(kindsOf(early)).toEqual(["orphan-result", "unanswered-call"]);
    const late = [aToolCall("b"), aUserMessage("Stop."), aToolResult("b", "found")];
    expect(kindsOf(late)).toEqual(["unanswered-call", "orphan-result"]);
  });
});

describe("repairMessages with an unanswered call", () => {
  test("adds a failed result that says the result is missing, before the next message", () => {
    const [call, next] = [aToolCall("a", "run_command"), aUserMessage("Never mind.")];
    const { messages, repairs } = repairMessages([call, next]);
    expect(messages).toEqual([
      call,
      {
        id: `${call.id}~missing`,
        role: "tool",
        parts: [
          {
            type: "tool-result",
            callId: "a",
            tool: "run_command",
            output: { type: "text", text: "(no result was recorded for this call)" },
            failed: true,
          },
        ],
      },
      next,
    ]);
    expect(repairs).toEqual([{ kind: "unanswered-call", messageId: next.id, text: expect.stringContaining('"a"') }]);
  });

  test("reports each unanswered call of a partly answered round", () => {
    const round = aRound([{ callId: "a" }, { callId: "b", output: "2" }, { callId: "c" }]);
    const { messages, repairs } = repairMessages([...round, anAssistantMessage("Anyway.")]);
    expect(messages.flatMap(listAnsweredIds)).toEqual(["b", "a", "c"]);
    expect(repairs.map(({ kind }) => kind)).toEqual(["unanswered-call", "unanswered-call"]);
  });

  test("adds a stand-in for an open call at the end, and reports nothing", () => {
    const { messages, repairs } = repairMessages([aToolCall("a")]);
    expect(messages.flatMap(listAnsweredIds)).toEqual(["a"]);
    expect(repairs).toEqual([]);
  });
});

describe("repairMessages with a duplicate result", () => {
  const [call, result] = [aToolCall("a"), aToolResult("a", "found")];

  test("turns a second result with other content into a note", () => {
    const second = aToolResult("a", "found more");
    const { messages, repairs } = repairMessages([call, result, second]);
    expect(rolesOf(messages)).toEqual(["assistant", "tool", "user"]);
    expect(textsOf(messages[2])).toEqual(["[Another result] found more"]);
    expect(repairs).toEqual([{ kind: "duplicate-result", messageId: second.id, text: expect.stringContaining('"a"') }]);
  });

  test("turns a second result with the same content into one short line", () => {
    const repaired = repair(call, result, aToolResult("a", "found"));
    expect(textsOf(repaired[2])).toEqual(["(The same tool result came twice.)"]);
  });

  test("treats a second result as an orphan if another message came before it", () => {
    expect(kindsOf([call, result, anAssistantMessage("Done."), aToolResult("a", "again")])).toEqual(["orphan-result"]);
  });

  test("still waits for the other calls after a duplicate result", () => {
    const calls = parallelCalls([{ callId: "a" }, { callId: "b" }]);
    const repaired = repair(calls, aToolResult("a", "1"), aToolResult("a", "1 again"), aToolResult("b", "2"));
    expect(rolesOf(repaired)).toEqual(["assistant", "tool", "tool", "user"]);
    expect(repaired.flatMap(listAnsweredIds)).toEqual(["a", "b"]);
  });
});

describe("repairMessages with a duplicate call", () => {
  test("gives a duplicate call and its result a new id", () => {
    const [first, second] = [aRound([{ callId: "a", output: "1" }]), aRound([{ callId: "a", output: "2" }])];
    const { messages, repairs } = repairMessages([...first, aUserMessage("Again."), ...second]);
    expect(messages.flatMap(listCallIds)).toEqual(["a", "a_2"]);
    expect(messages.flatMap(listAnsweredIds)).toEqual(["a", "a_2"]);
    expect(repairs).toEqual([
      { kind: "duplicate-call", messageId: second[0]?.id, text: expect.stringContaining('"a"') },
    ]);
  });

  test("matches results to calls with the same id in the order of the calls", () => {
    const repaired = repair(
      parallelCalls([{ callId: "a" }, { callId: "a" }]),
      aToolResult("a", "first"),
      aToolResult("a", "second"),
    );
    expect(repaired.flatMap(listCallIds)).toEqual(["a", "a_2"]);
    expect(repaired.slice(1).map((message) => [...listAnsweredIds(message), ...textsOf(message)])).toEqual([
      ["a", "first"],
      ["a_2", "second"],
    ]);
  });

  test("gives a duplicate call an id that is not in use", () => {
    const calls = parallelCalls([{ callId: "a_2" }, { callId: "a" }, { callId: "a" }]);
    const ids = repair(calls).flatMap(listCallIds);
    expect(new Set(ids).size).toBe(3);
  });

  test("gives a duplicate call that the provider ran and its result the same new id", () => {
    const search: ToolCallPart = { type: "tool-call", callId: "s", tool: "search_web", input: {}, byProvider: true };
    const found = { ...toolResultPart("s", "found"), byProvider: true };
    const searched = () => anAssistantMessage("", { parts: [search, found] });
    const repaired = repair(searched(), aUserMessage("Again."), searched());
    expect(repaired[2]?.parts).toEqual([
      { ...search, callId: "s_2" },
      { ...found, callId: "s_2" },
    ]);
  });
});

describe("repairMessages with a duplicate message", () => {
  test("shows a repeated message once", () => {
    const asked = aUserMessage("Hello.");
    const answered = anAssistantMessage("Hello!");
    const { messages, repairs } = repairMessages([asked, answered, asked]);
    expect(messages).toEqual([asked, answered]);
    expect(repairs).toEqual([
      { kind: "duplicate-message", messageId: asked.id, text: expect.stringContaining("once") },
    ]);
  });

  test("gives a message with a used id and other content a new id", () => {
    const asked = aUserMessage("Hello.");
    const edited = aUserMessage("Hello?", { id: asked.id });
    const { messages, repairs } = repairMessages([asked, anAssistantMessage("Hello!"), edited]);
    expect(messages[2]).toEqual({ ...edited, id: expect.stringMatching(new RegExp(`^${asked.id}~[0-9a-f]{8}$`)) });
    expect(repairs.map(({ kind, messageId }) => [kind, messageId])).toEqual([["duplicate-message", asked.id]]);
  });

  test("shows a repeated message with a used id once", () => {
    const asked = aUserMessage("Hello.");
    const edited = aUserMessage("Hello?", { id: asked.id });
    const repaired = repair(asked, anAssistantMessage("Hello!"), edited, anAssistantMessage("Yes?"), edited);
    expect(repaired.flatMap(textsOf)).toEqual(["Hello.", "Hello!", "Hello?", "Yes?"]);
  });
});

describe("repairMessages with an empty message", () => {
  test.each([
    ["no parts", []],
    ["blank text", [textPart(" \n\t")]],
    ["reasoning without text or signature", [{ type: "reasoning", text: "" } as const]],
  ])("writes a placeholder text into a message with %s", (_, parts) => {
    const empty = anAssistantMessage("", { parts });
    const { messages, repairs } = repairMessages([aUserMessage("Hello."), empty]);
    expect(messages[1]).toEqual({ ...empty, parts: [textPart("(empty message)")] });
    expect(repairs).toEqual([{ kind: "empty-message", messageId: empty.id, text: expect.any(String) }]);
  });

  test("turns an empty tool message into a user message with a placeholder text", () => {
    const repaired = repair(anAssistantMessage("Hello!"), aToolResult("", "", { parts: [] }));
    expect(rolesOf(repaired)).toEqual(["assistant", "user"]);
    expect(textsOf(repaired[1])).toEqual(["(empty message)"]);
  });
});

describe("repairMessages with a blank part", () => {
  test("removes a blank part if the message has other parts", () => {
    const sent = aUserMessage("", { parts: [textPart(""), textPart("Hello."), textPart("\n")] });
    const { messages, repairs } = repairMessages([sent]);
    expect(messages).toEqual([{ ...sent, parts: [textPart("Hello.")] }]);
    expect(repairs).toEqual([{ kind: "blank-part", messageId: sent.id, text: expect.any(String) }]);
  });

  test("keeps encrypted reasoning and empty tool results", () => {
    const sealed = { type: "reasoning", text: "", extras: { anthropic: { redactedData: "EmwK" } } } as const;
    const thought = anAssistantMessage("", { parts: [sealed, textPart("Done.")] });
    const round = aRound([{ callId: "a", output: "" }]);
    expect(repairMessages([thought, ...round])).toEqual({ messages: [thought, ...round], repairs: [] });
  });
});

describe("repairMessages with a misplaced part", () => {
  test("shows a tool result in an assistant message as text", () => {
    const sent = anAssistantMessage("", { parts: [textPart("I see:"), toolResultPart("a", "found")] });
    const { messages, repairs } = repairMessages([sent]);
    expect(textsOf(messages[0])).toEqual(["I see:", "[Result of a tool] found"]);
    expect(repairs).toEqual([{ kind: "misplaced-part", messageId: sent.id, text: expect.any(String) }]);
  });

  test("shows calls, results and reasoning in a user or system message as text", () => {
    const call: ToolCallPart = { type: "tool-call", callId: "a", tool: "read_file", input: { path: "a.ts" } };
    const parts: readonly Part[] = [call, toolResultPart("a", "found"), { type: "reasoning", text: "Hm." }];
    for (const sent of [aUserMessage("", { parts }), aSystemMessage("", { parts })]) {
      const { messages, repairs } = repairMessages([sent]);
      expect(messages[0]?.role).toBe(sent.role);
      expect(textsOf(messages[0])).toEqual(['[Call of read_file: {"path":"a.ts"}]', "[Result of a tool] found", "Hm."]);
      expect(repairs.map(({ kind }) => kind)).toEqual(["misplaced-part", "misplaced-part", "misplaced-part"]);
    }
  });

  test("moves text that is among tool results after the results", () => {
    const answer = toolResultPart("a", "found");
    const mixed = aToolResult("a", "", { parts: [textPart("Here:"), answer] });
    const { messages, repairs } = repairMessages([aToolCall("a"), mixed]);
    expect(rolesOf(messages)).toEqual(["assistant", "tool", "user"]);
    expect(messages[1]?.parts).toEqual([answer]);
    expect(textsOf(messages[2])).toEqual(["Here:"]);
    expect(repairs.map(({ kind, messageId }) => [kind, messageId])).toEqual([["misplaced-part", mixed.id]]);
  });
});

describe("repairMessages with consecutive user messages", () => {
  test("reports consecutive user messages and leaves them unchanged", () => {
    const appended = [aUserMessage("One."), aUserMessage("Two.")];
    const { messages, repairs } = repairMessages(appended);
    expect(messages).toEqual(appended);
    expect(repairs).toEqual([{ kind: "repeated-user", messageId: appended[1]?.id, text: expect.any(String) }]);
  });
});

describe("repairMessages with parallel calls", () => {
  test("joins parallel calls in separate messages into one message", () => {
    const [first, second] = [aToolCall("a"), aToolCall("b")];
    const results = [aToolResult("b", "2"), aToolResult("a", "1")];
    const { messages, repairs } = repairMessages([first, second, ...results]);
    expect(messages).toEqual([{ ...first, parts: [...first.parts, ...second.parts] }, ...results]);
    expect(repairs).toEqual([{ kind: "joined-calls", messageId: second.id, text: expect.any(String) }]);
  });

  test("lists every joined message as a source", () => {
    const repairer = createRepairer();
    const calls = [aToolCall("a"), aToolCall("b"), aToolCall("c")];
    for (const call of calls) repairer.push(call);
    expect(repairer.items.map(({ sources }) => sources)).toEqual([calls]);
  });

  test("joins parallel calls in every round", () => {
    const rounds = ["a", "b"].flatMap((id) => [
      aToolCall(id),
      aToolCall(`${id}2`),
      aToolResult(id, "1"),
      aToolResult(`${id}2`, "2"),
    ]);
    expect(kindsOf(rounds)).toEqual(["joined-calls", "joined-calls"]);
  });

  test("does not join a call that follows a result", () => {
    const calls = parallelCalls([{ callId: "a" }, { callId: "b" }]);
    const messages = [calls, aToolResult("a", "1"), aToolCall("c"), aToolResult("c", "3")];
    expect(kindsOf(messages)).toEqual(["unanswered-call"]);
  });
});

describe("repairMessages with messages that are only thinking", () => {
  const thought = () => anAssistantMessage("", { parts: [{ type: "reasoning", text: "Hm." }] });

  test("joins a thinking message with the assistant's next text or call", () => {
    const [thinking, sent] = [thought(), anAssistantMessage("Done.")];
    const { messages, repairs } = repairMessages([thinking, sent]);
    expect(messages).toEqual([{ ...thinking, parts: [...thinking.parts, ...sent.parts] }]);
    expect(repairs.map(({ kind, messageId }) => [kind, messageId])).toEqual([["joined-calls", sent.id]]);
    const called = repair(thought(), aToolCall("a"), aToolResult("a", "found"));
    expect(rolesOf(called)).toEqual(["assistant", "tool"]);
  });

  test("adds a text to a thinking message that another role follows", () => {
    const thinking = thought();
    const { messages, repairs } = repairMessages([thinking, aUserMessage("Go on.")]);
    expect(messages[0]).toEqual({ ...thinking, parts: [...thinking.parts, textPart("(no visible text)")] });
    expect(repairs).toEqual([{ kind: "empty-message", messageId: thinking.id, text: expect.any(String) }]);
  });

  test("returns a text from closing() for a thinking message at the end, and reports nothing", () => {
    const repairer = createRepairer();
    const thinking = thought();
    repairer.push(thinking);
    expect(repairer.items.map(({ message }) => message)).toEqual([thinking]);
    expect(repairer.closing().map(({ message }) => [message.role, ...textsOf(message)])).toEqual([
      ["assistant", "(no visible text)"],
    ]);
    expect(repairer.repairs).toEqual([]);
  });
});

describe("createRepairer", () => {
  test("returns stand-ins from closing(), separately from the durable items", () => {
    const repairer = createRepairer();
    const call = aToolCall("a");
    repairer.push(call);
    expect(repairer.items.map(({ message }) => message)).toEqual([call]);
    expect(repairer.closing().flatMap(({ message }) => listAnsweredIds(message))).toEqual(["a"]);
    const result = aToolResult("a", "found");
    repairer.push(result);
    expect(repairer.closing()).toEqual([]);
    expect(repairer.items.map(({ message }) => message)).toEqual([call, result]);
  });

  test("shows Palimpsest's own messages unchanged, without a source, and does not count them as user messages", () => {
    const repairer = createRepairer();
    const [call, cover, asked] = [aToolCall("a"), aUserMessage("[Summary]"), aUserMessage("Go on.")];
    repairer.push(call);
    repairer.pushOurs(cover);
    repairer.push(asked);
    expect(repairer.items.map(({ message }) => message.role)).toEqual(["assistant", "tool", "user", "user"]);
    expect(repairer.items.map(({ sources }) => sources)).toEqual([[call], [], [], [asked]]);
    expect(repairer.repairs.map(({ kind }) => kind)).toEqual(["unanswered-call"]);
  });

  test("closing() returns stand-ins first, then the note about an orphan result", () => {
    const repairer = createRepairer();
    for (const message of [aToolCall("a"), aToolResult("lost", "nobody asked")]) repairer.push(message);
    expect(repairer.closing().map(({ message }) => message.role)).toEqual(["tool", "user"]);
  });

  test("never changes its output for earlier messages when more are pushed", () => {
    fc.assert(
      fc.property(histories(), fc.nat(), (history, place) => {
        const length = place % (history.length + 1);
        const repairer = createRepairer();
        for (const message of history.slice(0, length)) repairer.push(message);
        const [units, repairs] = [unitsOf(repairer.items), [...repairer.repairs]];
        for (const message of history.slice(length)) repairer.push(message);
        expect(unitsOf(repairer.items).slice(0, units.length)).toEqual(units);
        expect(repairer.repairs.slice(0, repairs.length)).toEqual(repairs);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("lists every message exactly once as a source", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const repairer = createRepairer();
        for (const message of history) repairer.push(message);
        const sources = [...repairer.items, ...repairer.closing()].flatMap((item) => item.sources);
        expect(sources.length).toBe(history.length);
        expect(new Set(sources)).toEqual(new Set(history));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("repairMessages", () => {
  test("returns the same message objects for a valid history, and reports nothing", () => {
    fc.assert(
      fc.property(wellFormedHistories(), (history) => {
        fc.pre(history.every((message) => makeWellFormed(message) === message));
        const { messages, repairs } = repairMessages(history);
        expect(history.every((message, index) => messages[index] === message)).toBe(true);
        expect(messages.slice(history.length).every(({ role }) => role === "tool")).toBe(true);
        expect(repairs).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("leaves no call without a result before the next message, and no result without a call", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        let open = new Set<string>();
        for (const message of repairMessages(history).messages) {
          if (message.role === "tool") {
            expect(message.parts.length).toBeGreaterThan(0);
            expect(message.parts.every((part) => part.type === "tool-result" && open.delete(part.callId))).toBe(true);
          } else {
            expect([...open]).toEqual([]);
            open = new Set(listCallIds(message));
          }
        }
        expect([...open]).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("uses no call id twice", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const ids = repairMessages(history).messages.flatMap(listCallIds);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("keeps a provider tool's result in the message of its call", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        for (const { parts } of repairMessages(history).messages) {
          const calls = parts.flatMap((part) => (part.type === "tool-call" && part.byProvider ? [part.callId] : []));
          const results = parts.flatMap((part) =>
            part.type === "tool-result" && part.byProvider ? [part.callId] : [],
          );
          expect(results).toEqual(calls);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("leaves no message without content and no blank text", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        for (const { parts } of repairMessages(history).messages) {
          expect(parts.length).toBeGreaterThan(0);
          expect(parts.some((part) => part.type === "text" && part.text.trim() === "")).toBe(false);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("leaves tool calls and thinking only in assistant messages", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const others = repairMessages(history).messages.filter(({ role }) => role !== "assistant");
        const types = new Set(others.flatMap(({ parts }) => parts.map(({ type }) => type)));
        expect([types.has("tool-call"), types.has("reasoning")]).toEqual([false, false]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("loses no text", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const shown = repairMessages(history).messages.flatMap(({ parts }) => parts.flatMap(wordsOf));
        const sayable = history.map(makeWellFormed);
        const texts = sayable.flatMap(({ parts }) => parts.flatMap(wordsOf)).filter((words) => words.trim() !== "");
        expect(texts.filter((words) => !shown.some((text) => text.includes(words)))).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("repairs nothing in its own output", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const once = repairMessages(history).messages;
        const twice = repairMessages(once);
        expect(twice.repairs.filter(({ kind }) => kind !== "repeated-user")).toEqual([]);
        expect(twice.messages.every((message, index) => message === once[index])).toBe(true);
        expect(twice.messages.length).toBe(once.length);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

/** Returns the readable text of a part. */
function wordsOf(part: Part): readonly string[] {
  if (part.type === "text" || part.type === "reasoning") return [part.text];
  if (part.type === "tool-result") return [outputText(part.output)];
  return part.type === "tool-call" ? [part.inputText ?? JSON.stringify(part.input)] : [];
}

/** Lists the parts with their roles, without the borders between messages. */
function unitsOf(items: readonly { readonly message: Message }[]): readonly string[] {
  return items.flatMap(({ message }) => message.parts.map((part) => `${message.role} ${JSON.stringify(part)}`));
}
