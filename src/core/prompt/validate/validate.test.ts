import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PROVIDERS, type Provider } from "../provider.ts";
import { MALFORMED } from "./complaint.ts";
import { validate } from "./validate.ts";
import { ANTHROPIC_RULES } from "./validate-anthropic.ts";
import { GEMINI_RULES } from "./validate-gemini.ts";
import { OPENAI_CHAT_RULES } from "./validate-openai-chat.ts";
import { OPENAI_RESPONSES_RULES } from "./validate-openai-responses.ts";

const RULES = {
  openai: OPENAI_CHAT_RULES,
  "openai-responses": OPENAI_RESPONSES_RULES,
  anthropic: ANTHROPIC_RULES,
  gemini: GEMINI_RULES,
};

interface Fixtures {
  readonly accepted: readonly { readonly name: string; readonly prompt: unknown }[];
  readonly rejected: readonly { readonly name: string; readonly rule: string; readonly prompt: unknown }[];
}

function loadFixtures(provider: Provider): Fixtures {
  return JSON.parse(readFileSync(new URL(`./__fixtures__/${provider}.json`, import.meta.url), "utf8"));
}

describe.each(PROVIDERS)("validate for %s", (provider) => {
  const { accepted, rejected } = loadFixtures(provider);

  test.each(accepted)("accepts $name", ({ prompt }) => {
    expect(validate(prompt, provider)).toEqual([]);
  });

  test.each(rejected)("rejects $name with the rule `$rule` only", ({ prompt, rule }) => {
    const complaints = validate(prompt, provider);
    expect(complaints.length).toBeGreaterThan(0);
    expect(new Set(complaints.map((complaint) => complaint.rule))).toEqual(new Set([rule]));
    for (const { path, text } of complaints) expect([path, text].every((word) => word.length > 0)).toBe(true);
  });

  test("never throws, for any value", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4 }), (value) => {
        expect(Array.isArray(validate(value, provider))).toBe(true);
        expect(Array.isArray(validate([value], provider))).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("never throws for lists that are almost valid", () => {
    const keys = [
      ...["role", "type", "content", "parts", "text", "id", "call_id", "tool_call_id", "tool_use_id", "tool_calls"],
      ...["function", "name", "arguments", "functionCall", "functionResponse", "source", "summary", "output"],
    ];
    const words = [
      "user",
      "assistant",
      "model",
      "tool",
      "text",
      "tool_use",
      "tool_result",
      "function_call",
      "reasoning",
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...words),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (list) => {
        expect(Array.isArray(validate(list, provider))).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns the path of the fault", () => {
    const first = rejected.find(({ rule }) => rule === "calls-answered");
    expect(validate(first?.prompt, provider)[0]?.path).toMatch(/^(messages|input|contents)\[\d+\]/);
  });
});

test("the fixtures have at least twelve accepted and twelve rejected prompts for each provider", () => {
  for (const provider of PROVIDERS) {
    const { accepted, rejected } = loadFixtures(provider);
    expect(accepted.length).toBeGreaterThanOrEqual(12);
    expect(rejected.length).toBeGreaterThanOrEqual(12);
  }
});

test("the fixtures have a rejected prompt for every rule", () => {
  for (const provider of PROVIDERS) {
    const broken = new Set(loadFixtures(provider).rejected.map(({ rule }) => rule));
    expect([...broken].toSorted()).toEqual([MALFORMED, ...RULES[provider].map(({ name }) => name)].toSorted());
  }
});
