import { describe, expect, test } from "vitest";
import type { FilePart, ImagePart } from "../message/message.ts";
import { countFileTokens, countImage, MEDIA_RULES, type MediaFamily, UNKNOWN_MEDIA_TOKENS } from "./media-tokens.ts";

const families = Object.keys(MEDIA_RULES) as MediaFamily[];

function anImage(widthPixels: number, heightPixels: number, extras?: ImagePart["extras"]): ImagePart {
  return { type: "image", source: { type: "reference", id: "img-1" }, widthPixels, heightPixels, extras };
}

function aPdf(text: string): FilePart {
  const base64 = Buffer.from(text, "latin1").toString("base64");
  return { type: "file", source: { type: "data", base64 }, mediaType: "application/pdf" };
}

const tokens = (image: ImagePart, family: MediaFamily): number => countImage(image, MEDIA_RULES[family]);

describe("countImage", () => {
  test("counts OpenAI's tiles as in the examples of its documentation", () => {
    expect(tokens(anImage(1_024, 1_024), "openai-tiles")).toBe(765);
    expect(tokens(anImage(2_048, 4_096), "openai-tiles")).toBe(1_105);
    expect(tokens(anImage(4_096, 8_192, { openai: { imageDetail: "low" } }), "openai-tiles")).toBe(85);
    expect(tokens(anImage(4_096, 8_192, { "wire:openai-chat": { detail: "low" } }), "openai-tiles")).toBe(85);
  });

  test("counts the patches of newer OpenAI models as they are charged", () => {
    expect(tokens(anImage(1_024, 1_024), "openai-patches")).toBe(1_229);
    expect(tokens(anImage(1_920, 1_080), "openai-patches")).toBe(2_448);
    expect(tokens(anImage(4_032, 3_024), "openai-patches")).toBe(14_364);
    expect(tokens(anImage(4_032, 3_024, { openai: { imageDetail: "high" } }), "openai-patches")).toBe(3_000);
    expect(tokens(anImage(1_024, 1_024), "openai-mini")).toBe(Math.ceil(1_024 * 1.72));
    expect(tokens(anImage(8_000, 8_000), "openai-nano")).toBe(Math.ceil(1_536 * 2.46));
  });

  test("counts Claude's patches of 28 pixels, up to the maximum of the model family", () => {
    expect(tokens(anImage(1_000, 1_000), "claude")).toBe(1_296);
    expect(Math.abs(tokens(anImage(1_000, 1_000), "claude") / (1_000_000 / 750) - 1)).toBeLessThan(0.05);
    expect(tokens(anImage(4_032, 3_024), "claude")).toBe(1_568);
    expect(tokens(anImage(1_920, 1_080), "claude-large")).toBe(2_691);
    expect(tokens(anImage(8_000, 8_000), "claude-large")).toBe(4_784);
  });

  test("counts Gemini's tiles of 768 pixels, and one tile for a small image", () => {
    expect(tokens(anImage(384, 384), "gemini-2")).toBe(258);
    expect(tokens(anImage(385, 100), "gemini-2")).toBe(258);
    expect(tokens(anImage(1_536, 769), "gemini-2")).toBe(4 * 258);
    expect(tokens(anImage(4_032, 3_024), "gemini-3")).toBe(1_120);
  });

  test("counts 1,000 tokens if the size is unknown and the family has no fixed count", () => {
    const far: ImagePart = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    for (const family of families.filter((name) => name !== "gemini-3"))
      expect(tokens(far, family)).toBe(UNKNOWN_MEDIA_TOKENS);
  });

  test("reads the size from the bytes of an image or of a data URL", () => {
    const base64 = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([0, 4, 0, 4]), Buffer.alloc(20)]).toString(
      "base64",
    );
    const inside: ImagePart = { type: "image", source: { type: "data", base64 } };
    const address: ImagePart = { type: "image", source: { type: "url", url: `data:image/gif;base64,${base64}` } };
    expect(tokens(inside, "openai-tiles")).toBe(765);
    expect(tokens(address, "openai-tiles")).toBe(765);
  });

  test("ignores impossible image sizes, and limits the count for huge images", () => {
    for (const family of families.filter((name) => name !== "gemini-3")) {
      for (const side of [0, -5, Number.NaN]) expect(tokens(anImage(side, 100), family)).toBe(UNKNOWN_MEDIA_TOKENS);
      expect(tokens(anImage(4e9, 4e9), family)).toBeLessThan(20_000);
    }
  });

  test("applies the detail setting `high` to OpenAI's models only", () => {
    const high = { openai: { imageDetail: "high" } };
    expect(tokens(anImage(8_000, 8_000, high), "claude-large")).toBe(4_784);
    expect(tokens(anImage(8_000, 8_000, high), "openai-patches")).toBe(3_000);
  });

  test("returns a positive integer for every family and size", () => {
    for (const family of families) {
      for (const side of [1, 27, 28, 513, 1_569, 20_000]) {
        const counted = tokens(anImage(side, 1), family);
        expect(Number.isInteger(counted) && counted > 0).toBe(true);
      }
    }
  });
});

describe("countFileTokens", () => {
  const rules = MEDIA_RULES.claude;

  test("counts a PDF by the page count in the file", () => {
    expect(countFileTokens(aPdf("%PDF-1.7 << /Type /Pages /Count 12 /Kids [] >>".padEnd(2_000)), rules)).toBe(
      12 * rules.pdfPageTokens,
    );
    expect(countFileTokens(aPdf("%PDF-1.5 << /Linearized 1 /L 9000 /N 7 /T 88 >> /Count 3".padEnd(2_000)), rules)).toBe(
      7 * rules.pdfPageTokens,
    );
  });

  test("finds the page count at the end of a large PDF", () => {
    const late = `%PDF-1.4 ${"x".repeat(400_000)} << /Type /Pages /Count 31 >>`;
    expect(countFileTokens(aPdf(late), rules)).toBe(31 * rules.pdfPageTokens);
  });

  test("estimates pages from the size if the PDF has no page count", () => {
    expect(countFileTokens(aPdf("x".repeat(120_000)), rules)).toBe(3 * rules.pdfPageTokens);
    expect(countFileTokens(aPdf(""), rules)).toBe(rules.pdfPageTokens);
  });

  test("limits the page count to between 1 and 1,000", () => {
    expect(countFileTokens(aPdf("%PDF << /Type /Pages /Count 999999 >>".padEnd(500)), rules)).toBe(
      1_000 * rules.pdfPageTokens,
    );
    expect(countFileTokens(aPdf("%PDF << /Type /Pages /Count 0 >>".padEnd(500)), rules)).toBe(rules.pdfPageTokens);
  });

  test("counts an image in a file part as an image", () => {
    const base64 = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([0, 4, 0, 4]), Buffer.alloc(20)]).toString(
      "base64",
    );
    const file: FilePart = { type: "file", source: { type: "data", base64 }, mediaType: "image/gif" };
    expect(countFileTokens(file, MEDIA_RULES["openai-tiles"])).toBe(765);
  });

  test("counts 1,000 tokens for audio, and for a PDF without its bytes", () => {
    const sound: FilePart = { type: "file", source: { type: "data", base64: "AAAA" }, mediaType: "audio/mpeg" };
    const far: FilePart = { type: "file", source: { type: "reference", id: "file-1" }, mediaType: "application/pdf" };
    expect(countFileTokens(sound, rules)).toBe(UNKNOWN_MEDIA_TOKENS);
    expect(countFileTokens(far, rules)).toBe(UNKNOWN_MEDIA_TOKENS);
  });
});
