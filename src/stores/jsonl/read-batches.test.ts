import { describe, expect, test } from "vitest";
import { guessLostEntry } from "./read-batches.ts";

describe("a damaged line", () => {
  test.each([
    ['{"kind":"session","session":"s","format":1,"header":{"id":"s"'],
    ['{"kind":"head","session":"s","head":{"epoch":1#'],
    ['{"ki##":"head","session":"s","head":{"epoch":1}}'],
    ['{"kind":"counts","session":"s","counterId":"chars4","counts":[[1'],
    ['#"kind":"lease","session":"s","fence":3}'],
  ])("uses no seq if it contained no entry: %s", (line) => {
    expect(guessLostEntry(Buffer.from(line))).toBeUndefined();
  });

  test.each([
    ['{"kind":"entry","session":"s","entry":{"type":"request","id":"prompt_1","at":1,#'],
    ['{"kind":"entry","session":"s","entry":{"id":"n","type":"note","kind":"warning"#'],
  ])("counts as another entry if it contained no message: %s", (line) => {
    expect(guessLostEntry(Buffer.from(line))).toBe("other");
  });

  test.each([
    [
      "assistant",
      '{"kind":"entry","entry":{"type":"message","id":"m","message":{"id":"m","role":"assistant","parts":[#',
    ],
    ["user", '{"kind":"entry","entry":{"type":"message","id":"m","message":{"id":"m","role":"user","parts":[#'],
    ["user", '{"kind":"entry","entry":{"type":"message","message":{"role":"tool","parts":[{"role":"assistant"}]#'],
    ["user", '{"kind":"entry","entry":{"type":"mess#ge","message":{"parts":[{"input":{"type":"note"}}]}}'],
    ["user", "nothing that can be read"],
    ["user", ""],
  ])("counts as a message of the %s: %j", (role, line) => {
    expect(guessLostEntry(Buffer.from(line))).toBe(role);
  });

  test("counts as a message if it is too long to read", () => {
    expect(guessLostEntry(undefined)).toBe("user");
  });
});
