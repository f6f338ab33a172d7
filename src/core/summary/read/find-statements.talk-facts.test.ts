import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import type { Fact } from "../record/record.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();

/** Returns the facts of a conversation between two people who say these sentences in turn. */
function factsOf(...said: readonly string[]): readonly Fact[] {
  const messages = said.map((text, index) =>
    index % 2 === 0 ? aUserMessage(text, { name: "Nora" }) : anAssistantMessage(text, { name: "Victor" }),
  );
  const all = extractFacts([...messages, anAssistantMessage("I see.", { name: "Victor" })]).facts;
  return all.filter(({ kind }) => kind !== "participant");
}

describe("extractFacts on a conversation between people", () => {
  test.each([
    ["decision", "We agreed on the cabin at the lake for the second week."],
    ["decision", "So I decided to sell the boat in spring."],
    ["decision", "Decision: the wedding is in Trieste."],
    ["constraint", "I'm allergic to walnuts."],
    ["constraint", "Das Budget darf 800 Euro nicht überschreiten."],
    ["open-item", "Action item: call the notary before Monday"],
    ["goal", "The goal of this meeting is to pick a colour."],
    ["definition", "My new locker number is 4711."],
  ])("finds a %s and its owner in: %s", (kind, text) => {
    expect(factsOf(text)).toMatchObject([{ kind, owner: "Nora" }]);
  });

  test.each([
    "I chose the blue one because it looks great.",
    "Let's keep moving forward!",
    "There is so much that we still have to do for the river.",
    "The five minutes are finished.",
    "My goal is to inspire people.",
    "If we decided to leave, who would stay?",
    "We haven't decided on a name.",
    "We will make sure that children are well-supported.",
  ])("finds no fact in: %s", (text) => {
    expect(factsOf(text)).toEqual([]);
  });

  test("finds names in codes and URLs, and none in dates, amounts or spelled-out words", () => {
    const facts = factsOf("Ticket KX-20931 is at https://tickets.example/9 since 12 May, the C_N_N_ fee was 25000.");
    expect(facts.map(({ text }) => text)).toEqual(["KX-20931", "https://tickets.example/9"]);
  });

  test("keeps the newest number that each person gives for a thing", () => {
    const facts = factsOf("My locker number is 4711.", "My locker number is 9000.", "My locker number is 5022.");
    expect(facts.map(({ text, owner }) => [owner, text])).toEqual([
      ["Nora", "My locker number is 5022."],
      ["Victor", "My locker number is 9000."],
    ]);
    expect(new Set(facts.map(({ source }) => source)).size).toBe(2);
  });
});
