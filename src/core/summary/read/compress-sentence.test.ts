import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { FILLER_RUNS, NEGATIONS } from "../../language/english-words.ts";
import { compressSentence } from "./compress-sentence.ts";

const names = new Set(["nora", "victor", "vic"]);
const short = (sentence: string): string => compressSentence(sentence, names);

describe("compressSentence", () => {
  test.each([
    ["Hey Victor! Hope you're well.", "Hope you're well"],
    ["Wow, Nora, I really love the blue kayak!", "love blue kayak"],
    ["So, um, I mean we we could paint the the shed.", "we could paint shed"],
    ["I went to the harbour and I bought a lantern.", "went to harbour and bought lantern"],
    ["It's a gift from my uncle, you know.", "gift from my uncle"],
    ["I think that we know that the boat leaks.", "that we know boat leaks"],
    ["Thanks for asking, my knee is better.", "my knee is better"],
    ["Would you like to see the map, Nora?", "Would you like to see map?"],
    ["But that's ex that's expensive .", "that's expensive"],
    ["It's pr it resembles {vocalsound} the animal .", "it resembles, animal"],
    ["A lo {gap} the long box shape .", "long box shape"],
    ["We drove 20 km in the old van.", "We drove 20 km in old van"],
  ])("compresses %j to %j", (sentence, expected) => {
    expect(short(sentence)).toBe(expected);
  });

  test.each(["Yeah.", "Okay , right .", "Thanks, Nora!", "Mm-hmm .", "{vocalsound} {gap} .", "Hi Vic!"])(
    "returns an empty string for %j",
    (sentence) => {
      expect(short(sentence)).toBe("");
    },
  );

  test.each([
    ["I didn't really sell the boat.", "didn't really sell boat"],
    ["It is not just the engine.", "not just engine"],
    ["I've never been to the coast.", "never been to coast"],
    ["No, I don't think so.", "No, I don't think so"],
  ])("keeps the negation in %j", (sentence, expected) => {
    expect(short(sentence)).toBe(expected);
  });

  test.each([
    ["My sister cooked and I cleaned.", "My sister cooked and I cleaned"],
    ["Dad called, I was out.", "Dad called, I was out"],
    ["I told Ada she was late and I left.", "told Ada she was late and I left"],
    ["We're moving to Turin.", "We're moving to Turin"],
    ["Nora is the treasurer.", "Nora is treasurer"],
  ])("keeps the subject in %j", (sentence, expected) => {
    expect(short(sentence)).toBe(expected);
  });

  test.each([
    ["We meet twice a week, for a few hours.", "We meet twice a week, for a few hours"],
    ["It costs five five hundred.", "It costs five five hundred"],
    ["What kind of wood is it?", "What kind of wood is it?"],
    ["Do you know the way?", "Do you know way?"],
    ["We love it, it brings us closer.", "We love it, it brings us closer"],
    ["I read The Long Winter twice.", "read The Long Winter twice"],
    ["I hope so.", "hope so"],
    ["I've been to Oslo, so far.", "been to Oslo, so far"],
    ["It took a bit of time.", "It took a bit of time"],
    ["Here's to new shores!", "Here's to new shores"],
  ])("keeps meaningful words in %j", (sentence, expected) => {
    expect(short(sentence)).toBe(expected);
  });

  test.each([
    ["Um we {disfmarker} the budget is uh twelve euros .", "budget is twelve euros"],
    ["S so whe where do we put the the buttons ?", "where do we put buttons?"],
  ])("removes false starts from the transcript %j", (sentence, expected) => {
    expect(short(sentence)).toBe(expected);
  });

  test("only removes words, and keeps negations, numbers and content words", () => {
    const words = fc.constantFrom(
      ..."I we my sister sold the a boat not never didn't 12 three really just so and but , Nora um yeah in May it was that".split(
        " ",
      ),
      ...FILLER_RUNS.flat(),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 24 }), (chosen) => {
        const said = wordsIn(chosen.join(" "));
        const left = wordsIn(short(chosen.join(" ")));
        let place = 0;
        for (const word of left) {
          place = said.indexOf(word, place) + 1;
          expect(place).toBeGreaterThan(0);
        }
        for (const kept of ["12", "three", "sister", "sold", "boat"]) {
          expect(left.includes(kept)).toBe(said.includes(kept));
        }
        const isDenial = (word: string): boolean => NEGATIONS.has(word) || word.endsWith("n't");
        expect(new Set(left.filter(isDenial))).toEqual(new Set(said.filter(isDenial)));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9'-]+/g) ?? [];
}
