import { describe, expect, test } from "vitest";
import { viewOf } from "../../../test/support/core-values.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { adaptSettingsToView, computeTargetTokens } from "./adapt-settings.ts";

const { aUserMessage, aRound } = messageBuilder();

describe("adaptSettingsToView", () => {
  test("an agent at work may have a larger summary of a small prompt", () => {
    const view = viewOf([aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }])]);
    expect(adaptSettingsToView(DEFAULT_POLICY, view)).toBe(DEFAULT_POLICY);
  });

  test("conversations between people keep more recent messages", () => {
    expect(adaptSettingsToView(DEFAULT_POLICY, viewOf([aUserMessage("Hello.")])).summary.smallTokens).toBe(0);
  });
});

describe("computeTargetTokens", () => {
  test.each([
    [4_000, 3_800],
    [8_000, 4_800],
    [40_000, 24_000],
    [100_000, 60_000],
  ])("of %i tokens %i: the share, and in a small prompt room for its summary and a tail", (limitTokens, expected) => {
    expect(computeTargetTokens(DEFAULT_POLICY, limitTokens)).toBe(expected);
  });

  test("is only the share if small prompts are treated like others", () => {
    const summary = { ...DEFAULT_POLICY.summary, smallTokens: 0 };
    expect(computeTargetTokens({ ...DEFAULT_POLICY, summary }, 4_000)).toBe(2_400);
  });
});
