import { describe, expect, test } from "vitest";
import { guard, readBytes, readJson, readNumberColumn, readTextColumn, sql } from "./driver.ts";

describe("the sql tag", () => {
  test("keeps values out of the text", () => {
    const statement = sql`SELECT ${"a'; DROP TABLE x; --"} AS a, ${1} AS b`;
    expect(statement).toEqual({ strings: ["SELECT ", " AS a, ", " AS b"], values: ["a'; DROP TABLE x; --", 1] });
  });

  test("inlines a nested statement with its values in order", () => {
    const inner = sql`b = ${2} AND c = ${null}`;
    const outer = sql`WHERE a = ${1} AND ${inner} AND ${sql`true`} AND d = ${3}`;
    expect(outer.strings.join("?")).toBe("WHERE a = ? AND b = ? AND c = ? AND true AND d = ?");
    expect(outer.values).toEqual([1, 2, null, 3]);
  });

  test("accepts bytes as a value", () => {
    const bytes = Uint8Array.of(1, 2);
    expect(sql`SELECT ${bytes} AS a`).toEqual({ strings: ["SELECT ", " AS a"], values: [bytes] });
  });

  test("guard() marks a statement as a guard", () => {
    expect(guard(sql`SELECT 1`)).toEqual({ strings: ["SELECT 1"], values: [], isGuard: true });
  });
});

describe("reading a row", () => {
  const row = { text: "a", number: 1, nothing: null, json: '{"a":1}', broken: '{"a' };

  test("readers return the value of a column", () => {
    expect([readTextColumn(row, "text"), readNumberColumn(row, "number"), readJson(row, "json")]).toEqual([
      "a",
      1,
      { a: 1 },
    ]);
  });

  test.each([
    ["a missing text", () => readTextColumn(row, "nothing")],
    ["a text instead of a number", () => readNumberColumn(row, "text")],
    ["broken JSON", () => readJson(row, "broken")],
    ["a text instead of bytes", () => readBytes(row, "text")],
  ])("readers report a damaged database for %s", (_, read) => {
    expect(read).toThrow(
      expect.objectContaining({ code: "store-unavailable", details: { reason: "corrupt" }, retryable: false }),
    );
  });
});
