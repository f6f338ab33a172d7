import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, ratioOf } from "../../test/support/growth.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { COUNTER_NAMES } from "../core/budget/model-info.ts";
import { PalimpsestError } from "../core/errors.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { Counter } from "../core/tokens/counter.ts";
import { estimate } from "../core/tokens/estimate.ts";
import { charsOverFour, wordEstimate } from "../core/tokens/rough-counters.ts";
import { codePoints } from "../testing/generate-texts.ts";
import { shows } from "../testing/shows.ts";
import { createCounters, findCounter, loadCounter } from "./load-counter.ts";
import { loadEncoder } from "./load-encoder.ts";

const NOUNS = [
  "session",
  "window",
  "compiler",
  "teacher",
  "harbour",
  "invoice",
  "summary",
  "garden",
  "protocol",
  "answer",
];
const VERBS = [
  "keeps",
  "measures",
  "rewrites",
  "forgets",
  "explains",
  "carries",
  "refuses",
  "follows",
  "returns",
  "opens",
];
const ENDS = [
  "quickly",
  "in the morning",
  "without a word",
  "for the third time",
  "because it rained",
  "as documented",
];

/** Ordinary prose, long enough for several windows. */
const prose = fc
  .array(
    fc.tuple(fc.constantFrom(...NOUNS), fc.constantFrom(...VERBS), fc.constantFrom(...NOUNS), fc.constantFrom(...ENDS)),
    {
      minLength: 120,
      maxLength: 300,
    },
  )
  .map((sentences) =>
    sentences
      .map(
        ([subject, verb, object, end], index) =>
          `The ${subject} ${verb} its ${object} ${end}${index % 7 === 6 ? ".\n\n" : ". "}`,
      )
      .join(""),
  );

const code = fc
  .array(fc.tuple(fc.constantFrom(...NOUNS), fc.constantFrom(...VERBS), fc.nat(9_999), fc.boolean()), {
    minLength: 60,
    maxLength: 150,
  })
  .map((lines) =>
    lines
      .map(([noun, verb, number, branch]) =>
        branch
          ? `  if (${noun}.length > ${number}) {\n    return this.${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}(${noun}, ${number});\n  }\n`
          : `  const ${noun}_${verb} = await ${verb}({ ${noun}, limit: ${number} }); // ${verb} the ${noun}\n`,
      )
      .join(""),
  );

const relativeError = (counted: number, exact: number): number => Math.abs(counted / exact - 1);

describe("loadCounter", () => {
  test(shows("S3-22", "loads the tokenizer of an OpenAI model, marked as exact"), async () => {
    expect(await loadCounter("gpt-4o")).toMatchObject({ id: "o200k@1", exact: true });
    expect(await loadCounter("openai/gpt-5-2025-08-07")).toMatchObject({ id: "o200k@1", exact: true });
    expect(await loadCounter("gpt-4-turbo")).toMatchObject({ id: "cl100k@1", exact: true });
    expect(await loadCounter("gpt-3.5-turbo")).toMatchObject({ id: "cl100k@1", exact: true });
  });

  test("uses o200k, marked as not exact, for other and unknown models", async () => {
    for (const model of ["claude-opus-5", "gemini-2.5-pro", "house-model", "", "claude-sonnet-4@20250514"]) {
      expect(await loadCounter(model)).toMatchObject({ id: "o200k@1", exact: false });
    }
  });

  test("loads a counter by its name, its id or a catalogue entry", async () => {
    expect(await loadCounter("estimate")).toBe(estimate);
    expect(await loadCounter("chars4")).toBe(charsOverFour);
    expect(await loadCounter("words13@1")).toBe(wordEstimate);
    expect(await loadCounter("o200k_base")).toMatchObject({ id: "o200k@1", exact: false });
    expect(await loadCounter({ counter: "cl100k", exactCounter: true })).toMatchObject({ id: "cl100k@1", exact: true });
    for (const name of COUNTER_NAMES) expect((await loadCounter(name)).id).toBe(`${name}@1`);
  });

  test("refuses an unknown counter and lists the known ones", async () => {
    for (const name of ["o300k", "p50k_base", "estimate@2", "chars5"]) {
      const error: unknown = await loadCounter(name).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(PalimpsestError);
      expect(error).toMatchObject({ code: "counter-unavailable" });
      for (const known of COUNTER_NAMES) expect(String(error)).toContain(known);
    }
  });

  test("findCounter finds a counter by its stored id, and returns undefined for another version", async () => {
    expect(await findCounter("o200k@1")).toMatchObject({ id: "o200k@1" });
    expect(await findCounter("estimate@1")).toBe(estimate);
    expect(await findCounter("estimate@7")).toBeUndefined();
    expect(await findCounter("gpt-4o")).toBeUndefined();
    expect((await createCounters().load("gpt-4o")).exact).toBe(true);
  });

  test("concurrent calls of loadCounter share one load", async () => {
    expect(loadEncoder("o200k")).toBe(loadEncoder("o200k"));
    const [first, second] = await Promise.all([loadCounter("gpt-4o"), loadCounter("claude-opus-5")]);
    expect(first.countWindow).toBe(second.countWindow);
  });
});

