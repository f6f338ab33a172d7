import { describe, expect, test } from "vitest";
import { encodingTexts, hugeTexts, markupTexts, randomBase64, randomChinese } from "./hostile-texts.ts";

const built = (texts: ReturnType<typeof hugeTexts>) => new Map(texts.map(({ name, build }) => [name, build()]));

describe("hostile texts", () => {
  test("have names of their own", () => {
    const names = [...hugeTexts(), ...markupTexts(), ...encodingTexts()].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are as large as they say", () => {
    const characters = [...built(hugeTexts()).values()].map((text) => [...text].length);
    expect(characters).toEqual([1_000_000, 1_000_000, 300_000, 100_000, 100_000, 1_000_000]);
  });

  test("are the same at every call", () => {
    expect(randomChinese(1_000)).toBe(randomChinese(1_000));
    expect(randomChinese(1_000)).toMatch(/^\p{Script=Han}+$/u);
    expect(randomBase64(1_000, 1)).not.toBe(randomBase64(1_000, 2));
  });

  test("hold the halves of characters, and the same letters composed and not", () => {
    const texts = built(encodingTexts());
    expect(texts.get("a lone high surrogate")?.isWellFormed()).toBe(false);
    expect(texts.get("a lone low surrogate")?.isWellFormed()).toBe(false);
    const composed = texts.get("composed letters");
    const decomposed = texts.get("decomposed letters");
    expect(composed).not.toBe(decomposed);
    expect(composed).toBe(decomposed?.normalize("NFC"));
  });

  test("hold the tokens and patterns that encoders and templates take for their own", () => {
    const all = [...built(markupTexts()).values()].join("\n");
    for (const mark of ["<|endoftext|>", "<|im_start|>", "</conversation-summary>", "]]>", "$&", "$1"]) {
      expect(all).toContain(mark);
    }
  });
});
