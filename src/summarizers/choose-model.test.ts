import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { assumeModel } from "../core/budget/find-model.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import { shows } from "../testing/shows.ts";
import { chooseModel } from "./choose-model.ts";

const model = (id: string, given: Partial<ModelInfo> = {}): { readonly info: ModelInfo } => ({
  info: { ...assumeModel(id).info, windowTokens: 128_000, maxOutputTokens: 8_000, ...given, id },
});
const priced = (input: number) => ({ prices: { input, output: input * 4, cacheRead: input / 10, cacheWrite: input } });

const large = model("large", { ...priced(3), windowTokens: 200_000 });
const light = model("light", { ...priced(0.2), windowTokens: 16_000 });
const local = model("local");
const need = { inputTokens: 10_000, outputTokens: 1_000 };

describe("chooseModel", () => {
  test(shows("S4-77", "chooses the cheaper model if both fit"), () => {
    expect(chooseModel([large, light], need)).toEqual({
      type: "chosen",
      id: "light",
      reason: "It is the cheapest that fits, at about $0.0028.",
      isPreferred: false,
      skipped: [],
    });
  });

  test("follows the order of the caller's list, whatever the price", () => {
    const choice = chooseModel([light, large], { ...need, preference: ["large", "light"] });
    expect(choice).toMatchObject({ id: "large", reason: "It is the first of the preferred models." });
  });

  test("chooses the next model of the list if the first one's window is too small, and gives the reason", () => {
    const choice = chooseModel([light, large], { ...need, inputTokens: 15_001, preference: ["light", "large"] });
    expect(choice).toEqual({
      type: "chosen",
      id: "large",
      reason: "It is number 2 of the preferred models, and the first of them that fits.",
      isPreferred: true,
      skipped: [{ id: "light", reason: "It accepts 15000 tokens besides the answer, and the request has 15001." }],
    });
    const exact = { ...need, inputTokens: 15_000, preference: ["light", "large"] };
    expect(chooseModel([light, large], exact)).toMatchObject({ id: "light" });
  });

  test("chooses a model outside the list only if no model of the list is usable", () => {
    const choice = chooseModel([large, light], { ...need, preference: ["gone"] });
    expect(choice).toMatchObject({
      id: "light",
      skipped: [{ id: "gone", reason: "It is not among the given models." }],
    });
  });

  test("chooses a preferred model that fits only a chunk, even if another model has a larger window", () => {
    const tooMuch = { ...need, inputTokens: 1_000_000 };
    expect(chooseModel([large, light], tooMuch)).toMatchObject({ widestId: "large", isPreferred: false });
    const preferring = { ...tooMuch, preference: ["gone", "light"] };
    expect(chooseModel([large, light], preferring)).toMatchObject({ widestId: "light", isPreferred: true });
  });

  test("finds a preferred model by any spelling of its id", () => {
    const served = model("openai/gpt-5-mini");
    expect(chooseModel([large, served], { ...need, preference: ["gpt-5-mini"] })).toMatchObject({
      id: "openai/gpt-5-mini",
    });
  });

  test("skips a model whose breaker is open, and one whose output limit is too small", () => {
    const terse = model("terse", { maxOutputTokens: 500 });
    expect(chooseModel([{ ...light, available: false }, terse, large], need)).toMatchObject({
      id: "large",
      skipped: [
        { id: "light", reason: "It failed too often recently." },
        { id: "terse", reason: "It writes at most 500 tokens, and 1000 are needed." },
      ],
    });
  });

  test("chooses a model without a price last", () => {
    expect(chooseModel([local, large], need)).toMatchObject({ id: "large" });
    expect(chooseModel([local], need)).toMatchObject({ id: "local" });
  });

  test("returns the model with the largest window if none fits the whole request", () => {
    expect(chooseModel([light, large], { ...need, inputTokens: 1_000_000 })).toMatchObject({
      type: "none",
      widestId: "large",
    });
    expect(chooseModel([], need)).toEqual({ type: "none", widestId: undefined, isPreferred: false, skipped: [] });
  });

  test("never chooses a model that is too small for the request, and gives a reason for every skipped model", () => {
    const models = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom("a", "b", "c", "d", "e"),
        windowTokens: fc.integer({ min: 0, max: 3_000 }),
        maxInputTokens: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined }),
        maxOutputTokens: fc.integer({ min: 0, max: 2_000 }),
        price: fc.option(fc.double({ min: 0.01, max: 20, noNaN: true }), { nil: undefined }),
        available: fc.boolean(),
      }),
      { selector: ({ id }) => id },
    );
    const needs = fc.record({
      inputTokens: fc.integer({ min: 0, max: 3_000 }),
      outputTokens: fc.integer({ min: 0, max: 2_000 }),
      preference: fc.array(fc.constantFrom("a", "b", "c", "z"), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(models, needs, (given, work) => {
        const candidates = given.map(({ id, price, available, ...limits }) => ({
          ...model(id, { ...limits, ...(price === undefined ? {} : priced(price)) }),
          available,
        }));
        const choice = chooseModel(candidates, work);
        const passed = new Set(choice.skipped.map(({ id }) => id));
        if (choice.type === "none") expect(candidates.every(({ info }) => passed.has(info.id))).toBe(true);
        else {
          const chosen = given.find(({ id }) => id === choice.id);
          expect(passed.has(choice.id)).toBe(false);
          expect(chosen?.available).toBe(true);
          expect(work.inputTokens + work.outputTokens).toBeLessThanOrEqual(chosen?.windowTokens ?? 0);
          expect(work.inputTokens).toBeLessThanOrEqual(chosen?.maxInputTokens ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});
