import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { splitAtEnds } from "./split-at-ends.ts";

describe("splitAtEnds", () => {
  test.each([
    ["an ordinary line", ["One.", "Two v1.2 is it!", "Three?", "Four"]],
    ["small letters", ["i went home.", "it was late.", "ok"]],
    ["abbreviations", ["Dr. Weber met J. Smith, e.g. at 3.5 km.", "Meet at 5 p.m. on Monday.", "See Fig. 2."]],
    [
      "ends that are abbreviations",
      ["I work at Acme Inc.", "They pay.", "Acme Inc. was first, etc. and so on.", "No.", "Yes"],
    ],
    ["letters that are no initials", ["So do I.", "Then vitamin C.", "The rest"]],
    ["names with dots", ["See https://a.example/c.html?x=1.", "Open src/a.ts.", "Next v1.2.3.", "End"]],
    ["operators", ["const a = b ?? '' and c ? d : e.", "Done."]],
    ["ellipses", ["Wait... what?", "Well...", "Then we left… and so on.", "Fine"]],
    ["quotations and brackets", ['He said "No."', "Then left.", '"Really?" he asked.', "(It was late.)", "Yes."]],
    ["emoji", ["Great! 🎉", "Then we ate. 😊👍", "Bye"]],
    ["several marks", ["Really?!", "No way!!!", "Ok"]],
    ["code between backticks", ["Use `a. B` now.", "Then `x."]],
    ["markers", ["Steps: 1. Do this.", "2. Do that.", "3. Rest"]],
    [
      "German",
      ["Wir kommen am 3. Mai an.", "Es ist der 2. Versuch, z. B. in Ulm, d.h. bald.", "Ich habe 3.", "Dann gehen wir."],
    ],
    ["Spanish", ["¿Qué tal?", "¡Muy bien!", "El Sr. Gómez llega mañana."]],
    ["Arabic", ["كم السعر؟", "السعر ٥٠ دينار.", "نعم، هذا جيد."]],
    ["French", ["Ça va ?", "Oui."]],
  ])("cuts %s", (_, sentences) => {
    expect(splitAtEnds(sentences.join(" "))).toEqual(sentences);
  });

  test("needs no space after the marks of Chinese and Japanese", () => {
    expect(splitAtEnds("他说：「走吧。」然后走了！！真的？！是的")).toEqual([
      "他说：「走吧。」",
      "然后走了！！",
      "真的？！",
      "是的",
    ]);
  });

  test("keeps every character that is no white space, and cuts no word", () => {
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
    "reads %j again and again in proportion to its length",
    async (unit) => {
      const cost = (line: string) => cpuMsOf(() => splitAtEnds(line));
      expect(await growthOf(unit.repeat(250_000 / unit.length), cost)).toBeLessThan(LINEAR_GROWTH);
    },
  );
});
