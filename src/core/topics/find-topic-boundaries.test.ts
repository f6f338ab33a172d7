import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { encodingTexts, hugeTexts, markupTexts } from "../../testing/hostile-texts.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import { groupRounds } from "../message/group-rounds.ts";
import type { Message } from "../message/message.ts";
import { findNewestBoundary, findTopicBoundaries } from "./find-topic-boundaries.ts";

const HOUR_MS = 3_600_000;

const GARDEN = [
  ["The tomatoes in my garden have yellow leaves.", "Yellow leaves on tomatoes often mean too much water."],
  ["I water the garden every evening.", "Tomatoes want deep water twice a week, not every evening."],
  ["Should I feed the tomatoes as well?", "Feed the tomatoes every two weeks once the garden has fruit."],
  ["And the leaves that are yellow already?", "Cut the yellow leaves off close to the stem of the tomatoes."],
] as const;

const TAXES = [
  ["How do I declare rental income on my tax return?", "Rental income belongs in the annex of the tax return."],
  ["Which expenses reduce the rental income?", "Interest, repairs and insurance reduce taxable rental income."],
  ["Is the repair of the roof deductible?", "A roof repair is deductible from rental income in that year."],
  ["When is the tax return due?", "The tax return is due at the end of July; an adviser extends it."],
] as const;

function talk(exchanges: readonly (readonly [string, string])[], builder = messageBuilder()): readonly Message[] {
  return exchanges.flatMap(([question, answer]) => builder.anExchange(question, answer));
}

