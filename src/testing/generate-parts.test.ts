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
    "nothing at all": (text) => text === "",
    "white space only": (text) => text.length > 0 && text.trim() === "",
    "more than a page": (text) => text.length > 4_000,
    "a lone surrogate": (text) => !text.isWellFormed(),
    "a NUL": (text) => text.includes("\u0000"),
    "a byte order mark": (text) => text.includes("\ufeff"),
    "a right-to-left override": (text) => text.includes("\u202e"),
    "decomposed letters": (text) => text !== text.normalize("NFC"),
    "an emoji": (text) => /\p{Emoji_Presentation}/u.test(text),
    Chinese: (text) => /\p{Script=Han}/u.test(text),
    "a token of a chat template": (text) => /<\|(endoftext|im_start)\|>/.test(text),
    "a replacement pattern": (text) => text.includes("$&") || text.includes("$1"),
    "an end tag of ours": (text) => text.includes("</conversation-summary>"),
    "the end of character data": (text) => text.includes("]]>"),
    "a long run of one letter": (text) => /(.)\1{99}/su.test(text),
    "something like base64": (text) => /[A-Za-z0-9+/]{200}/.test(text) && !/(.)\1{9}/.test(text),
    "a line of code": (text) => text.includes("export function"),
  };

  test.each(Object.entries(kinds))("hold %s now and then", (_, has) => {
    const found = sampled.filter(has).length;
    expect(found).toBeGreaterThanOrEqual(10);
    expect(found).toBeLessThan(sampled.length / 2);
  });

  test("are never longer than they may be", () => {
    fc.assert(
      fc.property(texts({ longestCharacters: 100 }), (text) => {
        expect(text.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("that are spoken are never blank", () => {
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

  test("survive a trip through JSON", () => {
    expect(sampled.filter((value) => !isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value))).toEqual([]);
  });

  test("stand up to 64 deep in each other, and as deep as they may", () => {
    expect(Math.max(...sampled.map(depthOf))).toBe(64);
    expect(Math.max(...fc.sample(jsonValues({ deepest: 9 }), { numRuns: 2_000, seed }).map(depthOf))).toBe(9);
  });

  test("hold __proto__ as a key of their own, and numbers at the edges", () => {
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

  test("are of every kind", () => {
    const kinds = ["file", "image", "reasoning", "source", "text", "tool-call", "tool-result", "unknown"];
    expect([...new Set(sampled.map(({ type }) => type))].toSorted()).toEqual(kinds);
  });

  test("carry what providers hang on them", () => {
    const written = JSON.stringify(sampled);
    for (const mark of ["signature", "redactedData", "itemId", "reasoningEncryptedContent", "thoughtSignature"]) {
      expect(written).toContain(`"${mark}":`);
    }
  });

  test("spell an input their own way only where the value is the same", () => {
    const spelled = sampled.flatMap((part) =>
      part.type === "tool-call" && part.inputText !== undefined ? [{ text: part.inputText, input: part.input }] : [],
    );
    expect(spelled.length).toBeGreaterThan(10);
    for (const { text, input } of spelled) expect(isDeepStrictEqual(JSON.parse(text), input)).toBe(true);
  });

  test("survive a trip through JSON", () => {
    expect(sampled.filter((part) => !isDeepStrictEqual(JSON.parse(JSON.stringify(part)), part))).toEqual([]);
  });
});
