import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder, textPart } from "../../testing/builders.ts";
import { fractions, histories } from "../../testing/generate-histories.ts";
import type { EpochDraft } from "../log/entry.ts";
import type { View } from "../log/view.ts";
import { SECTION_ORDER } from "../sections/section.ts";
import { type Assembler, startAssembly } from "./assemble-prompt.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage, aToolCall, aToolResult, aRound, anExchange } =
  messageBuilder();
const count = countByCharacters;

type WithoutStamp<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

const truncate = (lastSeq: number, keptRequests: readonly number[] = []): WithoutStamp => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 100,
  keptRequests,
  reason: "did not fit",
});
const pin = (...seqs: readonly number[]): WithoutStamp => ({
  type: "pin",
  target: { type: "messages", messageId: `m${seqs[0]}`, seqs },
});
const prune = (seq: number): WithoutStamp => ({
  type: "prune",
  prunes: [
    {
      seq,
      messageId: `m${seq}`,
      partIndex: 0,
      fate: "pruned",
      replacement: { type: "text", text: "[removed]" },
      reason: "large",
    },
  ],
  reason: "large",
});

const assemble = (view: View): Assembler => startAssembly(view, count);
const placesOf = ({ items }: Assembler): readonly string[] =>
  items.map(({ section, message }) => `${section} ${message.role} ${message.id}`);

/** The whole observable state of an assembler. */
const stateOf = (assembler: Assembler) => ({
  items: assembler.items,
  closing: assembler.closing(),
  repairs: assembler.repairs,
  tokens: assembler.tokens,
  totals: SECTION_ORDER.map((section) => assembler.sectionTotal(section)),
});

