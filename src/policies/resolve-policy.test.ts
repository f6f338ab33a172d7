import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../core/errors.ts";
import { propertyRuns } from "../testing/property-runs.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { resolvePolicy } from "./resolve-policy.ts";

/** Policies come from configuration files too, so tests hand over what the types would refuse. */
const resolve = (input: unknown) => resolvePolicy(input as Parameters<typeof resolvePolicy>[0]);

function refusal(input: unknown): PalimpsestError {
  try {
    resolve(input);
  } catch (error) {
    if (error instanceof PalimpsestError) return error;
    throw error;
  }
  throw new TypeError(`Nothing was wrong with ${JSON.stringify(input)}.`);
}

/** `tail.messages` and 3 become `{ tail: { messages: 3 } }`. */
const nest = (key: string, value: unknown): object => {
  const [group = "", name] = key.split(".");
  return name === undefined ? { [group]: value } : { [group]: { [name]: value } };
};

const RATIO = "a number above 0 and up to 1";
const COUNT = "a whole number from 0 on";
const ALLOWED: Readonly<Record<string, { allowed: string; good: readonly unknown[]; bad: readonly unknown[] }>> = {
  enabled: { allowed: "true or false", good: [true, false], bad: [1, "true", null] },
  triggerTokens: { allowed: COUNT, good: [0, 50_000], bad: [-1, 1.5, "8000", null, Number.NaN] },
  triggerRatio: { allowed: RATIO, good: [0.6, 1], bad: [0, -0.1, 1.01, "0.8", null, Number.NaN] },
  targetRatio: { allowed: RATIO, good: [0.01, 0.8], bad: [0, 2, Number.POSITIVE_INFINITY, null] },
  "tail.messages": { allowed: COUNT, good: [0, 12], bad: [-1, 0.5, "6", null] },
  "tail.tokens": { allowed: COUNT, good: [0, 2_000], bad: [-1, 0.5, [], null] },
  "tail.exchanges": { allowed: COUNT, good: [0, 4], bad: [-1, 0.5, true, null] },
  "tail.rounds": { allowed: COUNT, good: [0, 4], bad: [-1, 0.5, {}, null] },
  "tail.ratio": { allowed: RATIO, good: [0.25, 1], bad: [0, 1.5, "a quarter", null] },
  "prune.rules": {
    allowed: '"default" or "rolling-chat"',
    good: ["default", "rolling-chat"],
    bad: ["none", "", 1, null],
  },
  "prune.minimumTokens": { allowed: COUNT, good: [0, 500], bad: [-1, 0.5, "200", null] },
  "prune.exemptTools": {
    allowed: "a list of tool names",
    good: [[], ["read_plan"]],
    bad: ["read_plan", [1], {}, null],
  },
  "prune.protectTokens": { allowed: COUNT, good: [0, 40_000], bad: [-1, 0.5, "0", null] },
  "prune.minimumBatchTokens": { allowed: COUNT, good: [0, 20_000], bad: [-1, 0.5, true, null] },
  "prune.previewTokens": { allowed: COUNT, good: [0, 100], bad: [-1, 0.5, [], null] },
  pinRatio: { allowed: RATIO, good: [0.1, 1], bad: [0, 1.1, null] },
};

const good = Object.entries(ALLOWED).flatMap(([key, rule]) => rule.good.map((value) => [key, value] as const));
const bad = Object.entries(ALLOWED).flatMap(([key, rule]) =>
  rule.bad.map((value) => [key, value, rule.allowed] as const),
);

describe("resolvePolicy", () => {
  test("gives the default policy without a word, and by its name", () => {
    expect(resolvePolicy()).toEqual(DEFAULT_POLICY);
    expect(resolvePolicy("default")).toEqual(DEFAULT_POLICY);
    expect(resolvePolicy({})).toEqual(DEFAULT_POLICY);
  });

  test("knows every key of the default policy", () => {
    expect(resolvePolicy(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test.each(good)("takes %s: %j", (key, value) => {
    const settings = resolve(nest(key, value));
    expect(settings).toMatchObject(nest(key, value));
  });

  test("leaves every key alone that was not given, inside groups too", () => {
    expect(resolvePolicy({ tail: { messages: 12 }, prune: { ...DEFAULT_POLICY.prune, minimumTokens: 0 } })).toEqual({
      ...DEFAULT_POLICY,
      tail: { ...DEFAULT_POLICY.tail, messages: 12 },
      prune: { ...DEFAULT_POLICY.prune, minimumTokens: 0 },
    });
  });

  test("takes a key without a value for one that was not given", () => {
    const nothing = Object.keys(ALLOWED).map((key) => nest(key, undefined));
    for (const input of [...nothing, { tail: undefined, prune: undefined }])
      expect(resolve(input)).toEqual(DEFAULT_POLICY);
  });

  test.each(bad)("refuses %s: %j with the key, the value and what is allowed", (key, value, allowed) => {
    const error = refusal(nest(key, value));
    const found = typeof value === "number" ? String(value) : JSON.stringify(value);
    expect(error.code).toBe("config-invalid");
    expect(error.message).toBe(`${key}: expected ${allowed}, found ${found}.`);
    expect(error.details).toMatchObject({ key, allowed });
  });

  test("refuses a target above the trigger", () => {
    expect(refusal({ triggerRatio: 0.5, targetRatio: 0.7 }).message).toBe(
      "targetRatio: expected at most the triggerRatio, 0.5, found 0.7.",
    );
  });

  test.each([["speed"], ["tail.words"], ["constructor"], ["__proto__"], ["toString"], ["tail.valueOf"]])(
    "refuses the unknown key %s and names the known ones",
    (key) => {
      const [group = "", name] = key.split(".");
      const unknown = Object.fromEntries([[group, name === undefined ? 1 : Object.fromEntries([[name, 1]])]]);
      const error = refusal(unknown);
      expect(error.details).toMatchObject({ key });
      expect(error.message).toContain(Object.keys(ALLOWED).join(", "));
    },
  );

  test.each([["tail"], ["prune"]])("refuses a %s that is no group", (key) => {
    expect(refusal({ [key]: 5 }).details).toMatchObject({ key });
    expect(refusal({ [key]: null }).details).toMatchObject({ key });
  });

  test.each([["ratio-chain-of-nobody"], [null], [5], [true]])("refuses %j for a policy", (input) => {
    const error = refusal(input);
    expect(error.code).toBe("config-invalid");
    expect(error.details).toMatchObject({ key: "policy" });
  });

  test("shows no more of a wrong value than a line", () => {
    expect(refusal({ triggerRatio: "x".repeat(10_000) }).message.length).toBeLessThan(150);
  });

  test("says what is wrong with a value that is not JSON", () => {
    expect(refusal({ triggerTokens: 5n }).message).toBe(`triggerTokens: expected ${COUNT}, found 5.`);
  });

  test("gives settings or says what is wrong, and never fails otherwise", () => {
    const keys = fc.constantFrom(...Object.keys(ALLOWED), "tail", "prune", "nothing");
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.anything()), { maxLength: 3 }), (fields) => {
        const input = Object.assign({}, ...fields.map(([key, value]) => nest(key, value)));
        try {
          expect(resolve(input)).toHaveProperty("targetRatio");
        } catch (error) {
          expect(error).toMatchObject({ code: "config-invalid" });
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("the default policy", () => {
  test("keeps its own rules", () => {
    expect(DEFAULT_POLICY.targetRatio).toBeLessThan(DEFAULT_POLICY.triggerRatio);
    expect(DEFAULT_POLICY.tail.ratio).toBeLessThan(DEFAULT_POLICY.targetRatio);
  });
});
