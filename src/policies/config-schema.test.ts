/**
 * Shows that the schema and `resolvePolicy` accept the same files. A small validator here supports only the keywords
 * that the schema uses and fails on any other.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { isObject } from "../core/check-value.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { JsonValue } from "../core/message/json.ts";
import { shows } from "../testing/shows.ts";
import { CONFIG_SCHEMA } from "./config-schema.ts";
import { mergeSources } from "./config-sources.ts";
import { DOCUMENT_KEYS } from "./document-keys.ts";
import { POLICY_NAMES } from "./policy-input.ts";
import { SETTINGS } from "./settings-table.ts";

type Schema = Readonly<Record<string, unknown>>;

const asSchema = (value: unknown): Schema => (isObject(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
};

/** Bounds and patterns ignore values of another type. */
const onNumber = (value: unknown, holds: (number: number) => boolean) => typeof value !== "number" || holds(value);

const WORDS: Readonly<Record<string, (value: unknown, word: unknown, schema: Schema) => boolean>> = {
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true,
  $ref: (value, word) => allows(value, asSchema(asSchema(CONFIG_SCHEMA.$defs)[String(word).replace("#/$defs/", "")])),
  type: (value, word) => TYPES[String(word)]?.(value) ?? false,
  const: (value, word) => value === word,
  enum: (value, word) => asList(word).includes(value),
  anyOf: (value, word) => asList(word).some((each) => allows(value, asSchema(each))),
  minimum: (value, word) => onNumber(value, (number) => number >= Number(word)),
  maximum: (value, word) => onNumber(value, (number) => number <= Number(word)),
  exclusiveMinimum: (value, word) => onNumber(value, (number) => number > Number(word)),
  pattern: (value, word) => typeof value !== "string" || new RegExp(String(word), "u").test(value),
  items: (value, word) => asList(value).every((each) => allows(each, asSchema(word))),
  required: (value, word) => !isObject(value) || asList(word).every((key) => Object.hasOwn(value, String(key))),
  properties: (value, word) =>
    Object.entries(asSchema(value)).every(
      ([key, field]) => !Object.hasOwn(asSchema(word), key) || allows(field, asSchema(asSchema(word)[key])),
    ),
  additionalProperties: (value, word, { properties }) =>
    Object.entries(asSchema(value)).every(
      ([key, field]) => Object.hasOwn(asSchema(properties), key) || (isObject(word) && allows(field, word)),
    ),
};

function allows(value: unknown, schema: Schema): boolean {
  return Object.entries(schema).every(([word, expected]) => {
    const holds = WORDS[word];
    if (holds === undefined)
      throw new TypeError(`The schema uses the keyword ${word}, which this validator does not support.`);
    return holds(value, expected, schema);
  });
}

/** Only `resolvePolicy` finds contradictions, and groups that are incomplete after merging. */
type Verdict = "accepted" | "refused" | "contradiction";

function read(file: unknown): Verdict {
  try {
    mergeSources({ file });
    return "accepted";
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    const { key, allowed } = error.details;
    const isContradiction = /^(?:at most|at least|less than) the /.test(String(allowed));
    const isHalfGroup =
      error.message.includes("found undefined") &&
      /(?:background|visible|budget|emergency|recall)\.\w+$/.test(String(key));
    return isContradiction || isHalfGroup ? "contradiction" : "refused";
  }
}

const VALUES: readonly JsonValue[] = [
  ...[true, false, null, 0, 1, 2, 6, 500, -1, 0.5, 0.75, 1.5, 1e300],
  ...["", " ", "x", "12", "12abc", "0", "true", "yes", "simple", "full", "beyondTail", "pre-request", "keep", "brief"],
  ...["default", "tokens", "half", "off", "offline", "words13", "for-good", "always", "none", "carry"],
  ...[[], ["x"], [""], [1], ["3 no gap"], [{ type: "overflow" }], [{ type: "messages", maxMessages: 3 }]],
  ...[[{ type: "messages" }], [{ type: "never" }], [{ type: "cold-cache", fromRatio: 0.5, more: 1 }]],
  ...[{}, { x: 1 }, { messages: 3 }, { messages: -3 }, { share: 0.5 }, { maxTokens: 9 }, { ratio: 2 }],
  ...[{ mode: "off" }, { renderer: { type: "data" } }, { renderer: { type: "pair" } }, { prepareRatio: 0.5 }],
  ...[{ messagesWithSummary: 9, messagesWithoutSummary: 9 }, { exemptTools: ["x"] }, { rules: "none" }],
];

const keysOf = (name: (typeof POLICY_NAMES)[number]): readonly string[] => [
  ...SETTINGS.keys(),
  ...(name === "default" ? [] : Object.keys(DOCUMENT_KEYS[name])),
];

describe("CONFIG_SCHEMA", () => {
  test.each(POLICY_NAMES)(
    shows("S4-16", "the schema under %s accepts and refuses the same values as resolvePolicy"),
    (preset) => {
      for (const key of [...keysOf(preset), "nothing"]) {
        const verdicts = VALUES.map((value) => {
          const file = { preset, [key]: value };
          const model = { preset, models: { "gpt-4.1": { [key]: value } } };
          const [verdict, ofModel] = [read(file), read(model)];
          expect(allows(file, CONFIG_SCHEMA), `${key}: ${JSON.stringify(value)}`).toBe(verdict !== "refused");
          expect(allows(model, CONFIG_SCHEMA), `${key}: ${JSON.stringify(value)}`).toBe(ofModel !== "refused");
          return verdict;
        });
        // Requires samples of both kinds.
        expect(verdicts, key).toContain("refused");
        expect(verdicts.includes("accepted"), key).toBe(key !== "nothing");
      }
    },
  );

  test("the schema accepts a preset's name, an object without a preset and a $schema key, and refuses other values", () => {
    for (const file of [...POLICY_NAMES, {}, { $schema: "./schema.json" }, { preset: "workspace", $schema: "x" }]) {
      expect([read(file), allows(file, CONFIG_SCHEMA)]).toEqual(["accepted", true]);
    }
    for (const file of ["nobody", 5, null, [], { preset: "nobody" }, { preserveRecent: 6 }, { models: { a: 1 } }]) {
      expect([read(file), allows(file, CONFIG_SCHEMA)]).toEqual(["refused", false]);
    }
  });

  test("the schema defines every setting once and is plain JSON", () => {
    expect(Object.keys(asSchema(CONFIG_SCHEMA.$defs))).toEqual([...SETTINGS.keys()]);
    expect(JSON.parse(JSON.stringify(CONFIG_SCHEMA))).toEqual(CONFIG_SCHEMA);
  });

  test("the schema and resolvePolicy agree on any file with known keys", () => {
    const files = fc.constantFrom(...POLICY_NAMES).chain((preset) =>
      fc
        .array(fc.tuple(fc.constantFrom(...keysOf(preset)), fc.constantFrom(...VALUES)), { maxLength: 3 })
        .map((fields) => ({
          preset,
          ...Object.fromEntries(fields),
        })),
    );
    fc.assert(
      fc.property(files, (file) => {
        expect(allows(file, CONFIG_SCHEMA)).toBe(read(file) !== "refused");
      }),
      { numRuns: propertyRuns() },
    );
  });
});
