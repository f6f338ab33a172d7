import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { textPieces } from "../../language/text-pieces.ts";
import { MAX_LINE_CHARACTERS, splitSentences, type TextState } from "./split-sentences.ts";

const textsOf = (text: string): readonly string[] => splitSentences(text).map((sentence) => sentence.text);

describe("splitSentences", () => {
  test("splits lines and sentences, and marks checkboxes, quotations and code", () => {
    const text =
      "One. Two v1.2 is it!\r\n- item\n> said\n```\ncode. more\n```\n- [ ] open. Still open\n☑ done\n好。再见";
    expect(splitSentences(text)).toEqual([
      { text: "One.", isQuoted: false },
      { text: "Two v1.2 is it!", isQuoted: false },
      { text: "item", isQuoted: false },
      { text: "> said", isQuoted: true },
      { text: "code. more", isQuoted: true },
      { text: "open. Still open", isQuoted: false, box: "open" },
      { text: "done", isQuoted: false, box: "done" },
      { text: "好。", isQuoted: false },
      { text: "再见", isQuoted: false },
    ]);
  });

  test("returns each item with the line that introduces it, and each sub-item with its parent", () => {
    const text = "We need:\n\n- flour\n- fruit\n  - pears\n  - plums\n- salt\n\nThat is all.\n- alone";
    expect(splitSentences(text).map(({ text: said, lead }) => [said, lead])).toEqual([
      ["We need:", undefined],
      ["flour", "We need:"],
      ["fruit", "We need:"],
      ["pears", "fruit"],
      ["plums", "fruit"],
      ["salt", "We need:"],
      ["That is all.", undefined],
      ["alone", undefined],
    ]);
  });

  test("joins an item with its continuation lines", () => {
    expect(textsOf("- Move the index\n  to the new disk.\n- Stop\n1. First\n   and last")).toEqual([
      "Move the index to the new disk.",
      "Stop",
      "First and last",
    ]);
  });

  test("joins only lines that were wrapped in the middle of a sentence", () => {
    const wrapped =
      "The old interface has to stay as it is until the end of\nthe summer, because two teams still call it. Then";
    expect(textsOf(wrapped)).toEqual([
      "The old interface has to stay as it is until the end of the summer, because two teams still call it.",
      "Then",
    ]);
    expect(textsOf("short line\nnext line")).toEqual(["short line", "next line"]);
    expect(textsOf(`${"word ".repeat(12)}end.\nnext line`)).toHaveLength(2);
  });

  test("marks headings, and omits horizontal rules", () => {
    expect(splitSentences("## Plan ##\n---\n**Rules**\n- keep it\n=====")).toEqual([
      { text: "Plan", isQuoted: false, isHeading: true },
      { text: "Rules", isQuoted: false, isHeading: true },
      { text: "keep it", isQuoted: false, lead: "Rules" },
    ]);
  });

  test("writes the cells of a table with the names of their columns", () => {
    expect(textsOf("| Host | Port |\n|:---|---:|\n| north | 8443 |\n| south |  |\n\n| a | b |")).toEqual([
      "Host | Port",
      "Host: north; Port: 8443",
      "Host: south",
      "a | b",
    ]);
  });

  test("never splits a line of code, and closes a fence only at its own mark", () => {
    const text = "~~~\na. b ?? ''\n```\n- x: 1. 2\n~~~\nSaid. Done.\n```one line```\nAlso said.";
    expect(splitSentences(text).map(({ text: said, isQuoted }) => [said, isQuoted])).toEqual([
      ["a. b ?? ''", true],
      ["```", true],
      ["- x: 1. 2", true],
      ["Said.", false],
      ["Done.", false],
      ["```one line```", true],
      ["Also said.", false],
    ]);
  });

  test("marks only the sentences inside quotation marks as quoted", () => {
    expect(splitSentences('"Stop it. Now." I disagree. "Yes" is what I said.').map(({ isQuoted }) => isQuoted)).toEqual(
      [true, true, false, false],
    );
  });

  test("does not read a German date as a list item", () => {
    expect(textsOf("3. Mai ist gut.\n3. Milch")).toEqual(["3. Mai ist gut.", "Milch"]);
  });

  test("keeps only the start of an overlong line, without cutting a word", () => {
    const [only] = textsOf("abcdefg ".repeat(MAX_LINE_CHARACTERS));
    expect(only?.length).toBeLessThanOrEqual(MAX_LINE_CHARACTERS);
    expect(only?.endsWith(" abcdefg")).toBe(true);
    expect(textsOf("😀".repeat(MAX_LINE_CHARACTERS))[0]?.isWellFormed()).toBe(true);
  });

  test("returns the same sentences for a text in pieces as for the whole text", () => {
    const line = fc.constantFrom(
      "- item one",
      "  goes on here",
      "    - below it",
      "We need these things:",
      "A longer line that somebody wrapped at the margin of the",
      "page. And then some more.",
      "```",
      "",
      "| a | b |",
      "|---|---|",
      "# Heading",
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 20, maxLength: 60 }), (lines) => {
        const text = `${lines.join("\n")}\n`.repeat(60);
        const state: TextState = { isFenced: false };
        const pieces = [...textPieces(text)].flatMap((piece) => splitSentences(piece, state));
        expect(pieces).toEqual(splitSentences(text));
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
