import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import type { Message } from "../../message/message.ts";
import { factWords } from "../facts/make-fact.ts";
import { FACTS_HEADING } from "../record/layout.ts";
import type { SummaryRecord } from "../record/record.ts";
import { summarizeOffline } from "./summarize-offline.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();

const SPEAKER = /^(?:User|Assistant|(?:tool|Earlier)\b[^:]*|call|output|thought|attached): /;

/** Returns the words of a line without bullet, date and speaker. */
function wordsOf(line: string): string {
  const bare = line.replace(/^- (?:(?:\d{4}-\d{2}-\d{2}|undated) )?/, "");
  return factWords(bare.replace(SPEAKER, "")) || bare;
}

function repeatedLines({ text }: SummaryRecord): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  return lines.filter((line, index) => lines.findIndex((other) => wordsOf(other) === wordsOf(line)) !== index);
}

const CHATTER = "weather coffee lunch music garden holiday traffic window kitchen train bicycle concert".split(" ");

function aSmallTalk(fold: number): readonly Message[] {
  const random = seededRandom(fold + 1);
  return Array.from({ length: 6 }, (_, index) => {
    const text = `The ${random.pick(CHATTER)} was rather nice near the ${random.pick(CHATTER)} on that day ${fold * 6 + index}.`;
    return index % 2 === 0 ? aUserMessage(text) : anAssistantMessage(text);
  });
}

describe("summarizeOffline with a previous summary", () => {
  test.each([160, 180, 200, 220, 260])(
    "keeps lines about a recurring subject over more folds than single remarks, at %i tokens",
    (budgetTokens) => {
      const plants = [
        "Orlando keeps the spare key of the boathouse with Mrs. Quillfeather.",
        "Quillfeather only hands the boathouse key to Orlando or Beatrix.",
        "The boathouse of Orlando has a red door and a lock made by Varga.",
      ];
      const fillers = [
        "I had a long sleep and then some toast.",
        "It was a grey morning and there were pigeons.",
        "My shoes were wet when I got to the office.",
      ];
      const first = plants.flatMap((plant, index) => [aUserMessage(plant), anAssistantMessage(fillers[index] ?? "")]);
      let record = summarizeOffline(first, { budgetTokens });
      const lifeOf = new Map([...plants, ...fillers].map((line) => [line, 0]));
      for (let fold = 0; fold < 30; fold += 1) {
        const again = fold % 5 === 0 ? [aUserMessage(`Orlando asked about the boathouse again, visit ${fold}.`)] : [];
        record = summarizeOffline([...aSmallTalk(fold), ...again], { budgetTokens, previous: record });
        for (const [line, life] of lifeOf) {
          const last = line.replace(/\W+$/, "").split(" ").at(-1) ?? "";
          if (life === fold && record.text.includes(last)) lifeOf.set(line, fold + 1);
        }
      }
      const lives = (lines: readonly string[]): readonly number[] => lines.map((line) => lifeOf.get(line) ?? 0);
      expect(Math.min(...lives(plants))).toBeGreaterThan(20);
      // One filler may be on the same line as a recurring subject.
      expect(lives(fillers).toSorted((left, right) => left - right)[1]).toBeLessThan(15);
    },
  );

  test("writes no line twice", () => {
    const stretches = fc.array(histories({ maxTurns: 3, longestCharacters: 500 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(stretches, fc.integer({ min: 60, max: 2_000 }), (all, budgetTokens) => {
        let previous: SummaryRecord | undefined;
        for (const messages of all) {
          previous = summarizeOffline(messages, { budgetTokens, previous });
          expect(repeatedLines(previous)).toEqual([]);
        }
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

const SYLLABLES = "ra mo ten li ka su ver da pol en gri sha to bu ne fi".split(" ");

/** Returns messages that are all about different things. */
function aTalk(seed: number, messages: number): readonly Message[] {
  const random = seededRandom(seed);
  const aWord = (): string => [1, 2, 3].map(() => random.pick(SYLLABLES)).join("");
  return Array.from({ length: messages }, (_, index) => {
    const words = Array.from({ length: 4 + random.integer(9) }, aWord).join(" ");
    return { ...aUserMessage(`The ${words} was sold.`), id: `${seed}-${index}`, name: random.pick(["Ada", "Ben"]) };
  });
}

describe("summarizeOffline on two values of one thing", () => {
  test("keeps only the newer value, in one stretch and after a fold", () => {
    const rent = (euros: number): string => `The deposit for the flat in Lisbon is ${euros} euros.`;
    const [first = [], second = []] = [aTalk(1, 12), aTalk(2, 12)];
    const said = (text: string, id: string): Message => ({ ...aUserMessage(text), id, name: "Ada" });
    const once = [...first, said(rent(900), "old"), ...second, said(rent(1100), "new")];
    const { text } = summarizeOffline(once, { budgetTokens: 400 });
    expect(text).toContain("1100 euros");
    expect(text).not.toContain("900 euros");
    const previous = summarizeOffline([...first, said(rent(900), "old")], { budgetTokens: 400 });
    expect(previous.text).toContain("900 euros");
    const folded = summarizeOffline([...second, said(rent(1100), "new")], { budgetTokens: 400, previous });
    expect(folded.text).toContain("1100 euros");
    expect(folded.text).not.toContain("900 euros");
  });
});

describe("summarizeOffline with a previous summary by a model", () => {
  const text = [
    "# Summary",
    "",
    "## Goal",
    "Build the **billing export** for Kestrel by 12 June 2025.",
    "",
    "## Decisions",
    "- Rows are sorted by invoice number.",
    "- Auth:",
    "  - refresh tokens every 15 minutes",
    "",
    "## Files",
    "- src/first.ts",
    "- src/second.ts",
    "",
    FACTS_HEADING,
    "- must hold: never touch legacy/",
    "- names: src/first.ts; src/second.ts",
  ].join("\n");
  const base = summarizeOffline([aUserMessage("We build the export.")], { budgetTokens: 200 });
  const written: SummaryRecord = { ...base, text, lines: undefined, strategy: "structured" };
  const next = [
    aUserMessage("Add a test for the writer, please."),
    anAssistantMessage("The test passes with 12 cases."),
  ];
  const record = summarizeOffline(next, { budgetTokens: 400, previous: written });

  test("repeats the heading or the parent item before each line under it", () => {
    expect(record.text).toContain("- Earlier, Goal: Build the billing export for Kestrel by 12 June 2025.");
    expect(record.text).toContain("- Earlier, Decisions: Rows are sorted by invoice number.");
    expect(record.text).toContain("- Earlier, Auth: refresh tokens every 15 minutes");
    expect(record.text).toContain("- Earlier, Files: src/first.ts; src/second.ts");
    expect(record.text).not.toMatch(/^- Earlier(?:, [^:]+)?: (?:Summary|Goal|Decisions|Files)\b/m);
  });

  test("omits the list of kept facts, because facts are carried over by id", () => {
    expect(record.text).not.toMatch(/names:|must hold:|Facts kept/);
  });

  test("marks a line as earlier only once over several folds", () => {
    let chain = record;
    for (let fold = 0; fold < 5; fold += 1) {
      const strategy = fold % 2 === 0 ? "structured" : "offline";
      chain = summarizeOffline(aSmallTalk(fold), { budgetTokens: 500, previous: { ...chain, strategy } });
    }
    expect(chain.text).toContain("Kestrel");
    expect(chain.text).not.toMatch(/Earlier[^\n]*Earlier/);
  });
});
