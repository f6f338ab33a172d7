import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { splitAtEnds } from "./split-at-ends.ts";

describe("splitAtEnds", () => {
  test.each([
    ["ordinary sentences", ["One.", "Two v1.2 is it!", "Three?", "Four"]],
    ["sentences that begin in lower case", ["i went home.", "it was late.", "ok"]],
    [
      "sentences with abbreviations",
      ["Dr. Weber met J. Smith, e.g. at 3.5 km.", "Meet at 5 p.m. on Monday.", "See Fig. 2."],
    ],
    [
      "sentences that end in abbreviations",
      ["I work at Acme Inc.", "They pay.", "Acme Inc. was first, etc. and so on.", "No.", "Yes"],
    ],
    ["sentences that end in a single letter", ["So do I.", "Then vitamin C.", "The rest"]],
    [
      "sentences with URLs, paths and versions",
      ["See https://a.example/c.html?x=1.", "Open src/a.ts.", "Next v1.2.3.", "End"],
    ],
    ["sentences with operators", ["const a = b ?? '' and c ? d : e.", "Done."]],
    ["sentences with ellipses", ["Wait... what?", "Well...", "Then we left… and so on.", "Fine"]],
    [
      "sentences with quotations and brackets",
      ['He said "No."', "Then left.", '"Really?" he asked.', "(It was late.)", "Yes."],
    ],
    ["sentences that end in emoji", ["Great! 🎉", "Then we ate. 😊👍", "Bye"]],
    ["sentences that end in several marks", ["Really?!", "No way!!!", "Ok"]],
    ["sentences with code between backticks", ["Use `a. B` now.", "Then `x."]],
    ["numbered items", ["Steps: 1. Do this.", "2. Do that.", "3. Rest"]],
    [
      "German sentences",
      ["Wir kommen am 3. Mai an.", "Es ist der 2. Versuch, z. B. in Ulm, d.h. bald.", "Ich habe 3.", "Dann gehen wir."],
    ],
    ["Spanish sentences", ["¿Qué tal?", "¡Muy bien!", "El Sr. Gómez llega mañana."]],
    ["Arabic sentences", ["كم السعر؟", "السعر ٥٠ دينار.", "نعم، هذا جيد."]],
    ["French sentences", ["Ça va ?", "Oui."]],
  ])("splits %s", (_, sentences) => {
    expect(splitAtEnds(sentences.join(" "))).toEqual(sentences);
  });

  test("splits Chinese sentences without a space between them", () => {
    expect(splitAtEnds("他说：「走吧。」然后走了！！真的？！是的")).toEqual([
      "他说：「走吧。」",
      "然后走了！！",
      "真的？！",
      "是的",
    ]);
  });

  test("keeps all characters except white space, and never splits a word", () => {
    const pieces = fc.constantFrom(
      "a",
      "B",
      "3",
      ".",
      "!",
      "?",
      "…",
      "。",
      '"',
      ")",
      "`",
      " ",
      "mr",
      "e.g.",
      "😊",
      "I",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (all) => {
        const line = all.join("");
        const sentences = splitAtEnds(line);
        expect(sentences.join("").replaceAll(/\s/g, "")).toBe(line.replaceAll(/\s/g, ""));
        for (const sentence of sentences.slice(0, -1)) expect(sentence).not.toMatch(/[\p{L}\p{N}]$/u);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test.each(["a. ", "`", "...", "! ", "I. ", "1. ", "。", "😊. 😊 ", '" . ', "mr. ", " "])(
    "splits a long repetition of %j in linear time",
    async (unit) => {
      const cost = (line: string) => cpuMsOf(() => splitAtEnds(line));
      expect(await growthOf(unit.repeat(250_000 / unit.length), cost)).toBeLessThan(LINEAR_GROWTH);
    },
  );
});
