import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import type { Message } from "../message/message.ts";
import { rankPassages } from "./rank-passages.ts";
import { RecallIndex } from "./recall-index.ts";

function bestFor(question: string, messages: readonly Message[]): string | undefined {
  const index = new RecallIndex();
  index.add(messages);
  return rankPassages(index, question, { most: 5 }).ranked[0]?.passage.text;
}

const said = (...texts: readonly string[]): readonly Message[] => {
  const { aUserMessage } = messageBuilder();
  return texts.map((text) => aUserMessage(text));
};

describe("rankPassages", () => {
  test("matches other forms of a word, and parts of a compound", () => {
    expect(bestFor("Who moved the piano?", said("The hall is cold.", "Ada moves pianos."))).toBe("Ada moves pianos.");
    expect(bestFor("What did the cat eat?", said("The bus is late.", "Our cats like the fish best."))).toContain(
      "cats",
    );
    expect(bestFor("Wo liegt der Haustürschlüssel?", said("Es regnet.", "Der Schlüssel hängt am Haken."))).toBe(
      "Der Schlüssel hängt am Haken.",
    );
  });

  test("finds a word that is misspelled in the question by one letter, and no other word of the same length", () => {
    const messages = said("The festival is in June.", "The firewall is in place.");
    for (const question of ["Which fesitval is it?", "Which fetival is it?", "Which festivel is it?"])
      expect(bestFor(question, messages)).toBe("The festival is in June.");
    expect(bestFor("Which fireball is it?", messages)).toBe("The firewall is in place.");
    expect(bestFor("Which farewell is it?", messages)).toBeUndefined();
  });

  test("prefers a sentence about the subject to one with the words that ask for it", () => {
    const messages = said("The main activity had a purpose.", "Ada rows the kayak.", "It rains.");
    expect(bestFor("Which activity with the kayak was the main one?", messages)).toBe("Ada rows the kayak.");
  });

  test("prefers a sentence with a time for a question that asks when", () => {
    const messages = said("The boat is called Skua.", "The boat leaves at 9:40.");
    expect(bestFor("When does the boat go?", messages)).toBe("The boat leaves at 9:40.");
  });

  test("returns the answer to a similar question, and not the question", () => {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const messages = [
      aUserMessage("The barn is red."),
      aUserMessage("Where do you keep the ladder?"),
      anAssistantMessage("Behind the greenhouse."),
      aUserMessage("The barn was painted twice."),
    ];
    expect(bestFor("Where do we keep the ladder?", messages)).toBe("Behind the greenhouse.");
  });

  test("prefers sentences by a person to sentences addressed to that person", () => {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const messages = [
      anAssistantMessage("Great garden, Olga!", { name: "Per" }),
      aUserMessage("My garden has four pear trees.", { name: "Olga" }),
    ];
    expect(bestFor("What does Olga have in her garden?", messages)).toBe("My garden has four pear trees.");
  });

  test("prefers what the first of two named people says, unless the question is about both", () => {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const messages = [
      anAssistantMessage("The garden needs a new pump.", { name: "Bo" }),
      aUserMessage("The garden needs a new fence.", { name: "Olga" }),
    ];
    expect(bestFor("What did Bo tell Olga about the garden?", messages)).toContain("pump");
    expect(bestFor("What did Bo and Olga say about the garden?", messages)).toContain("fence");
  });

  test("prefers messages from the date in the question", () => {
    const { aUserMessage } = messageBuilder();
    const messages = [
      aUserMessage("We ran six miles along the dike.", { saidAt: Date.UTC(2026, 4, 2) }),
      aUserMessage("We ran five miles along the canal.", { saidAt: Date.UTC(2026, 6, 9) }),
    ];
    expect(bestFor("How many miles did we run on 2 May 2026?", messages)).toBe("We ran six miles along the dike.");
    expect(bestFor("How many miles did we run in July 2026?", messages)).toBe("We ran five miles along the canal.");
  });

  test("ranks the newer of two similar sentences first", () => {
    const { aUserMessage } = messageBuilder();
    const index = new RecallIndex();
    index.add([
      aUserMessage("The code of the gate is 11.", { id: "old" }),
      aUserMessage("It rains."),
      aUserMessage("The code of the gate is 22.", { id: "new" }),
    ]);
    const { ranked } = rankPassages(index, "What is the code of the gate?", { most: 2 });
    expect(ranked.map(({ passage }) => passage.source)).toEqual(["new", "old"]);
  });

  test("finds rows in the structured output of a tool", () => {
    const { aRound } = messageBuilder();
    const output = {
      type: "json" as const,
      value: {
        rows: [
          { item: "lamp", price: 41 },
          { item: "rope", price: 7 },
        ],
      },
    };
    expect(bestFor("What is the price of the rope?", aRound([{ callId: "c", output }]))).toBe("item: rope, price: 7");
  });

  test("returns nothing for a question without content words", () => {
    expect(bestFor("What is it?", said("The hall is cold."))).toBeUndefined();
  });
});
