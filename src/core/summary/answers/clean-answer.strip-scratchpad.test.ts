import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { stripScratchpad } from "./clean-answer.ts";

const SUMMARY = "The user chose SQLite. The migration is open.";
const textOf = (answer: string): string => stripScratchpad(answer).text;

describe("stripScratchpad", () => {
  test("removes reasoning in tags and code fences of several names", () => {
    const answers = [
      `<think>Let me see.\n\nWhat matters?</think>\n${SUMMARY}`,
      `<thinking>one</thinking>\n<reflection mood="calm">two</reflection>\n${SUMMARY}`,
      `<analysis>\n1. chronology\n</analysis>\n\n<summary>\n${SUMMARY}\n</summary>`,
      `  <SCRATCHPAD>\nnotes\n</SCRATCHPAD >\n${SUMMARY}`,
      `\`\`\`scratchpad\nnotes\n\`\`\`\n${SUMMARY}`,
      `~~~ thinking\nnotes\n~~~\n${SUMMARY}`,
      `${SUMMARY}\n<think>Was that all?</think>`,
    ];
    for (const answer of answers) expect(textOf(answer)).toBe(SUMMARY);
  });

  test("removes reasoning that has a closing tag but no opening tag, and nested reasoning", () => {
    expect(textOf(`Let me see what matters.\n</think>\n\n${SUMMARY}`)).toBe(SUMMARY);
    expect(textOf(`<think>outer <think>inner</think> still thinking</think>\n${SUMMARY}`)).toBe(SUMMARY);
  });

  test("reports reasoning that never ends, and removes all of it", () => {
    expect(stripScratchpad("<think>Let me see. The user chose")).toEqual({
      text: "",
      removedCharacters: 33,
      isUnclosed: true,
    });
  });

  test("unwraps a summary tag, with or without its closing tag, and a code fence around the whole answer", () => {
    expect(textOf(`<conversation-summary>\n${SUMMARY}\n</conversation-summary>`)).toBe(SUMMARY);
    expect(textOf(`<summary>${SUMMARY}`)).toBe(SUMMARY);
    expect(textOf(`\`\`\`markdown\n${SUMMARY}\n\`\`\``)).toBe(SUMMARY);
  });

  test("keeps a summary that mentions such tags", () => {
    const summaries = [
      "The user asked what <think> means; the answer was that `</think>` ends the reasoning.",
      "Decided to strip <analysis> blocks from answers, see src/strip.ts.",
      "Run this:\n```sh\nnpm test\n```\nThen the analysis is done.",
      "Thinking about caches came first. The analysis: it is a cold start.",
    ];
    for (const summary of summaries) {
      expect(stripScratchpad(summary)).toEqual({ text: summary, removedCharacters: 0, isUnclosed: false });
    }
  });

  test("removes many sections in linear time", async () => {
    const cost = (sections: readonly string[]) =>
      cpuMsOf(() => expect(textOf(`${sections.join("")}${SUMMARY}`)).toBe(SUMMARY));
    const sections = Array.from({ length: 50_000 }, () => "<think>a</think>\n");
    expect(await growthOf(sections, cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