describe("an exact counter", () => {
  const counters = async (): Promise<readonly Counter[]> =>
    Promise.all(["gpt-4o", "gpt-4"].map((model) => loadCounter(model)));

  test("counts the tokens of its encoding", async () => {
    const [o200k, cl100k] = await counters();
    expect(o200k?.countWindow("hello world")).toBe(2);
    expect(cl100k?.countWindow("hello world")).toBe(2);
    expect(o200k?.countWindow("我们在上周的会议上决定")).toBeLessThan(
      cl100k?.countWindow("我们在上周的会议上决定") ?? 0,
    );
  });

  test("counts special tokens as text", async () => {
    for (const counter of await counters()) {
      for (const special of ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>"]) {
        expect(counter.countWindow(special)).toBeGreaterThan(1);
        expect(countText(`before ${special} after`, counter)).toBe(counter.countWindow(`before ${special} after`));
      }
    }
  });

  test("counts any text, including lone surrogates and NUL", async () => {
    const list = await counters();
    fc.assert(
      fc.property(fc.string({ unit: codePoints() }), (text) => {
        for (const counter of list) expect(counter.countWindow(text)).toBeGreaterThanOrEqual(text === "" ? 0 : 1);
      }),
      { numRuns: propertyRuns() },
    );
    for (const counter of list) expect(counter.countWindow("\ud800 \udfff\u0000")).toBeGreaterThan(0);
  });

  test("counting prose and code in windows is within 0.5 % of counting the whole text", async () => {
    const list = await counters();
    fc.assert(
      fc.property(fc.oneof(prose, code), (text) => {
        for (const counter of list) {
          expect(relativeError(countText(text, counter), counter.countWindow(text))).toBeLessThan(0.005);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("counts a million letters or spaces, random Chinese and a megabyte of base64", async () => {
    const [o200k] = await counters();
    if (o200k === undefined) return;
    let seed = 11;
    const next = (below: number): number => {
      seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
      return seed % below;
    };
    const chinese = Array.from({ length: 33_000 }, () => String.fromCharCode(0x4e00 + next(20_000))).join("");
    const base64 = Buffer.from(Array.from({ length: 786_432 }, () => next(256))).toString("base64");
    expect(countText("a".repeat(1_000_000), o200k)).toBeGreaterThan(100_000);
    expect(countText(" ".repeat(1_000_000), o200k)).toBeGreaterThan(7_000);
    expect(countText(chinese, o200k)).toBeGreaterThan(chinese.length);
    expect(countText(base64, o200k)).toBeGreaterThan(base64.length / 2);
  });
});

describe("counting a text again", () => {
  test("a text that was counted recently is not tokenized again", async () => {
    const o200k = await loadCounter("gpt-4o");
    let texts = 0;
    const newText = () => {
      texts += 1;
      const lines = Array.from(
        { length: 20_000 },
        (_, row) => `row ${row * 7_919}: ${(row * 104_729 + texts).toString(36)}`,
      );
      return lines.join("\n");
    };
    let text = "";
    let tokens = 0;
    const firstMs = () => {
      text = newText();
      return cpuMsOf(() => (tokens = countText(text, o200k)));
    };
    const againMs = () => cpuMsOf(() => expect(countText(text, o200k)).toBe(tokens));
    expect(await ratioOf({ cost: againMs, to: firstMs }, { below: 0.25 })).toBeLessThan(0.25);
  });
});

describe("the accuracy of estimates", () => {
  test(
    shows("S1-13", "estimates are within 10 % on prose and code, and closer than a word count on code"),
    async () => {
      const o200k = await loadCounter("gpt-4o");
      fc.assert(
        fc.property(prose, code, (sentences, lines) => {
          const errorOf = (text: string, counter: Counter): number =>
            relativeError(countText(text, counter), countText(text, o200k));
          expect(errorOf(sentences, estimate)).toBeLessThan(0.1);
          expect(errorOf(lines, estimate)).toBeLessThan(0.1);
          expect(errorOf(lines, estimate)).toBeLessThan(errorOf(lines, wordEstimate));
        }),
        { numRuns: propertyRuns(40) },
      );
    },
  );

  test(
    shows(
      "S1-13",
      "estimates are within 20 % on JSON, Chinese and base64, where a quarter of the character count is far too low",
    ),
    async () => {
      const o200k = await loadCounter("gpt-4o");
      const texts = [
        JSON.stringify(
          Array.from({ length: 200 }, (_, id) => ({
            id,
            name: `item-${id * 37}`,
            done: id % 3 === 0,
            at: `2026-03-${id}`,
          })),
        ),
        "我们在上周的会议上决定把数据库从旧的服务器迁移到新的集群。迁移之前需要先备份所有的用户资料。".repeat(20),
        Buffer.from(
          Array.from({ length: 3_000 }, (_, index) => (index * 7_919 + (index >> 3) * 104_729) & 255),
        ).toString("base64"),
      ];
      for (const text of texts) {
        const exact = countText(text, o200k);
        expect(relativeError(countText(text, estimate), exact)).toBeLessThan(0.2);
        expect(countText(text, charsOverFour) / exact).toBeLessThan(0.75);
      }
    },
  );
});
