import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ERRAND_TALKS } from "../../../test/support/errand-talks.ts";
import { generateTaskDialogue } from "../../../test/support/generate-task-dialogues.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { encodingTexts, hugeTexts, markupTexts } from "../../testing/hostile-texts.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import { groupRounds } from "../message/group-messages.ts";
import type { Message } from "../message/message.ts";
import { findNewestBoundary, findTopicBoundaries } from "./find-topic-boundaries.ts";

const MINUTE_MS = 60_000;
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
  ["Is the repair of the roof deductible?", "A roof repair is deductible on the tax return of that year."],
  ["When is the tax return due?", "The tax return is due at the end of July; an adviser extends it."],
] as const;

/** Splits the texts into pairs, and drops a last text without a partner. */
function pairs(texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.flatMap((text, place) => {
    const answer = texts[place + 1];
    return place % 2 === 0 && answer !== undefined ? [[text, answer] as const] : [];
  });
}

function talk(exchanges: readonly (readonly [string, string])[], builder = messageBuilder()): readonly Message[] {
  return exchanges.flatMap(([question, answer]) => builder.anExchange(question, answer));
}

interface JoinedTalks {
  readonly texts: readonly string[];
  readonly starts: readonly number[];
}

/** Returns the F1 score of the boundaries over all dialogues together. */
function agreement(dialogues: readonly JoinedTalks[]): number {
  let [hits, all] = [0, 0];
  for (const { texts, starts } of dialogues) {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const messages = texts.map((text, place) => (place % 2 === 0 ? aUserMessage(text) : anAssistantMessage(text)));
    const found = findTopicBoundaries(messages).map(({ index }) => index);
    hits += 2 * found.filter((index) => starts.includes(index)).length;
    all += found.length + starts.length;
  }
  return hits / all;
}

function joined(talks: readonly (readonly string[])[]): JoinedTalks {
  const lengths = talks.map((talk) => talk.length);
  const starts = lengths.slice(1).map((_, place) => lengths.slice(0, place + 1).reduce((sum, one) => sum + one, 0));
  return { texts: talks.flat(), starts };
}

