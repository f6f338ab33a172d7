import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { hugeTexts } from "../../../testing/hostile-texts.ts";
import { extractClaims } from "./extract-claims.ts";

const claimsOf = (text: string): readonly string[] =>
  extractClaims(text).map(({ kind, keys }) => `${kind} ${keys.join("|")}`);

describe("extractClaims", () => {
  test.each([
    ["Ana moved src/server/Routes.ts.", ["path src/server/routes.ts"]],
    ["at (/app/src/index.ts:14:9)", ["path app/src/index.ts", "number 14", "number 9"]],
    ["See https://www.Example.com/docs?page=2#top.", ["url example.com/docs?page=2#top"]],
    ["order #A-20931, three of 1,204 rows (50 %)", ["identifier a-20931", "number 1204", "number 50%"]],
    ["2024-05-03T14:30:00Z, 3 May 2024 at 2 pm", ["date 2024-05-03", "time 14:30", "date 2024-05-03", "time 14:00"]],
    ["`camelCase` and snake_case, MAX_SIZE", ["identifier camelcase", "identifier snake_case", "identifier max_size"]],
    ["v1.2.3 then 1.2.4-beta", ["version 1.2.3", "version 1.2.4-beta"]],
    ["commit 8f3a2b1c", ["hash 8f3a2b1c"]],
    ["10ms, 5MB, 24k, the 3rd", ["number 10", "number 5", "number 24000", "number 3"]],
    ["C:\\new\\table and ./x and .env", ["path new/table", "path x", "path .env"]],
    ["key [secret:npm-token:a1b2c3]", ["secret secret:npm-token:a1b2c3"]],
    ["mail ana@example.com about pkg@2.0.1", ["identifier ana@example.com", "version 2.0.1"]],
    ["文件src/a.ts在", ["path src/a.ts"]],
  ])("finds the claims in %j", (text, expected) => {
    expect(claimsOf(text)).toEqual(expected);
  });

  test.each([
    "Plain words, Capitalised Words, and/or well-known TCP/IP.",
    "1. first\n2. second\n## 3. Third",
    "_emphasis_ and **bold** and JavaScript with Node.js",
    "… --- === ... (!) ???",
    "",
  ])("finds no claims in %j", (text) => {
    expect(claimsOf(text)).toEqual([]);
  });

  test("returns the offsets of each claim, in order and without overlap", () => {
    fc.assert(
      fc.property(texts(), (text) => {
        let end = 0;
        for (const claim of extractClaims(text)) {
          expect(text.slice(claim.start, claim.end)).toBe(claim.text);
          expect(claim.start).toBeGreaterThanOrEqual(end);
          expect(claim.keys.length).toBeGreaterThan(0);
          end = claim.end;
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  const repeated = ["-", "./", "1,", "123,", "a://", "a+a.", "12:", "3 May ", "1", "_", "[secret:", "a.b-"].map(
    (unit) => ({
      name: `a repetition of ${unit}`,
      build: () => unit.repeat(Math.ceil(1_000_000 / unit.length)),
    }),
  );
  test.each([...hugeTexts(), ...repeated])("reads $name in linear time", async ({ build }) => {
    const cost = (text: string) => cpuMsOf(() => extractClaims(text));
    expect(await growthOf(build(), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
