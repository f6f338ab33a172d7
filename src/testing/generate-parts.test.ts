import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { JsonValue } from "../core/message/json.ts";
import { jsonValues } from "./generate-json.ts";
import { parts } from "./generate-parts.ts";
import { spokenTexts, texts } from "./generate-texts.ts";

const seed = 7;

describe("texts", () => {
  const sampled = fc.sample(texts(), { numRuns: 10_000, seed });
  const kinds: Readonly<Record<string, (text: string) => boolean>> = {
    "an empty text": (text) => text === "",
    "a text of white space": (text) => text.length > 0 && text.trim() === "",
    "a text of more than a page": (text) => text.length > 4_000,
    "a lone surrogate": (text) => !text.isWellFormed(),
    "a NUL": (text) => text.includes("\u0000"),
    "a byte order mark": (text) => text.includes("\ufeff"),
    "a right-to-left override": (text) => text.includes("\u202e"),
    "decomposed letters": (text) => text !== text.normalize("NFC"),
    "an emoji": (text) => /\p{Emoji_Presentation}/u.test(text),
    "Chinese characters": (text) => /\p{Script=Han}/u.test(text),
    "a token of a chat template": (text) => /<\|(endoftext|im_start)\|>/.test(text),
    "a replacement pattern": (text) => text.includes("$&") || text.includes("$1"),
    "Palimpsest's own end tag": (text) => text.includes("</conversation-summary>"),
    "the end of a CDATA section": (text) => text.includes("]]>"),
    "a long run of one letter": (text) => /(.)\1{99}/su.test(text),
    base64: (text) => /[A-Za-z0-9+/]{200}/.test(text) && !/(.)\1{9}/.test(text),
    "a line of code": (text) => text.includes("export function"),
  };

  test.each(Object.entries(kinds))("the generator of texts sometimes generates %s", (_, has) => {
    const found = sampled.filter(has).length;
    expect(found).toBeGreaterThanOrEqual(10);
    expect(found).toBeLessThan(sampled.length / 2);
  });

  test("never generates a text above the given length", () => {
    fc.assert(
      fc.property(texts({ longestCharacters: 100 }), (text) => {
        expect(text.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("spokenTexts never generates a blank text", () => {
    fc.assert(
      fc.property(spokenTexts(), (text) => {
        expect(text.trim()).not.toBe("");
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("jsonValues", () => {
  const sampled = fc.sample(jsonValues(), { numRuns: 10_000, seed });

  test("generates values that survive a JSON round trip", () => {
    expect(sampled.filter((value) => !isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value))).toEqual([]);
  });

  test("generates values nested up to 64 levels, or up to the given depth", () => {
    expect(Math.max(...sampled.map(depthOf))).toBe(64);
    expect(Math.max(...fc.sample(jsonValues({ deepest: 9 }), { numRuns: 2_000, seed }).map(depthOf))).toBe(9);
  });

  test("generates __proto__ as an own key, and extreme numbers", () => {
    const objects = sampled.filter((value) => typeof value === "object" && value !== null);
    expect(objects.some((value) => Object.hasOwn(value, "__proto__"))).toBe(true);
    expect(objects.every((value) => [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)))).toBe(
      true,
    );
    expect(sampled).toContain(Number.MAX_VALUE);
    expect(sampled).toContain(2 ** 53);
  });
});

function depthOf(value: JsonValue | undefined): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("parts", () => {
  const sampled = fc.sample(parts(), { numRuns: 5_000, seed });

  test("generates every type of part", () => {
    const kinds = ["file", "image", "reasoning", "source", "text", "tool-call", "tool-result", "unknown"];
    expect([...new Set(sampled.map(({ type }) => type))].toSorted()).toEqual(kinds);
  });

  test("generates the extras of providers", () => {
    const written = JSON.stringify(sampled);
    for (const mark of ["signature", "redactedData", "itemId", "reasoningEncryptedContent", "thoughtSignature"]) {
      expect(written).toContain(`"${mark}":`);
    }
  });

  test("generates an input text only if it parses to the input", () => {
    const spelled = sampled.flatMap((part) =>
      part.type === "tool-call" && part.inputText !== undefined ? [{ text: part.inputText, input: part.input }] : [],
    );
    expect(spelled.length).toBeGreaterThan(10);
    for (const { text, input } of spelled) expect(isDeepStrictEqual(JSON.parse(text), input)).toBe(true);
  });

  test("generates parts that survive a JSON round trip", () => {
    expect(sampled.filter((part) => !isDeepStrictEqual(JSON.parse(JSON.stringify(part)), part))).toEqual([]);
  });
});
