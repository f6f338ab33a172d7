import { describe, expect, test } from "vitest";
import { viewOf } from "../../../test/support/core-values.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { adaptSettingsToView, computeTargetTokens } from "./adapt-settings.ts";

const { aUserMessage, aRound } = messageBuilder();

describe("adaptSettingsToView", () => {
  test("returns the settings unchanged for a conversation with tool calls", () => {
    const view = viewOf([aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }])]);
    expect(adaptSettingsToView(DEFAULT_POLICY, view)).toBe(DEFAULT_POLICY);
  });

  test("sets smallTokens to 0 for a conversation without tool calls", () => {
    expect(adaptSettingsToView(DEFAULT_POLICY, viewOf([aUserMessage("Hello.")])).summary.smallTokens).toBe(0);
  });
});

describe("computeTargetTokens", () => {
  test.each([
    [4_000, 3_800],
    [8_000, 4_800],
    [40_000, 24_000],
    [100_000, 60_000],
  ])(
    "turns a limit of %i tokens into a target of %i, with room for the summary and a tail",
    (limitTokens, expected) => {
      expect(computeTargetTokens(DEFAULT_POLICY, limitTokens)).toBe(expected);
    },
  );

  test("returns limit × targetRatio if smallTokens is 0", () => {
    const summary = { ...DEFAULT_POLICY.summary, smallTokens: 0 };
    expect(computeTargetTokens({ ...DEFAULT_POLICY, summary }, 4_000)).toBe(2_400);
  });
});
