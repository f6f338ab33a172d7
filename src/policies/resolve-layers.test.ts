import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvePolicy } from "../../test/support/core-values.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { RatioTrigger } from "../core/plan/triggers/trigger.ts";
import { shows } from "../testing/shows.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { DOCUMENT_KEYS } from "./document-keys.ts";
import { POLICY_NAMES } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";
import { listPaths } from "./settings-table.ts";

/** Configuration files may contain values that the types forbid, so tests pass them too. */
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
const COUNT = "a whole number of at least 0";
const POSITIVE = "a whole number of at least 1";
const FLAG = "true or false";

interface Samples {
  readonly allowed: string;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const count = (...good: readonly number[]): Samples => ({
  allowed: COUNT,
  good: [0, ...good],
  bad: [-1, 0.5, "6", null, [], Number.NaN, 1e300],
});
const positive = (...good: readonly number[]): Samples => ({
  ...count(),
  allowed: POSITIVE,
  good,
  bad: [0, -1, 1.5, "6"],
});
const ratio = (...good: readonly number[]): Samples => ({
  allowed: RATIO,
  good,
  bad: [0, -0.1, 1.01, "0.8", null, Number.NaN, Number.POSITIVE_INFINITY],
});
const flag: Samples = { allowed: FLAG, good: [true, false], bad: [1, "true", null] };
const names = (...good: readonly string[]): Samples => ({
  allowed: `${good
    .slice(0, -1)
    .map((name) => JSON.stringify(name))
    .join(", ")} or ${JSON.stringify(good.at(-1))}`,
  good,
  bad: ["none of them", "", 1, null, [good[0]]],
});

const ALLOWED: Readonly<Record<string, Samples>> = {
  name: { allowed: "a string that is not blank", good: ["custom"], bad: ["", " ", 5, null] },
  enabled: flag,
  phase: names("pre-request", "post-response"),
  triggers: {
    allowed: "a list of triggers",
    good: [[], [{ type: "messages", maxMessages: 3 }, { type: "cold-cache" }, { type: "overflow" }]],
    bad: [{}, "messages", null],
  },
  counter: names("o200k", "cl100k", "estimate", "chars4", "words13"),
  triggerTokens: positive(1, 50_000),
  triggerTokensByWindow: flag,
  triggerRatio: ratio(0.6, 1),
  targetRatio: ratio(0.01, 0.6),
  "tail.messages": count(12),
  "tail.textMessages": count(12),
  "tail.tokens": count(2_000),
  "tail.exchanges": count(4),
  "tail.rounds": count(4),
  "tail.ratio": ratio(0.25, 1),
  "tail.openRounds": positive(1, 2),
  "tail.otherwiseTokens": count(5_500),
  "tail.otherwiseExchanges": count(2),
  span: names("to-target", "before-tail", "half"),
  shrinksBy: names("tokens", "messages"),
  reserve: names("reply", "none"),
  "budget.thresholdTokens": positive(),
  "budget.share": ratio(0.85, 1),
  pruneFirst: flag,
  "prune.rules": names("default", "rolling-chat"),
  "prune.minimumTokens": count(500),
  "prune.exemptTools": {
    allowed: "a list of tool names",
    good: [[], ["read_plan"]],
    bad: ["read_plan", [1], [""], new Array(1), {}, null],
  },
  "prune.protectTokens": count(40_000),
  "prune.minimumBatchTokens": count(20_000),
  "prune.previewTokens": count(100),
  "prune.enoughRatio": ratio(0.4, 1),
  "prune.inLoop": flag,
  "summary.strategy": names(
    "brief",
    "keypoints",
    "handoff-full",
    "handoff-simple",
    "handoff-after-prompt",
    "topic",
    "structured",
    "offline",
  ),
  "summary.renderer": {
    allowed: "a renderer with its type",
    good: [
      { type: "data" },
      { type: "system" },
      { type: "system", tag: "summary-depth" },
      { type: "tagged-user", tag: "conversation-summary" },
      { type: "pair", prefix: "[", suffix: "", acknowledgement: "Yes." },
    ],
    bad: ["data", [], null],
  },
  "summary.maxTokens": positive(1, 500),
  "summary.ratio": ratio(0.2, 1),
  "summary.smallTokens": count(3_000),
  "summary.onOversize": names("reask-trim", "reject"),
  "summary.onFailure": names("offline", "keep"),
  "summary.abortOnFailure": flag,
  "summary.waitMs": positive(5_000),
  "summary.protectedShare": ratio(0.5),
  "summary.addMissing": flag,
  "summary.headings": names("english", "conversation"),
  "summary.modelPreference": {
    allowed: "a list of model ids",
    good: [[], ["gpt-4.1", "claude-haiku-4-5"]],
    bad: ["gpt-4.1", [1], [" "], null],
  },
  "summary.secondPass": flag,
  "topics.mode": names("off", "first", "fallback"),
  "topics.detector": names("model", "offline"),
  "topics.minConfidence": ratio(0.5, 1),
  gate: flag,
  "background.prepareRatio": ratio(0.5),
  "background.applyRatio": ratio(0.9, 1),
  keepOpenRequest: flag,
  "visible.messagesWithSummary": positive(),
  "visible.messagesWithoutSummary": positive(),
  "visible.textOnly": { ...flag, good: [] },
  clear: names("for-good", "next-generation"),
  "recall.enabled": flag,
  "recall.ratio": ratio(0.05, 1),
  "recall.smallTokens": count(200),
  "recall.largeRatio": ratio(0.02, 1),
  "recall.maxTokens": count(2_000),
  "recall.otherSessions": count(10),
  providerCompaction: names("carry", "allow"),
  retention: names("keep", "tombstone", "delete"),
  pinRatio: ratio(0.1, 1),
  maxCompactionsPerPrompt: positive(1, 3),
  pauseMs: count(500),
  "emergency.ratio": {
    allowed: "a number of at least 1",
    good: [1, 2, 2.5],
    bad: [0.9, 0, -1, "2", null, Number.NaN, Number.POSITIVE_INFINITY],
  },
  "emergency.to": { ...names("ratio", "trigger"), good: [] },
  relaxedLaws: {
    allowed:
      'a list of "1 fits", "2 valid", "3 no gap", "4 nothing lost", "5 shrinks", "6 stable", "7 once", "8 faithful", "9 cost of new"',
    good: [[], ["3 no gap", "6 stable"]],
    bad: ["6 stable", ["no law"], [3], null],
  },
  cacheTargetTokens: count(1_536),
  cacheTiers: names("off", "document", "default"),
  breakpoints: names("always", "with-compaction", "never"),
  onCancel: names("keep", "orphan"),
  blockInput: names("always", "full"),
};

const good = Object.entries(ALLOWED).flatMap(([key, rule]) => rule.good.map((value) => [key, value] as const));
const bad = Object.entries(ALLOWED).flatMap(([key, rule]) =>
  rule.bad.map((value) => [key, value, rule.allowed] as const),
);

function describeWrong(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null ? "an empty object" : String(value);
}

describe("resolvePolicy", () => {
  test('no policy, an empty object and "default" resolve to the default policy', () => {
    expect(resolvePolicy()).toEqual(DEFAULT_POLICY);
    expect(resolvePolicy("default")).toEqual(DEFAULT_POLICY);
    expect(resolvePolicy({})).toEqual(DEFAULT_POLICY);
  });

  test("every key of the default policy has a rule", () => {
    expect(resolvePolicy(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test("every setting has a sample in this test", () => {
    expect(Object.keys(ALLOWED)).toEqual(listPaths().map(([path]) => path));
  });

  test.each(good)("a policy accepts %s: %j", (key, value) => {
    const settings = resolve(nest(key, value));
    expect(settings).toMatchObject(nest(key, value));
  });

  test("keys that are not given keep their values, inside groups too", () => {
    expect(resolvePolicy({ tail: { messages: 12 }, prune: { ...DEFAULT_POLICY.prune, minimumTokens: 0 } })).toEqual({
      ...DEFAULT_POLICY,
      tail: { ...DEFAULT_POLICY.tail, messages: 12 },
      prune: { ...DEFAULT_POLICY.prune, minimumTokens: 0 },
    });
  });

  test("an undefined value counts as not given", () => {
    const nothing = Object.keys(ALLOWED).map((key) => nest(key, undefined));
    for (const input of [...nothing, { tail: undefined, prune: undefined }])
      expect(resolve(input)).toEqual(DEFAULT_POLICY);
  });

  test.each(bad)(
    "a policy refuses %s: %j with an error that names the key, the value and what is allowed",
    (key, value, allowed) => {
      const error = refusal(nest(key, value));
      const found = describeWrong(value);
      expect(error.code).toBe("config-invalid");
      expect(error.message).toBe(`${key}: expected ${allowed}, found ${found}.`);
      expect(error.details).toEqual({ key, allowed });
    },
  );

  test.each([
    [0.9, { triggerRatio: 0.9, resetRatio: 0.5 }],
    [0.72, { triggerRatio: 0.72, resetRatio: 0.5 }],
    [0.6, { triggerRatio: 0.6, resetRatio: 0.5 }],
  ])("a triggerRatio of %d changes the ratio trigger of the default policy", (triggerRatio, expected) => {
    const { triggers } = resolvePolicy({ triggerRatio });
    expect(triggers[0]).toEqual({ ...DEFAULT_POLICY.triggers[0], ...expected });
    expect(triggers.slice(1)).toEqual(DEFAULT_POLICY.triggers.slice(1));
  });

  test("triggerRatio does not change the ratio trigger of a preset", () => {
    const { triggers } = resolvePolicy({ preset: "ratio-chain", triggerRatio: 0.9 });
    expect(triggers).toEqual(PRESETS["ratio-chain"].triggers);
  });

  test("triggerTokens adds a tokens trigger or changes the existing one", () => {
    const tokens = { type: "tokens", maxTokens: 9_000 } as const;
    expect(resolvePolicy({ triggerTokens: 9_000 }).triggers).toEqual([...DEFAULT_POLICY.triggers, tokens]);
    const { triggers, triggerTokens } = resolvePolicy({ preset: "workspace", triggerTokens: 9_000 });
    expect({ triggers, triggerTokens }).toEqual({ triggers: [tokens], triggerTokens: 9_000 });
  });

  test("a list of triggers wins over triggerTokens and triggerRatio", () => {
    const triggers = [{ type: "messages", maxMessages: 3 }] as const;
    expect(resolvePolicy({ triggers, triggerTokens: 9_000, triggerRatio: 0.9 }).triggers).toEqual(triggers);
  });

  test("a target above the trigger is refused", () => {
    expect(refusal({ triggerRatio: 0.5, targetRatio: 0.7 }).message).toBe(
      "targetRatio: expected at most the triggerRatio, 0.5, found 0.7.",
    );
  });

  test.each([["speed"], ["constructor"], ["__proto__"], ["toString"], ["threshold"], ["MAX_CHAT_HISTORY"]])(
    "the unknown key %s is refused, and the error has a list of the known keys",
    (key) => {
      const error = refusal(Object.fromEntries([[key, 1]]));
      const allowed = expect.stringContaining(
        "one of the keys preset, models, name, enabled, phase, triggers, counter",
      );
      expect(error.details).toMatchObject({ key, allowed });
      expect(error.message).toContain(`Unknown setting "${key}".`);
    },
  );

  test.each([
    ["tail.mesages", /^Unknown setting "tail\.mesages"\. Did you mean "tail\.messages"\?$/],
    ["tail.valueOf", /^Unknown setting "tail\.valueOf"\. The settings are messages, textMessages, tokens, .*\.$/],
    ["tail.__proto__", /^Unknown setting "tail\.__proto__"\./],
  ])("the unknown key %s of a group is refused, and the error names the nearest key, or all keys", (key, message) => {
    const [, name = ""] = key.split(".");
    expect(refusal({ tail: Object.fromEntries([[name, 1]]) }).message).toMatch(message);
  });

  test.each([["tail"], ["prune"], ["summary"], ["topics"]])("%s is refused if it is not an object", (key) => {
    for (const value of [5, null, false, [], new Date(0), new Map()])
      expect(refusal({ [key]: value }).details).toEqual({ key, allowed: "an object" });
  });

  test.each([["background"], ["visible"], ["budget"], ["emergency"], ["recall"]])(
    "false removes the group %s",
    (key) => {
      expect(resolve({ preset: "rolling-chat", [key]: false })).toHaveProperty(key, undefined);
      expect(refusal({ [key]: true }).details).toEqual({ key, allowed: "an object or false" });
    },
  );

  test("a group that the policy adds must be complete", () => {
    expect(refusal({ visible: { messagesWithSummary: 6 } }).message).toBe(
      `visible.messagesWithoutSummary: expected ${POSITIVE}, found undefined.`,
    );
    expect(refusal({ budget: { thresholdTokens: 9 } }).details).toMatchObject({ key: "budget.share" });
    expect(refusal({ emergency: { to: "trigger" } }).details).toMatchObject({ key: "emergency.ratio" });
    expect(resolvePolicy({ emergency: { ratio: 3 } }).emergency).toEqual({ ratio: 3 });
    expect(resolvePolicy({ preset: "workspace", emergency: { to: "trigger" } }).emergency).toEqual({
      ratio: 2,
      to: "trigger",
    });
    expect(resolvePolicy({ preset: "agent-rounds", budget: { thresholdTokens: 9 } }).budget).toEqual({
      share: 0.85,
      thresholdTokens: 9,
    });
  });

  test.each([["ratio-chain-of-nobody"], [null], [5], [true], [[]], [new Map()]])(
    "%j is refused as a policy",
    (input) => {
      const error = refusal(input);
      expect(error.code).toBe("config-invalid");
      expect(error.details).toMatchObject({ key: "policy" });
    },
  );

  test("an error shortens a long value", () => {
    expect(refusal({ triggerRatio: "x".repeat(10_000) }).message.length).toBeLessThan(150);
  });

  test("an error describes a value that is not JSON", () => {
    expect(refusal({ triggerTokens: 5n }).message).toBe(`triggerTokens: expected ${POSITIVE}, found 5.`);
  });

  test("an error describes a value that cannot be serialized", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(refusal({ pinRatio: circle }).message).toMatch(/^pinRatio: expected .*, found a list of 1\.$/);
    expect(refusal({ pinRatio: [5n] }).message).toMatch(/^pinRatio: expected .*, found a list of 1\.$/);
    expect(refusal({ pinRatio: { toJSON: () => undefined } }).message).toMatch(
      /^pinRatio: expected .*, found an object with toJSON\.$/,
    );
  });

  test("settings do not change when the caller's object changes later", () => {
    const exemptTools = ["read_plan"];
    const trigger = { type: "messages" as const, maxMessages: 12 };
    const settings = resolvePolicy({ prune: { exemptTools }, triggers: [trigger] });
    exemptTools.push("write_plan");
    trigger.maxMessages = 1;
    expect(settings.prune.exemptTools).toEqual(["read_plan"]);
    expect(settings.triggers).toEqual([{ type: "messages", maxMessages: 12 }]);
    const models = ["small-model"];
    const chain = resolvePolicy({ preset: "ratio-chain", summarizerModelPreference: models });
    models.push("large-model");
    expect(chain.summary.modelPreference).toEqual(["small-model"]);
  });

  test("any object with policy keys resolves or fails with an error that names a key", () => {
    const own = Object.values(DOCUMENT_KEYS).flatMap((table) => Object.keys(table));
    const keys = fc.constantFrom(...Object.keys(ALLOWED), ...own, "tail", "prune", "models", "preset", "nothing");
    const samples = [...good, ...bad].map(([, value]) => value);
    const values = fc.oneof(
      fc.constantFrom(...samples),
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
    );
    const presets = fc.option(fc.constantFrom(...POLICY_NAMES), { nil: undefined });
    fc.assert(
      fc.property(presets, fc.array(fc.tuple(keys, values), { maxLength: 4 }), (preset, fields) => {
        const input = Object.assign({ preset }, ...fields.map(([key, value]) => nest(key, value)));
        try {
          expect(resolve(input)).toHaveProperty("targetRatio");
        } catch (error) {
          expect(error).toMatchObject({ code: "config-invalid", details: { key: expect.any(String) } });
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("any value resolves or fails with an error that names a key", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }), (input) => {
        try {
          expect(resolve(input)).toHaveProperty("targetRatio");
        } catch (error) {
          expect(error).toMatchObject({ code: "config-invalid", details: { key: expect.any(String) } });
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

const RATIO_TRIGGER: RatioTrigger = {
  type: "ratio",
  of: "budget",
  triggerRatio: 0.8,
  resetRatio: 0.7,
  minMessages: 12,
  cooldownMessages: 4,
  maxSummaryChainDepth: 3,
  onDepthCap: "stop",
};

describe("triggers and renderers in a policy", () => {
  test.each([
    [[{ type: "never" }], "triggers[0].type"],
    [[{ type: "overflow" }, 5], "triggers[1]"],
    [[{ type: "messages" }], "triggers[0].maxMessages"],
    [[{ type: "messages", maxMessages: 0 }], "triggers[0].maxMessages"],
    [[{ type: "messages", maxMessages: 5, maxTokens: 5 }], "triggers[0].maxTokens"],
    [[{ type: "unsummarised", threshold: 10, countMode: "all", tailMessages: 6 }], "triggers[0].countMode"],
    [[{ type: "cold-cache", fromRatio: 2 }], "triggers[0].fromRatio"],
    [[{ ...RATIO_TRIGGER, of: "everything" }], "triggers[0].of"],
    [[{ ...RATIO_TRIGGER, maxSummaryChainDepth: 0 }], "triggers[0].maxSummaryChainDepth"],
    [[{ ...RATIO_TRIGGER, onDepthCap: "explode" }], "triggers[0].onDepthCap"],
    [[{ ...RATIO_TRIGGER, triggerRatio: 1.2 }], "triggers[0].triggerRatio"],
    [new Array(1), "triggers[0]"],
  ])("the triggers %j are refused, and the error names %s", (triggers, key) => {
    expect(refusal({ triggers }).details).toMatchObject({ key });
  });

  test.each([
    [{ type: "poem" }, "summary.renderer.type"],
    [{ type: "pair", prefix: "[", suffix: "]" }, "summary.renderer.acknowledgement"],
    [{ type: "tagged-user", tag: "a b" }, "summary.renderer.tag"],
    [{ type: "tagged-user", tag: "><script>" }, "summary.renderer.tag"],
    [{ type: "data", tag: "x" }, "summary.renderer.tag"],
  ])("the renderer %j is refused, and the error names %s", (renderer, key) => {
    expect(refusal({ summary: { renderer } }).details).toMatchObject({ key });
  });
});

describe("contradictory settings", () => {
  test(
    shows(
      "S4-8",
      "a reset ratio that is not below the trigger ratio is refused, and the error uses the document's names",
    ),
    () => {
      expect(refusal({ triggers: [{ ...RATIO_TRIGGER, resetRatio: 0.8 }] }).message).toBe(
        "triggers[0].resetRatio: expected less than the triggerRatio, 0.8, found 0.8.",
      );
      expect(refusal({ preset: "ratio-chain", resetTokenRatio: 0.9 }).message).toBe(
        "resetTokenRatio: expected less than the triggerTokenRatio, 0.8, found 0.9.",
      );
      expect(refusal({ preset: "ratio-chain", triggerTokenRatio: 0.6 }).message).toBe(
        "resetTokenRatio: expected less than the triggerTokenRatio, 0.6, found 0.7.",
      );
      expect(resolvePolicy({ preset: "ratio-chain", resetTokenRatio: 0.79 }).triggers).toMatchObject([
        { resetRatio: 0.79 },
      ]);
    },
  );

  test("a prepareRatio above the applyRatio of the background is refused", () => {
    expect(refusal({ background: { prepareRatio: 0.96 } }).message).toBe(
      "background.prepareRatio: expected at most the applyRatio, 0.95, found 0.96.",
    );
    expect(resolvePolicy({ background: { prepareRatio: 0.95 } }).background).toEqual({
      prepareRatio: 0.95,
      applyRatio: 0.95,
    });
  });

  test("a tail that is longer than the trigger's threshold is refused", () => {
    expect(refusal({ preset: "rolling-chat", threshold: 5 }).message).toBe(
      "tail: expected at most the threshold, 5, found 6.",
    );
    expect(resolvePolicy({ preset: "rolling-chat", threshold: 6 }).triggers).toMatchObject([{ threshold: 6 }]);
  });

  test("a visible window that is shorter than the tail is refused", () => {
    expect(refusal({ preset: "rolling-chat", tail: { textMessages: 8 } }).message).toBe(
      "visible.messagesWithSummary: expected at least the messages of the tail, 8, found 6.",
    );
  });
});

describe("relaxed laws", () => {
  test("are derived from the settings, even if the policy lists none", () => {
    expect(resolvePolicy({ retention: "delete" }).relaxedLaws).toEqual(["4 nothing lost"]);
    expect(resolvePolicy({ retention: "tombstone", prune: { inLoop: true } }).relaxedLaws).toEqual([
      "4 nothing lost",
      "6 stable",
    ]);
    expect(resolvePolicy({ preset: "rolling-chat", relaxedLaws: [] }).relaxedLaws).toEqual(["3 no gap", "6 stable"]);
  });

  test("a law is no longer relaxed when its setting changes back", () => {
    const strict = resolvePolicy({ preset: "rolling-chat", visible: false, prune: { inLoop: false } });
    expect(strict.relaxedLaws).toEqual([]);
    expect(resolvePolicy({ preset: "windowed-sql", retention: "keep" }).relaxedLaws).toEqual([]);
  });

  test("a policy may list further relaxed laws", () => {
    expect(resolvePolicy({ relaxedLaws: ["9 cost of new"] }).relaxedLaws).toEqual(["9 cost of new"]);
  });
});

describe("presets by name", () => {
  test.each(Object.entries(PRESETS))("%s resolves to its preset, by name and in an object", (name, settings) => {
    expect(resolve(name)).toEqual(settings);
    expect(resolve({ preset: name })).toEqual(settings);
  });

  test("an unknown preset is refused with a list of the known presets", () => {
    expect(refusal({ preset: "nobody" }).message).toBe(
      'preset: expected "default", "rolling-chat", "windowed-sql", "agent-rounds", "workspace" or "ratio-chain", found "nobody".',
    );
  });

  test("a setting overrides the preset's own", () => {
    expect(resolvePolicy({ preset: "workspace", pauseMs: 0, tail: { exchanges: 3 } })).toEqual({
      ...PRESETS.workspace,
      pauseMs: 0,
      tail: { tokens: 4_000, exchanges: 3 },
    });
  });
});

describe("settings for one model", () => {
  const input = {
    preset: "ratio-chain",
    cooldownMessages: 5,
    models: { "gpt-4.1": { triggerTokenRatio: 0.9 }, "claude-haiku-4-5": { summary: { maxTokens: 300 } } },
  } as const;

  test(shows("X-10", "settings for a model apply only to that model, as document keys or as settings"), () => {
    const general = resolvePolicy(input);
    expect(general).toMatchObject({ triggerRatio: 0.8, triggers: [{ triggerRatio: 0.8, cooldownMessages: 5 }] });
    expect(resolvePolicy(input, { model: "gpt-4.1" })).toMatchObject({
      triggerRatio: 0.9,
      triggers: [{ triggerRatio: 0.9, cooldownMessages: 5 }],
    });
    expect(resolvePolicy(input, { model: "claude-haiku-4-5" }).summary.maxTokens).toBe(300);
    expect(resolvePolicy(input, { model: "gemini-3-pro" })).toEqual(general);
  });

  test(shows("X-10", "settings for a model are found by any spelling of its id"), () => {
    for (const model of ["openai/gpt-4.1", "gpt-4.1-2025-04-14", "GPT-4.1"])
      expect(resolvePolicy(input, { model }).triggerRatio).toBe(0.9);
    expect(resolvePolicy(input, { model: "gpt-4.1-mini" }).triggerRatio).toBe(0.8);
  });

  test("settings under the exact id win over settings under another spelling", () => {
    const models = { "openai/gpt-4.1": { pauseMs: 1 }, "gpt-4.1": { pauseMs: 2 } };
    for (const [model, { pauseMs }] of Object.entries(models))
      expect(resolvePolicy({ models }, { model }).pauseMs).toBe(pauseMs);
  });

  test("settings for a model are checked, and the error names the model", () => {
    expect(refusal({ models: { "gpt-4.1": { pinRatio: 2 } } }).message).toBe(
      `models.gpt-4.1.pinRatio: expected ${RATIO}, found 2.`,
    );
    expect(refusal({ models: { "gpt-4.1": { targetRatio: 0.9 } } }).message).toBe(
      "models.gpt-4.1.targetRatio: expected at most the triggerRatio, 0.6, found 0.9.",
    );
    expect(refusal({ models: { "gpt-4.1": { preset: "workspace" } } }).details).toMatchObject({
      key: "models.gpt-4.1.preset",
    });
    expect(refusal({ models: [] }).details).toMatchObject({ key: "models" });
    expect(refusal({ models: { __proto__: null, a: 5 } }).details).toMatchObject({ key: "models.a" });
  });
});

describe("the default policy", () => {
  test("the default policy's target is at most its trigger, and its tail is below the target", () => {
    expect(DEFAULT_POLICY.targetRatio).toBeLessThanOrEqual(DEFAULT_POLICY.triggerRatio);
    expect(DEFAULT_POLICY.tail.ratio).toBeLessThan(DEFAULT_POLICY.targetRatio);
  });
});
