import { describe, expect, test } from "vitest";
import { guard, readBytes, readJson, readNumber, readText, sql } from "./driver.ts";

describe("sql", () => {
  test("keeps values out of the text", () => {
    const statement = sql`SELECT ${"a'; DROP TABLE x; --"} AS a, ${1} AS b`;
    expect(statement).toEqual({ strings: ["SELECT ", " AS a, ", " AS b"], values: ["a'; DROP TABLE x; --", 1] });
  });

  test("puts a statement into another with its values, in order", () => {
    const inner = sql`b = ${2} AND c = ${null}`;
    const outer = sql`WHERE a = ${1} AND ${inner} AND ${sql`true`} AND d = ${3}`;
    expect(outer.strings.join("?")).toBe("WHERE a = ? AND b = ? AND c = ? AND true AND d = ?");
    expect(outer.values).toEqual([1, 2, null, 3]);
  });

  test("takes bytes for a value", () => {
    const bytes = Uint8Array.of(1, 2);
    expect(sql`SELECT ${bytes} AS a`).toEqual({ strings: ["SELECT ", " AS a"], values: [bytes] });
  });

  test("marks a guard", () => {
    expect(guard(sql`SELECT 1`)).toEqual({ strings: ["SELECT 1"], values: [], isGuard: true });
  });
});

describe("reading a row", () => {
  const row = { text: "a", number: 1, nothing: null, json: '{"a":1}', broken: '{"a' };

  test("gives what is there", () => {
    expect([readText(row, "text"), readNumber(row, "number"), readJson(row, "json")]).toEqual(["a", 1, { a: 1 }]);
  });

  test.each([
    ["no text", () => readText(row, "nothing")],
    ["no number", () => readNumber(row, "text")],
    ["no JSON", () => readJson(row, "broken")],
    ["nothing in bytes", () => readBytes(row, "text")],
  ])("says that the database is damaged where there is %s", (_, read) => {
    expect(read).toThrow(
      expect.objectContaining({ code: "store-unavailable", details: { reason: "corrupt" }, retryable: false }),
    );
  });
});
