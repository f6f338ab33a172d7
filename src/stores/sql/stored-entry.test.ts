import { describe, expect, test } from "vitest";
import { isWholeMessage } from "./stored-entry.ts";

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

describe("isWholeMessage", () => {
  test("a message with all of its keys is whole", () => {
    expect(isWholeMessage(whole)).toBe(true);
  });

  test.each(["parts", "text", "output", "type"])("a message with a damaged key %s is not whole", (key) => {
    const hurt = JSON.stringify(whole).replace(`"${key}":`, `"${key.slice(1)}~":`);
    expect(isWholeMessage(JSON.parse(hurt))).toBe(false);
  });

  test("a value that is not a message is not whole", () => {
    for (const value of [null, undefined, 7, [], { parts: {} }, { parts: [null] }, { parts: [3] }])
      expect(isWholeMessage(value as never)).toBe(false);
  });
});
