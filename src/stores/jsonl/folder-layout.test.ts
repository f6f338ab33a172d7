import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { texts } from "../../testing/generate-texts.ts";
import { safeName } from "./folder-layout.ts";

describe("safeName", () => {
  test("turns every id into a file name of plain characters, without a path", () => {
    fc.assert(
      fc.property(texts({ longestCharacters: 300 }), (id) => {
        expect(safeName(id)).toMatch(/^(?:[a-z0-9_][a-z0-9_-]*-)?[0-9a-f]{32}$/);
        expect(safeName(id).length).toBeLessThanOrEqual(80);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("gives different names to ids that differ in case, Unicode form or lone surrogates, even on case-insensitive disks", () => {
    const ids = [
      "a",
      "A",
      "é",
      "e\u0301",
      "\ud800",
      "\ud801",
      "\ufffd",
      "",
      ".",
      "..",
      "../a",
      "a/b",
      "a\\b",
      "CON",
      "con",
      "a ",
      " a",
    ];
    const names = ids.map((id) => safeName(id).toLowerCase());
    expect(new Set(names).size).toBe(ids.length);
  });

  test("starts the name of a plain id with the id", () => {
    expect(safeName("sess_1712000000000_abc123")).toMatch(/^sess_1712000000000_abc123-/);
  });
});
