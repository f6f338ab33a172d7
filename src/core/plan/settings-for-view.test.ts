import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { viewOf } from "../../testing/view-of.ts";
import { settingsForView } from "./settings-for-view.ts";

const { aUserMessage, aRound } = messageBuilder();

describe("settingsForView", () => {
  test("an agent at work may have a larger summary of a small prompt", () => {
    const view = viewOf([aUserMessage("Look."), ...aRound([{ callId: "a", output: "1" }])]);
    expect(settingsForView(DEFAULT_POLICY, view)).toBe(DEFAULT_POLICY);
  });

  test("people who talk keep more of what was said last", () => {
    expect(settingsForView(DEFAULT_POLICY, viewOf([aUserMessage("Hello.")])).summary.smallTokens).toBe(0);
  });
});