describe("startAssembly", () => {
  const [system, first, second, third, fourth] = [
    aSystemMessage("Be brief."),
    aUserMessage("One."),
    anAssistantMessage("Two."),
    aUserMessage("Three."),
    anAssistantMessage("Four."),
  ];
  const conversation = [system, first, second, third, fourth];

  test("places instructions before history", () => {
    expect(placesOf(assemble(viewOf(conversation)))).toEqual([
      `instructions system ${system.id}`,
      `history user ${first.id}`,
      `history assistant ${second.id}`,
      `history user ${third.id}`,
      `history assistant ${fourth.id}`,
    ]);
  });

  test("places the cover, the pinned messages, their separator and kept requests before other messages", () => {
    const view = viewOf(conversation, pin(3), truncate(4, [4]));
    expect(placesOf(assemble(view))).toEqual([
      `instructions system ${system.id}`,
      "summary user cover",
      `pinned assistant ${second.id}`,
      "pinned user seam",
      `history user ${third.id}`,
      `history assistant ${fourth.id}`,
    ]);
  });

  test("adds no separator if no message below the view floor is pinned", () => {
    expect(placesOf(assemble(viewOf(conversation, pin(5), truncate(3)))).some((place) => place.includes("seam"))).toBe(
      false,
    );
  });

  test("places items in the order of their sections, for any view", () => {
    fc.assert(
      fc.property(
        histories({ maxTurns: 5, longestCharacters: 200 }),
        fractions(),
        fractions(),
        (history, at, pinAt) => {
          const seqAt = (place: number) => 1 + Math.floor(place * history.length);
          const view = history.length === 0 ? viewOf([]) : viewOf(history, pin(seqAt(pinAt)), truncate(seqAt(at)));
          const order = assemble(view).items.map(({ section }) => SECTION_ORDER.indexOf(section));
          expect(order).toEqual(order.toSorted((left, right) => left - right));
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("shows a pruned message with its placeholder, and lists the shown message as its source", () => {
    const view = viewOf([first, second], prune(1));
    const [item] = assemble(view).items;
    expect(item?.message.parts).toEqual([textPart("[removed]")]);
    expect(item?.sources).toEqual([item?.message]);
    expect(item?.tokens).toBe(count({ ...first, parts: [textPart("[removed]")] }));
  });

  test("sets no source for the cover and the separator, and reports no repair for them", () => {
    const { items, repairs } = assemble(viewOf(conversation, pin(2), truncate(3)));
    expect(items.filter(({ sources }) => sources.length === 0).map(({ message }) => message.id)).toEqual([
      "cover",
      "seam",
    ]);
    expect(repairs).toEqual([]);
  });

  test("returns an empty prompt for an empty view", () => {
    expect(stateOf(assemble(viewOf([])))).toMatchObject({ items: [], closing: [], tokens: 0 });
  });
});

describe("Assembler", () => {
  test("counts the tokens of its items, in total and by section", () => {
    const assembler = assemble(viewOf([aSystemMessage("Be brief."), ...anExchange("One.", "Two."), aToolCall("a")]));
    const sum = assembler.items.reduce((tokens, { message }) => tokens + count(message), 0);
    expect(assembler.tokens).toBe(sum);
    expect(SECTION_ORDER.reduce((tokens, section) => tokens + assembler.sectionTotal(section).tokens, 0)).toBe(sum);
  });

  test("returns stand-ins for open calls only in closing(), until their results arrive", () => {
    const assembler = assemble(viewOf([aUserMessage("Look."), aToolCall("a")]));
    const before = assembler.tokens;
    expect(assembler.closing().map(({ section, message }) => [section, message.role])).toEqual([["history", "tool"]]);
    expect(assembler.tokens).toBe(before);
    const [, , item] = viewOf([aUserMessage("Look."), aToolCall("a"), aToolResult("a", "found")]).messages;
    if (item !== undefined) assembler.push(item);
    expect(assembler.closing()).toEqual([]);
    expect(assembler.items.length).toBe(3);
  });

  test("updates the tokens of a message when more calls are joined to it", () => {
    const assembler = assemble(viewOf([aToolCall("a")]));
    const hash = assembler.sectionTotal("history").hash;
    const [, item] = viewOf([aToolCall("a"), aToolCall("b")]).messages;
    if (item !== undefined) assembler.push(item);
    expect(assembler.items.length).toBe(1);
    expect(assembler.tokens).toBe(count(assembler.items[0]?.message ?? aUserMessage("")));
    expect(assembler.sectionTotal("history").units).toBe(2);
    expect(assembler.chainAt("history", 1)).toBe(hash);
  });

  test("has the same state whether messages are pushed one by one or all at once", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6, longestCharacters: 400 }), fractions(), (history, at) => {
        const start = Math.floor(at * (history.length + 1));
        const whole = viewOf(history);
        // Later instructions move all messages, so they are part of the start and are not pushed.
        const isPlaced = ({ seq }: { seq: number }) => seq > start && !whole.head.preamble.includes(seq);
        const begun = { ...whole, messages: whole.messages.filter((item) => !isPlaced(item)) };
        const assembler = assemble(begun);
        for (const item of whole.messages.filter(isPlaced)) {
          if (item.seq % 2 === 0) stateOf(assembler);
          assembler.push(item);
        }
        expect(stateOf(assembler)).toEqual(stateOf(assemble(whole)));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("keeps the chain and the repairs of earlier messages when messages are added", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 6, longestCharacters: 400 }), fractions(), (history, at) => {
        const place = Math.floor(at * (history.length + 1));
        const [start, whole] = [history.slice(0, place), history].map((messages) => assemble(viewOf(messages)));
        for (const section of SECTION_ORDER) {
          const { units, hash } = start?.sectionTotal(section) ?? { units: 0, hash: "" };
          expect(whole?.chainAt(section, units)).toBe(hash);
        }
        expect(whole?.repairs.slice(0, start?.repairs.length)).toEqual(start?.repairs);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("the hash chain of a section", () => {
  const conversation = [
    ...anExchange("One.", "Two."),
    ...aRound([{ callId: "a", output: "found" }]),
    aUserMessage("Three."),
  ];

  test("has one unit for each part of a message", () => {
    const several = aUserMessage("", { parts: [textPart("One."), textPart("Two.")] });
    expect(assemble(viewOf([several, anAssistantMessage("Three.")])).sectionTotal("history").units).toBe(3);
  });

  test("returns an empty hash for no units, and undefined beyond its end", () => {
    const assembler = assemble(viewOf(conversation));
    expect(assembler.chainAt("history", 0)).toBe("");
    expect(assembler.chainAt("history", 99)).toBeUndefined();
    expect(assembler.chainAt("summary", 1)).toBeUndefined();
  });

  test("differs after the first changed message", () => {
    const [before, after] = [viewOf(conversation), viewOf(conversation, prune(4))].map(assemble);
    const same = [0, 1, 2, 3, 4, 5].map(
      (units) => before?.chainAt("history", units) === after?.chainAt("history", units),
    );
    expect(same).toEqual([true, true, true, true, false, false]);
  });

  test("differs if more messages are covered", () => {
    const [before, after] = [viewOf(conversation, truncate(2)), viewOf(conversation, truncate(4))].map(assemble);
    expect(before?.sectionTotal("summary").hash).not.toBe(after?.sectionTotal("summary").hash);
    expect(before?.chainAt("history", 1)).not.toBe(after?.chainAt("history", 1));
  });

  test("does not change if another section changes", () => {
    const [short, long] = [
      viewOf([aSystemMessage("Be brief."), ...conversation]),
      viewOf([aSystemMessage("Be thorough."), ...conversation]),
    ].map(assemble);
    expect(short?.sectionTotal("instructions").hash).not.toBe(long?.sectionTotal("instructions").hash);
    expect(short?.sectionTotal("history").hash).toBe(long?.sectionTotal("history").hash);
  });
});
