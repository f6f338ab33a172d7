import { describe, expect, test } from "vitest";
import { kindOfLost, lostRole } from "./lost-line.ts";
import { HOLE } from "./stored-line.ts";

const roleOf = (line: string): string | undefined => lostRole(kindOfLost(Buffer.from(line)) ?? HOLE);

describe("a damaged line", () => {
  test.each([
    ['{"kind":"session","session":"s","format":1,"header":{"id":"s"'],
    ['{"kind":"head","session":"s","head":{"epoch":1#'],
    ['{"ki##":"head","session":"s","head":{"epoch":1}}'],
    ['{"kind":"counts","session":"s","counterId":"chars4","counts":[[1'],
    ['#"kind":"lease","session":"s","fence":3}'],
  ])("takes no place where it was no entry: %s", (line) => {
    expect(kindOfLost(Buffer.from(line))).toBeUndefined();
  });

  test.each([
    ['{"kind":"entry","session":"s","entry":{"type":"request","id":"prompt_1","at":1,#'],
    ['{"kind":"entry","session":"s","entry":{"id":"n","type":"note","kind":"warning"#'],
  ])("shows nothing where it was an entry and no message: %s", (line) => {
    expect(kindOfLost(Buffer.from(line))).toBe(HOLE);
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
  ])("is taken for a message of the %s: %s", (role, line) => {
    expect(roleOf(line)).toBe(role);
  });

  test("that is too long to be read is taken for a message", () => {
    expect(lostRole(kindOfLost(undefined) ?? HOLE)).toBe("user");
  });
});