describe("findTopicBoundaries", () => {
  test("finds where the words turn from one matter to another", () => {
    const found = findTopicBoundaries(talk([...GARDEN, ...TAXES]));
    expect(found.map(({ index }) => index)).toEqual([8]);
    expect(found[0]?.reason).toContain("words");
  });

  test("finds nothing in talk that stays with its matter", () => {
    expect(findTopicBoundaries(talk(GARDEN))).toEqual([]);
    expect(findTopicBoundaries(talk(TAXES))).toEqual([]);
  });

  test("is surer of a change that somebody announces", () => {
    const [first, ...rest] = TAXES;
    const announced = talk([...GARDEN, [`By the way, another question: ${first[0]}`, first[1]], ...rest]);
    const plain = findTopicBoundaries(talk([...GARDEN, ...TAXES]))[0];
    const found = findTopicBoundaries(announced);
    expect(found.map(({ index }) => index)).toEqual([8]);
    expect(found[0]?.confidence).toBeGreaterThan(plain?.confidence ?? 1);
    expect(found[0]?.reason).toContain("turn to something else");
  });

  test("believes a reset", () => {
    const messages = talk([
      ...GARDEN,
      ["Forget all that. Write me a poem about the sea.", "The sea is grey and wide."],
    ]);
    expect(findNewestBoundary(messages)).toMatchObject({ index: 8 });
    expect(findNewestBoundary(messages)?.reason).toContain("dropped");
  });

  test("works in scripts that put no space between words", () => {
    const found = findTopicBoundaries(
      talk([
        ["我的番茄叶子变黄了,花园里怎么办?", "番茄叶子变黄通常是浇水太多。"],
        ["我每天晚上给花园浇水。", "番茄每周浇水两次就够了。"],
        ["黄色的番茄叶子要剪掉吗?", "是的,把黄色的番茄叶子剪掉。"],
        ["番茄什么时候施肥?", "番茄结果以后每两周施肥一次。"],
        ["出租房屋的收入怎么报税?", "出租收入写在报税表的附件里。"],
        ["哪些费用可以抵扣出租收入?", "利息、修理和保险可以抵扣出租收入。"],
        ["报税表什么时候交?", "报税表七月底以前交。"],
      ]),
    );
    expect(found.map(({ index }) => index)).toEqual([8]);
  });

  test("takes a night between two matters for a change", () => {
    const builder = messageBuilder();
    const at = (messages: readonly Message[], start: number) =>
      messages.map((message, place) => ({ ...message, saidAt: start + place * 20_000 }));
    const messages = [...at(talk(GARDEN, builder), 0), ...at(talk(TAXES, builder), 14 * HOUR_MS)];
    const [found] = findTopicBoundaries(messages);
    expect(found).toMatchObject({ index: 8 });
    expect(found?.reason).toContain("time has passed");
  });

  test("finds the request that turns an agent to other files, and nothing inside the work on it", () => {
    const builder = messageBuilder();
    const work = (request: string, paths: readonly string[], about: string) => [
      builder.aUserMessage(request),
      ...paths.flatMap((path, place) =>
        builder.aRound(
          [{ callId: `${path}-${place}`, tool: "read_file", input: { path }, output: `${about} in ${path}` }],
          { text: `Looking at the ${about}.` },
        ),
      ),
      builder.anAssistantMessage(`The ${about} is done.`),
    ];
    const messages = [
      ...work("The invoice totals are rounded wrongly.", ["src/invoice/total.ts", "src/invoice/round.ts"], "rounding"),
      ...work(
        "Round the invoice tax the same way.",
        ["src/invoice/tax.ts", "src/invoice/round.ts"],
        "invoice rounding",
      ),
      ...work("Test the invoice rounding.", ["src/invoice/round.ts", "src/invoice/total.ts"], "invoice rounding"),
      ...work("Now let's add a dark theme to the editor.", ["web/theme.css", "web/editor.tsx"], "dark theme colours"),
    ];
    const found = findTopicBoundaries(messages);
    expect(found.map(({ index }) => index)).toEqual([18]);
    expect(found[0]?.reason).toContain("files");
  });

  test("finds few changes in a long talk about one matter", () => {
    const words = "ledger invoice payment account balance customer refund currency rounding export report".split(" ");
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = seededRandom(seed);
      const sentence = () => `The ${Array.from({ length: 6 }, () => random.pick(words)).join(" and the ")} matter.`;
      const messages = talk(Array.from({ length: 400 }, () => [sentence(), sentence()] as const));
      expect(findTopicBoundaries(messages).length).toBeLessThanOrEqual(4);
    }
  });

  test("takes the instructions for no topic", () => {
    const builder = messageBuilder();
    const messages = [
      builder.aSystemMessage("You are a helpful clerk who knows every form of the tax office."),
      ...talk(GARDEN, builder),
    ];
    expect(findTopicBoundaries(messages)).toEqual([]);
  });

  test("leaves out what is less sure than asked", () => {
    const messages = talk([...GARDEN, ...TAXES]);
    const [found] = findTopicBoundaries(messages);
    expect(findTopicBoundaries(messages, { minConfidence: (found?.confidence ?? 0) + 0.001 })).toEqual([]);
    expect(findTopicBoundaries(messages, { minConfidence: 0 }).length).toBeGreaterThanOrEqual(1);
    expect(findNewestBoundary(messages, 1)).toBeUndefined();
  });

  test("finds nothing in nothing", () => {
    expect(findTopicBoundaries([])).toEqual([]);
    expect(findNewestBoundary([])).toBeUndefined();
  });

  test("begins a topic only where a round begins, in any history", () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        let next = 0;
        const starts = new Set(
          groupRounds(messages).map(({ items }) => {
            next += items.length;
            return next - items.length;
          }),
        );
        const found = findTopicBoundaries(messages, { minConfidence: 0 });
        for (const { index, confidence } of found) {
          expect(starts).toContain(index);
          expect(index).toBeGreaterThan(0);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
        }
        const indexes = found.map(({ index }) => index);
        expect(indexes).toEqual([...new Set(indexes)].toSorted((one, other) => one - other));
        expect(findTopicBoundaries(messages, { minConfidence: 0 })).toEqual(found);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("takes texts that break programs", () => {
    for (const { name, build } of [...hugeTexts(), ...markupTexts(), ...encodingTexts()]) {
      const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
      const text = build();
      const messages = [
        ...talk(GARDEN),
        aUserMessage(text),
        ...aRound([{ callId: "call", tool: text, input: { [text]: text, path: text }, output: text }]),
        anAssistantMessage(text),
        ...talk(GARDEN),
      ];
      expect(() => findTopicBoundaries(messages), name).not.toThrow();
    }
  });
});
