import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../core/errors.ts";
import { shows } from "../testing/shows.ts";
import { mergeSources } from "./config-sources.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { PRESETS } from "./presets.ts";
import { buildVariableName, type Environment } from "./read-environment.ts";
import { listPaths } from "./settings-table.ts";

const read = (environment: Environment) => mergeSources({ environment });

function refusal(environment: Environment): string {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "config-invalid") return error.message;
    throw error;
  }
  throw new TypeError(`Nothing was wrong with ${JSON.stringify(environment)}.`);
}

describe("policy settings from the environment", () => {
  test("unknown variables and blank values are ignored", () => {
    expect(read({ HOME: "/", PALIMPSEST_SOAK: "1", PALIMPSEST_NOTHING: "x" })).toEqual(DEFAULT_POLICY);
    expect(read({ PALIMPSEST_POLICY: "", MAX_CHAT_HISTORY: " ", PALIMPSEST_ENABLED: undefined })).toEqual(
      DEFAULT_POLICY,
    );
  });

  test("PALIMPSEST_POLICY names the policy", () => {
    expect(read({ PALIMPSEST_POLICY: "workspace" })).toEqual(PRESETS.workspace);
    expect(refusal({ PALIMPSEST_POLICY: "nobody" })).toMatch(/^PALIMPSEST_POLICY: expected "default", .*"nobody"\.$/);
  });

  test.each([
    ["PALIMPSEST_ENABLED", "false", { enabled: false }],
    ["PALIMPSEST_TRIGGER_RATIO", "0.9", { triggerRatio: 0.9 }],
    ["PALIMPSEST_TARGET_RATIO", ".5", { targetRatio: 0.5 }],
    ["PALIMPSEST_SUMMARY_MAX_TOKENS", "900", { summary: { maxTokens: 900 } }],
    ["PALIMPSEST_SUMMARY_STRATEGY", "brief", { summary: { strategy: "brief" } }],
    ["PALIMPSEST_SUMMARY_MODEL_PREFERENCE", "a, b,", { summary: { modelPreference: ["a", "b"] } }],
    ["PALIMPSEST_TAIL_OPEN_ROUNDS", "2", { tail: { openRounds: 2 } }],
    ["PALIMPSEST_BACKGROUND_APPLY_RATIO", "1", { background: { prepareRatio: 0.75, applyRatio: 1 } }],
    ["PALIMPSEST_RETENTION", "tombstone", { retention: "tombstone", relaxedLaws: ["4 nothing lost"] }],
  ])("%s=%s changes its setting", (name, text, expected) => {
    expect(read({ [name]: text })).toMatchObject(expected);
  });

  test("two variables of one group set both fields of the group", () => {
    const settings = read({ PALIMPSEST_SUMMARY_MAX_TOKENS: "900", PALIMPSEST_SUMMARY_RATIO: "0.1" });
    expect(settings.summary).toEqual({ ...DEFAULT_POLICY.summary, maxTokens: 900, ratio: 0.1 });
  });

  test.each([
    ["PALIMPSEST_ENABLED", "maybe", "true or false"],
    ["PALIMPSEST_TRIGGER_RATIO", "80%", "a number above 0 and up to 1"],
    ["PALIMPSEST_TRIGGER_RATIO", "NaN", "a number above 0 and up to 1"],
    ["PALIMPSEST_SUMMARY_MAX_TOKENS", "12abc", "a whole number of at least 1"],
    ["PALIMPSEST_SUMMARY_MAX_TOKENS", "99999999999999999999", "a whole number of at least 1"],
    ["PALIMPSEST_PHASE", "later", '"pre-request" or "post-response"'],
    ["MAX_CHAT_HISTORY", "12abc", "a whole number of at least 1"],
    ["CHAT_TOKEN_THRESHOLD", "0x1770", "a whole number of at least 1"],
    ["ENABLE_CHAT_SUMMARIZATION", "off", "true or false"],
  ])("the environment refuses %s=%s and names the variable", (name, text, allowed) => {
    expect(refusal({ [name]: text })).toBe(`${name}: expected ${allowed}, found ${JSON.stringify(text)}.`);
  });

  test("every setting that can be written as one line of text has its own variable", () => {
    const names = listPaths()
      .filter(([, rule]) => rule.fromText !== undefined)
      .map(([path]) => buildVariableName(path));
    expect(new Set(names).size).toBe(names.length);
    const silent = listPaths()
      .filter(([, rule]) => rule.fromText === undefined)
      .map(([path]) => path);
    expect(silent).toEqual(["name", "triggers", "summary.renderer"]);
  });
});

describe("document variables in the environment", () => {
  test(
    shows("S1-5", "MAX_CHAT_HISTORY is a decimal number, and sets the trigger and the tail of its own preset"),
    () => {
      const settings = read({ PALIMPSEST_POLICY: "windowed-sql", MAX_CHAT_HISTORY: "020" });
      expect(settings.triggers).toContainEqual({ type: "messages", maxMessages: 20 });
      expect(settings.tail.messages).toBe(20);
    },
  );

  test("MAX_CHAT_HISTORY adds a trigger to any other policy and keeps its tail", () => {
    const settings = read({ MAX_CHAT_HISTORY: "20" });
    expect(settings.triggers).toEqual([...DEFAULT_POLICY.triggers, { type: "messages", maxMessages: 20 }]);
    expect(settings.tail).toEqual(DEFAULT_POLICY.tail);
  });

  test(shows("S1-6", "CHAT_TOKEN_THRESHOLD changes the token trigger, or adds one if there is none"), () => {
    const tokens = { type: "tokens", maxTokens: 3_000 };
    expect(read({ PALIMPSEST_POLICY: "workspace", CHAT_TOKEN_THRESHOLD: "3000" }).triggers).toEqual([tokens]);
    expect(read({ CHAT_TOKEN_THRESHOLD: "3000" }).triggers).toEqual([...DEFAULT_POLICY.triggers, tokens]);
  });

  test("ENABLE_CHAT_SUMMARIZATION turns any policy off, and PALIMPSEST_ENABLED wins over it", () => {
    expect(read({ ENABLE_CHAT_SUMMARIZATION: "false" }).enabled).toBe(false);
    expect(read({ ENABLE_CHAT_SUMMARIZATION: "false", PALIMPSEST_ENABLED: "true" }).enabled).toBe(true);
  });
});
