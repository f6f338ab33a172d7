/** Compares the counts of our encoders with those of gpt-tokenizer, from which their tables were made. */
import cl100kRanks from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200kRanks from "gpt-tokenizer/bpeRanks/o200k_base";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import cl100kTable from "./cl100k.generated.json" with { type: "json" };
import { loadEncoder } from "./load-encoder.ts";
import o200kTable from "./o200k.generated.json" with { type: "json" };
import { TokenTable } from "./token-table.ts";

const ENCODINGS = [
  { name: "o200k", peer: o200k, ranks: o200kRanks, table: o200kTable },
  { name: "cl100k", peer: cl100k, ranks: cl100kRanks, table: cl100kTable },
] as const;
const SPECIALS_ARE_TEXT = { disallowedSpecial: new Set<string>() };
/** For each kind of text, in characters. Together they have more than a million tokens. */
const TEXT_CHARACTERS = 50_000;
const WINDOW_CHARACTERS = 512;
const BYTE_ORDER_MARK = "\ufeff";

/** Texts of every kind: each function returns a piece for a random number below 2^32. */
const KINDS: Readonly<Record<string, (random: () => number) => string>> = {
  words: (random) => pick(random, WORDS) + pick(random, [" ", " ", ", ", ". ", "'s ", "'LL ", "\n", "\n\n", "\r\n"]),
  "invented words": (random) =>
    `${String.fromCharCode(...Array.from({ length: 1 + (random() % 9) }, () => 97 + (random() % 26)))} `,
  code: (random) =>
    pick(random, [
      "  const ",
      "if (",
      ") {\n",
      "    return ",
      "=> ",
      "!== ",
      "/**\n * ",
      "// ",
      "#include <",
      "</div>\n",
      "\t\t",
    ]) + pick(random, WORDS),
  JSON: (random) => JSON.stringify({ id: random(), [pick(random, WORDS)]: [random() % 2 === 0, null, random() / 7] }),
  numbers: (random) => `${random()}${pick(random, [" ", ".", ",", "-", "e+", "٣", "½"])}`,
  blanks: (random) => pick(random, [" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", " \n ", "x", "\v", "\u2028"]),
  base64: (random) => Buffer.from([random() & 255, random() & 255, random() & 255]).toString("base64"),
  Chinese: (random) => String.fromCharCode(0x4e00 + (random() % 20_000)) + pick(random, ["", "", "", "，", "。"]),
  Japanese: (random) => String.fromCharCode(0x3041 + (random() % 180)) + pick(random, ["", "", "日", "ー", "。"]),
  Korean: (random) => String.fromCharCode(0xac00 + (random() % 11_000)) + pick(random, ["", "", " "]),
  Arabic: (random) => String.fromCharCode(0x0620 + (random() % 80)) + pick(random, ["", "", " "]),
  Thai: (random) => String.fromCharCode(0x0e01 + (random() % 58)),
  Cyrillic: (random) => String.fromCharCode(0x0410 + (random() % 64)) + pick(random, ["", "", "", " "]),
  accents: (random) =>
    pick(random, ["e\u0301", "ü", "ñ", "ß", "Ǆ", "ﬁ", "ı", "ʰ", "a\u0308\u0323"]) + pick(random, WORDS),
  emoji: (random) =>
    pick(random, ["👩‍💻", "🇩🇪", "👍🏽", "☃️", "🧑‍🚀"]) + String.fromCodePoint(0x1f300 + (random() % 800)),
  "special tokens": (random) => pick(random, ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|", "|>", "text"]),
  "random code units": (random) => String.fromCharCode(random() & 0xffff),
  "random code points": (random) => String.fromCodePoint(random() % 0x110000),
  "repeated characters": (random) => pick(random, ["a", "=", "-", "\u0000", "啊", " "]).repeat(1 + (random() % 300)),
};

const WORDS =
  "the session Compiler harbour INVOICE getUserById naïve don't überprüfen snake_case_name HTTPServer x I ok".split(
    " ",
  );

describe.each(ENCODINGS)("the encoder $name", ({ name, peer, ranks, table }) => {
  test("has every token of the encoding, at its rank", () => {
    const found = new TokenTable(table.base64, table.tokens);
    const wrong = ranks.filter((token: string | readonly number[], rank: number) => {
      const bytes = typeof token === "string" ? Buffer.from(token) : Uint8Array.from(token);
      return found.findRank(bytes, 0, bytes.length) !== rank;
    });
    expect(table.tokens).toBe(ranks.length);
    expect(wrong).toEqual([]);
  });

  test.each(Object.keys(KINDS))("counts %s like gpt-tokenizer", async (kind) => {
    const count = await loadEncoder(name);
    const windows = cutWindows(writeText(kind));
    const counts = windows.map((text) => count(text));
    expect(counts).toEqual(windows.map((text) => peer.countTokens(text, SPECIALS_ARE_TEXT)));
    expect(counts.reduce((sum, tokens) => sum + tokens, 0)).toBeGreaterThan(TEXT_CHARACTERS / 200);
  });

  test("counts a byte order mark as the one token that the encoding has for it", async () => {
    expect((await loadEncoder(name))(BYTE_ORDER_MARK)).toBe(1);
  });
});

/** gpt-tokenizer drops byte order marks when it looks up bytes, so texts with one are left out. */
function writeText(kind: string): string {
  let seed = 17;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed ^ (seed >>> 13)) >>> 0;
  };
  let text = "";
  while (text.length < TEXT_CHARACTERS) text += KINDS[kind]?.(random) ?? "";
  return text.replaceAll(BYTE_ORDER_MARK, "");
}

function cutWindows(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / WINDOW_CHARACTERS) }, (_, index) =>
    text.slice(index * WINDOW_CHARACTERS, (index + 1) * WINDOW_CHARACTERS),
  );
}

function pick(random: () => number, values: readonly string[]): string {
  return values[random() % values.length] ?? "";
}
