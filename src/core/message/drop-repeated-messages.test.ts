import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { dropRepeatedMessages } from "./drop-repeated-messages.ts";
import { hashMessage } from "./hash-message.ts";

const { aUserMessage } = messageBuilder();
const sent = aUserMessage("Hello.");
const edited = aUserMessage("Hello?", { id: sent.id });
const RENAMED = expect.stringMatching(new RegExp(`^${sent.id}~[0-9a-f]{8}$`));

describe("dropRepeatedMessages", () => {
  test("keeps one of several messages with the same id and content", () => {
    const again = { ...sent, saidAt: 7 };
    const { messages, repairs } = dropRepeatedMessages([sent, again]);
    expect(messages).toEqual([sent]);
    expect(repairs).toEqual([
      { kind: "duplicate-message", messageId: sent.id, text: "Came twice with the same content and is shown once." },
    ]);
  });

  test("gives different content under the same id a new id that is the same on every call", () => {
    const { messages, repairs } = dropRepeatedMessages([sent, edited]);
    expect(messages).toEqual([sent, { ...edited, id: RENAMED }]);
    expect(repairs.map(({ messageId }) => messageId)).toEqual([sent.id]);
    expect(dropRepeatedMessages([sent, edited])).toEqual({ messages, repairs });
  });

  test("keeps one copy of a repeated message whose id another message also has", () => {
    const { messages, repairs } = dropRepeatedMessages([sent, edited, edited, sent]);
    expect(messages.map(({ id }) => id)).toEqual([sent.id, RENAMED]);
    expect(repairs.length).toBe(3);
  });

  test("returns the same message objects if no id is repeated", () => {
    const list = [sent, aUserMessage("Hello."), aUserMessage("Bye.")];
    const { messages, repairs } = dropRepeatedMessages(list);
    expect(messages.every((message, index) => message === list[index])).toBe(true);
    expect(repairs).toEqual([]);
  });

  test("returns every message once, in order, with unique ids", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const { messages, repairs } = dropRepeatedMessages(history);
        const ids = messages.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const wanted = [...new Set(history.map((message) => `${message.id} ${hashMessage(message)}`))];
        expect(messages.map((message) => hashMessage(message))).toEqual(wanted.map((key) => key.split(" ")[1]));
        expect(repairs.length === 0).toBe(messages.length === history.length && messages.every(isSameAs(history)));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

const isSameAs =
  <Item>(list: readonly Item[]) =>
  (item: Item, index: number): boolean =>
    list[index] === item;
