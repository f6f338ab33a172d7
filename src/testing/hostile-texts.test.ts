import { describe, expect, test } from "vitest";
import { encodingTexts, hugeTexts, markupTexts, randomBase64, randomChinese } from "./hostile-texts.ts";

const built = (texts: ReturnType<typeof hugeTexts>) => new Map(texts.map(({ name, build }) => [name, build()]));

describe("hostile texts", () => {
  test("every hostile text has its own name", () => {
    const names = [...hugeTexts(), ...markupTexts(), ...encodingTexts()].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("huge texts have their stated lengths", () => {
    const characters = [...built(hugeTexts()).values()].map((text) => [...text].length);
    expect(characters).toEqual([1_000_000, 1_000_000, 300_000, 100_000, 100_000, 1_000_000]);
  });

  test("random texts depend only on their length and seed", () => {
    expect(randomChinese(1_000)).toBe(randomChinese(1_000));
    expect(randomChinese(1_000)).toMatch(/^\p{Script=Han}+$/u);
    expect(randomBase64(1_000, 1)).not.toBe(randomBase64(1_000, 2));
  });

  test("encoding texts include lone surrogates, and the same letters composed and decomposed", () => {
    const texts = built(encodingTexts());
    expect(texts.get("a lone high surrogate")?.isWellFormed()).toBe(false);
    expect(texts.get("a lone low surrogate")?.isWellFormed()).toBe(false);
    const composed = texts.get("composed letters");
    const decomposed = texts.get("decomposed letters");
    expect(composed).not.toBe(decomposed);
    expect(composed).toBe(decomposed?.normalize("NFC"));
  });

  test("markup texts include special tokens, end tags and replacement patterns", () => {
    const all = [...built(markupTexts()).values()].join("\n");
    for (const mark of ["<|endoftext|>", "<|im_start|>", "</conversation-summary>", "]]>", "$&", "$1"]) {
      expect(all).toContain(mark);
    }
  });
});
