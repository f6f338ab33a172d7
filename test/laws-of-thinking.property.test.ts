/**
 * Laws 2 and 6 over whole conversations with thinking, judged by a double of Anthropic's API that remembers what
 * preceded each block: generated conversations, tool loops of 60 steps, and recorded conversations.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { shows } from "../src/testing/shows.ts";
import { weighted } from "../src/testing/weighted.ts";
import {
  findRefusals,
  findUnnamedChanges,
  type SceneOptions,
  ThinkingScene,
  type ThinkingStep,
} from "./support/play-thinking.ts";
import { everyNth, firstOf, propertyRuns } from "./support/property-runs.ts";
import { readClaudeCode, skipWithoutData } from "./support/real-logs.ts";

const CHECKING = "claude-opus-5-5";
const UNCHECKED = "claude-sonnet-4-5";
const MANUAL = { type: "enabled", budget_tokens: 2_000 } as const;

const fractions = fc.integer({ min: 0, max: 999 }).map((value) => value / 1_000);
const turn: fc.Arbitrary<ThinkingStep> = fc.record({
  type: fc.constant("turn" as const),
  size: fc.nat(20),
  steps: weighted([
    [3, fc.constant(0)],
    [3, fc.integer({ min: 1, max: 4 })],
    [1, fc.integer({ min: 5, max: 12 })],
  ]),
  notes: fc.option(fc.constantFrom("It is Monday.", "It is Tuesday."), { nil: undefined, freq: 3 }),
});
const steps = fc.array(
  weighted<ThinkingStep>([
    [12, turn],
    [
      1,
      fc
        .constantFrom("undo", "compact", "restart", "idle", "edit-summary", "preview", "note-once")
        .map((type) => ({ type })),
    ],
    [1, fc.record({ type: fc.constantFrom("pin", "unpin", "delete", "fork"), at: fractions })],
    [1, fc.record({ type: fc.constantFrom("instructions", "tools", "model", "file"), choice: fc.nat(9) })],
  ]),
  { minLength: 6, maxLength: 24, size: "max" },
);

function holds(options: SceneOptions) {
  return async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (planned) => {
        const scene = await new ThinkingScene(options).play(planned);
        expect(findRefusals(scene)).toEqual([]);
        expect(findUnnamedChanges(scene)).toEqual([]);
      }),
      { numRuns: propertyRuns(8) },
    );
  };
}

const loop = (count: number): readonly ThinkingStep[] => [
  { type: "turn", size: 3, steps: 0 },
  { type: "turn", size: 4, steps: count },
  { type: "turn", size: 5, steps: 0 },
];

describe("laws 2 and 6 with a provider that remembers its thinking", () => {
  test(shows("X-32", "hold with a model that checks the messages before thinking"), holds({ models: [CHECKING] }));
  test(
    shows("X-32", "hold when the model changes"),
    holds({ models: [CHECKING, "claude-fable-5-1", UNCHECKED, "claude-haiku-5-5"] }),
  );
  test(shows("X-32", "hold with a workspace"), holds({ models: [CHECKING], workspace: true, budgetTokens: 4_000 }));
  test(shows("X-32", "hold with a model without the check"), holds({ models: [UNCHECKED] }));
  test(shows("X-32", "hold with manual thinking"), holds({ models: [UNCHECKED], thinking: MANUAL }));

  test.each([
    ["a model that checks", CHECKING, undefined, 40_000],
    ["a model that checks, with folds inside the loop", CHECKING, undefined, 3_000],
    ["a model without the check", UNCHECKED, undefined, 3_000],
    ["manual thinking", UNCHECKED, MANUAL, 3_000],
  ])("hold in a tool loop of 60 steps with %s", async (_, model, thinking, budgetTokens) => {
    const scene = await new ThinkingScene({ models: [model], thinking, budgetTokens }).play(loop(60));
    expect(findRefusals(scene)).toEqual([]);
    expect(findUnnamedChanges(scene)).toEqual([]);
    expect(scene.prompts).toHaveLength(63);
  });

  test("all thinking is sent while nothing before it changes", async () => {
    const planned = Array.from(
      { length: 12 },
      (): ThinkingStep => ({ type: "turn", size: 1, steps: 2, notes: "It is Monday." }),
    );
    const scene = await new ThinkingScene({ models: [CHECKING], budgetTokens: 100_000 }).play(planned);
    expect(findRefusals(scene)).toEqual([]);
    for (const { prompt, sent } of scene.prompts) {
      expect(prompt.report.thinking).toEqual({ sentBlocks: sent, leftOut: [] });
    }
    expect(scene.prompts.map(({ sent }) => sent)).toEqual(scene.prompts.map(({ issuedBefore }) => issuedBefore));
    expect(scene.prompts.at(-1)?.sent).toBeGreaterThan(30);
  });
});

describe("laws 2 and 6 on recorded conversations", () => {
  beforeEach(skipWithoutData);

  test.each([
    ["a model that checks", CHECKING],
    ["a model without the check", UNCHECKED],
  ])("hold with %s", async (_, model) => {
    const broken: string[] = [];
    let [prompts, sent] = [0, 0];
    for (const { name, items } of everyNth(readClaudeCode(), 64)) {
      const scene = await new ThinkingScene({ models: [model], budgetTokens: 16_000 }).replay(firstOf(items, 230));
      for (const fault of [...findRefusals(scene), ...findUnnamedChanges(scene)]) broken.push(`${name}: ${fault}`);
      prompts += scene.prompts.length;
      sent += scene.prompts.reduce((sum, prompt) => sum + prompt.sent, 0);
    }
    expect(broken).toEqual([]);
    expect(prompts).toBeGreaterThan(100);
    expect(sent).toBeGreaterThan(100);
  });
});
