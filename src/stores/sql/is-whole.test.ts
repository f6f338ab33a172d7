import { describe, expect, test } from "vitest";
import { isWholeMessage } from "./is-whole.ts";

const whole = {
  id: "m",
  role: "tool",
  parts: [
    { type: "text", text: "Words." },
    { type: "tool-result", callId: "c", output: { type: "parts", parts: [{ type: "text", text: "Inner." }] } },
    { type: "tool-result", callId: "d", output: { type: "json", value: null } },
    { type: "unknown", format: "f", value: 1 },
  ],
};

describe("a message in which a byte was changed", () => {
  test("is whole while everything has its shape", () => {
    expect(isWholeMessage(whole)).toBe(true);
  });

  test.each(["parts", "text", "output", "type"])("is not when the key %s was hurt", (key) => {
    const hurt = JSON.stringify(whole).replace(`"${key}":`, `"${key.slice(1)}~":`);
    expect(isWholeMessage(JSON.parse(hurt))).toBe(false);
  });

  test("is not when it is no message at all", () => {
    for (const value of [null, undefined, 7, [], { parts: {} }, { parts: [null] }, { parts: [3] }])
      expect(isWholeMessage(value as never)).toBe(false);
  });
});