describe("findTopicBoundaries", () => {
  test("finds a boundary where the vocabulary changes", () => {
    const found = findTopicBoundaries(talk([...GARDEN, ...TAXES]));
    expect(found.map(({ index }) => index)).toEqual([8]);
    expect(found[0]?.reason).toContain("words");
  });

  test("finds no boundary in a conversation about one topic", () => {
    expect(findTopicBoundaries(talk(GARDEN))).toEqual([]);
    expect(findTopicBoundaries(talk(TAXES))).toEqual([]);
  });

  test("returns a higher confidence if a message announces another topic", () => {
    const [first, ...rest] = TAXES;
    const announced = talk([...GARDEN, [`By the way, another question: ${first[0]}`, first[1]], ...rest]);
    const plain = findTopicBoundaries(talk([...GARDEN, ...TAXES]))[0];
    const found = findTopicBoundaries(announced);
    expect(found.map(({ index }) => index)).toEqual([8]);
    expect(found[0]?.confidence).toBeGreaterThan(plain?.confidence ?? 1);
    expect(found[0]?.reason).toContain("announces another topic");
  });

  test("finds a boundary at a message that discards the earlier topic", () => {
    const messages = talk([
      ...GARDEN,
      ["Forget all that. Write me a poem about the sea.", "The sea is grey and wide."],
    ]);
    expect(findNewestBoundary(messages)).toMatchObject({ index: 8 });
    expect(findNewestBoundary(messages)?.reason).toContain("drops what came before");
  });

  test("finds a boundary in a script without spaces between words", () => {
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

  test("finds a boundary after an overnight pause", () => {
    const builder = messageBuilder();
    const at = (messages: readonly Message[], start: number) =>
      messages.map((message, place) => ({ ...message, saidAt: start + place * 20_000 }));
    const messages = [...at(talk(GARDEN, builder), 0), ...at(talk(TAXES, builder), 14 * HOUR_MS)];
    const [found] = findTopicBoundaries(messages);
    expect(found).toMatchObject({ index: 8 });
    expect(found?.reason).toContain("time has passed");
  });

  test("finds a boundary at a request about other files, and none inside the work on a request", () => {
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

  test("scores an F1 above 0.8 on generated dialogues with several errands", () => {
    const random = seededRandom(11);
    const generated = Array.from({ length: 40 }, () => {
      const { turns, starts } = generateTaskDialogue(random);
      return { texts: turns.map(({ text }) => text), starts };
    });
    expect(agreement(generated)).toBeGreaterThan(0.8);
  });

  test("scores an F1 above 0.6 on errands that are not in the training data", () => {
    const random = seededRandom(12);
    const errands = Array.from({ length: 40 }, () => joined(random.shuffle(ERRAND_TALKS).slice(0, 4)));
    expect(agreement(errands)).toBeGreaterThan(0.6);
    const single = ERRAND_TALKS.map((talk) => joined([talk]));
    const falsely = single.map(({ texts }) => findTopicBoundaries(talk(pairs(texts))).length);
    expect(falsely.reduce((sum, one) => sum + one, 0)).toBeLessThan(ERRAND_TALKS.length / 2);
  });

  test("counts a pause of 40 minutes as evidence, and not a pause of ten minutes", () => {
    const chat = (pauseMs: number) => {
      const { aUserMessage, anAssistantMessage } = messageBuilder();
      const talkAt = (exchanges: typeof GARDEN | typeof TAXES, start: number) =>
        exchanges.flatMap(([question, answer], place) => [
          aUserMessage(question, { saidAt: start + place * MINUTE_MS }),
          anAssistantMessage(answer, { saidAt: start + place * MINUTE_MS + 20_000 }),
        ]);
      return [...talkAt(GARDEN, 0), ...talkAt(TAXES, 4 * MINUTE_MS + pauseMs)];
    };
    const [soon, later] = [chat(10 * MINUTE_MS), chat(40 * MINUTE_MS)].map((messages) => findTopicBoundaries(messages));
    expect(soon?.[0]).toMatchObject({ index: 8 });
    expect(soon?.[0]?.reason).not.toContain("time");
    expect(later?.[0]?.reason).toContain("time has passed");
    expect(later?.[0]?.confidence).toBeGreaterThan(soon?.[0]?.confidence ?? 1);
  });

  test("mentions a change in the kind of work in the reason", () => {
    const { aUserMessage, aRound } = messageBuilder();
    const work = (request: string, path: string) => [
      aUserMessage(request),
      ...aRound([{ callId: path, tool: "edit_file", input: { path }, output: `edited ${path}` }]),
    ];
    const messages = [
      ...work("Fix the crash of the importer on empty lines.", "src/import/lines.ts"),
      ...work("It still crashes on tabs in empty lines.", "src/import/lines.ts"),
      ...work("Write documentation about shipping rates for partners.", "docs/rates.md"),
    ];
    expect(findNewestBoundary(messages)).toMatchObject({ index: 6 });
    expect(findNewestBoundary(messages)?.reason).toContain("the kind of work changes");
  });

  test("finds at most three boundaries in 40 turns on one task", () => {
    const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
    const wishes = [
      "Now round the totals",
      "Also handle refunds",
      "The totals are still off",
      "Why is the tax missing?",
    ];
    const messages = Array.from({ length: 40 }, (_, turn) => [
      aUserMessage(`${wishes[turn % wishes.length]} in the invoice export, case ${turn}.`),
      ...aRound([
        {
          callId: `call-${turn}`,
          tool: turn % 2 === 0 ? "edit_file" : "run_tests",
          input: { path: `src/invoice/${turn % 3 === 0 ? "export" : "total"}.ts` },
          output: `invoice export ${turn} tests passed`,
        },
      ]),
      anAssistantMessage(`The invoice export handles case ${turn} now.`),
    ]).flat();
    expect(findTopicBoundaries(messages).length).toBeLessThanOrEqual(3);
  });

  test.each([
    [
      "German",
      [
        "Wann fährt der Zug nach Bremen?",
        "Der Zug nach Bremen fährt um acht.",
        "Was kostet die Fahrkarte nach Bremen?",
      ],
      ["Mein Kuchen geht nicht auf.", "Zu wenig Backpulver im Kuchen.", "Wie viel Backpulver braucht der Kuchen?"],
    ],
    [
      "Spanish",
      ["¿Cuándo sale el tren a Sevilla?", "El tren a Sevilla sale a las ocho.", "¿Cuánto cuesta el billete a Sevilla?"],
      ["Mi bizcocho no sube.", "Falta levadura en el bizcocho.", "¿Cuánta levadura lleva el bizcocho?"],
    ],
    [
      "Japanese",
      ["大阪行きの電車は何時ですか。", "大阪行きの電車は八時です。", "大阪行きの切符はいくらですか。"],
      ["ケーキが膨らみません。", "ケーキの重曹が足りません。", "ケーキに重曹はどのくらい必要ですか。"],
    ],
    [
      "Arabic",
      [
        "متى يغادر القطار إلى الإسكندرية؟",
        "القطار إلى الإسكندرية يغادر الثامنة.",
        "كم ثمن تذكرة القطار إلى الإسكندرية؟",
      ],
      ["الكعكة لا تنتفخ.", "الخميرة قليلة في الكعكة.", "كم من الخميرة تحتاج الكعكة؟"],
    ],
  ] as const)("is most confident at the change of vocabulary in %s", (_, first, second) => {
    const { aUserMessage, anAssistantMessage } = messageBuilder();
    const texts = [...first, first[1], ...second, second[1]];
    const messages = texts.map((text, place) => (place % 2 === 0 ? aUserMessage(text) : anAssistantMessage(text)));
    const found = findTopicBoundaries(messages, { minConfidence: 0 });
    const surest = found.toSorted((one, other) => other.confidence - one.confidence)[0];
    expect(surest?.index).toBe(4);
  });

  test("finds at most four boundaries in 400 exchanges on one topic", () => {
    const words = "ledger invoice payment account balance customer refund currency rounding export report".split(" ");
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = seededRandom(seed);
      const sentence = () => `The ${Array.from({ length: 6 }, () => random.pick(words)).join(" and the ")} matter.`;
      const messages = talk(Array.from({ length: 400 }, () => [sentence(), sentence()] as const));
      expect(findTopicBoundaries(messages).length).toBeLessThanOrEqual(4);
    }
  });

  test("does not treat the instructions as a topic", () => {
    const builder = messageBuilder();
    const messages = [
      builder.aSystemMessage("You are a helpful clerk who knows every form of the tax office."),
      ...talk(GARDEN, builder),
    ];
    expect(findTopicBoundaries(messages)).toEqual([]);
  });

  test("omits boundaries below minConfidence", () => {
    const messages = talk([...GARDEN, ...TAXES]);
    const [found] = findTopicBoundaries(messages);
    expect(findTopicBoundaries(messages, { minConfidence: (found?.confidence ?? 0) + 0.001 })).toEqual([]);
    expect(findTopicBoundaries(messages, { minConfidence: 0 }).length).toBeGreaterThanOrEqual(1);
    expect(findNewestBoundary(messages, 1)).toBeUndefined();
  });

  test("finds no boundary in an empty list", () => {
    expect(findTopicBoundaries([])).toEqual([]);
    expect(findNewestBoundary([])).toBeUndefined();
  });

  test("places boundaries only at the starts of rounds, in any history", () => {
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

  test("does not throw on huge texts, markup or invalid encodings", () => {
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
