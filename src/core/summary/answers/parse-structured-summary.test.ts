import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { shows } from "../../../testing/shows.ts";
import { parseStructuredSummary, type StructuredSummary } from "./parse-structured-summary.ts";

const FULL: StructuredSummary = {
  summary: "The ledger moved to SQLite.",
  keyPoints: ["1,204 rows are left in src/ledger.ts"],
  context: {
    participants: ["Ana"],
    decisions: ["use SQLite 3.45.1"],
    actionItems: [{ task: "migrate the rows", owner: "Ana", due: "2024-05-03" }, { task: "tell the team" }],
    unresolved: ["who owns the backup?"],
    domainEntities: ["src/ledger.ts", "openLedger(path: string): Ledger"],
  },
};
const json = JSON.stringify(FULL);
const NOTHING = { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] };

const readOf = (answer: string): StructuredSummary | undefined => {
  const outcome = parseStructuredSummary(answer);
  return outcome.type === "ok" ? outcome.value : undefined;
};
const reasonOf = (value: unknown): string => {
  const outcome = parseStructuredSummary(typeof value === "string" ? value : JSON.stringify(value));
  return outcome.type === "ok" ? "ok" : outcome.reason;
};

describe("parseStructuredSummary", () => {
  test(shows("S4-61", "returns technical identifiers and decisions unchanged"), () => {
    expect(readOf(json)).toEqual(FULL);
  });

  test("parses JSON in a code fence, inside prose, after reasoning, and on several lines", () => {
    const answers = [
      `\`\`\`json\n${JSON.stringify(FULL, null, 2)}\n\`\`\``,
      `Here is the summary you "asked" for:\n\n${json}\n\nLet me know.`,
      `<think>{"summary": "draft"} is too short</think>\n${json}`,
      `A draft: {"summary":"draft"}\nThe answer:\n\`\`\`\n${json}\n\`\`\``,
      `\ufeff${json}`,
    ];
    for (const answer of answers) expect(readOf(answer), answer).toEqual(FULL);
  });

  test(shows("S4-62", "returns empty arrays for lists that are absent, null or empty"), () => {
    const bare = { summary: "Small talk.", keyPoints: [], context: NOTHING };
    expect(readOf(JSON.stringify(bare))).toEqual(bare);
    expect(readOf('{"summary":"Small talk."}')).toEqual(bare);
    expect(readOf('{"summary":"Small talk.","keyPoints":null,"context":{"decisions":null}}')).toEqual(bare);
  });

  test(shows("S4-64", "returns malformed for JSON that is invalid or cut off at any place"), () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: json.length - 1 }), (length) => {
        expect(parseStructuredSummary(json.slice(0, length)).type).toBe("malformed");
      }),
      { numRuns: propertyRuns() },
    );
    expect(reasonOf(json.slice(0, -1))).toBe("the JSON is cut off");
    expect(reasonOf(`{"summary":"a draft"} and then ${json.slice(0, 60)}`)).toBe("the JSON is cut off");
    expect(reasonOf("{'summary': 'single quotes'}")).toBe("the JSON is invalid");
    expect(reasonOf("I have no summary.")).toBe("the answer has no JSON object");
    expect(reasonOf(" ")).toBe("the answer is empty");
  });

  test(shows("S4-48", "checks texts and lists against their limits, and names the path of the fault"), () => {
    const list = (count: number, length = 1) => Array.from({ length: count }, () => "x".repeat(length));
    const withContext = (context: object) => ({ summary: "fine", context });
    expect(reasonOf({ summary: "x".repeat(5_000), keyPoints: list(30, 500) })).toBe("ok");
    const largest = { participants: list(30), decisions: list(50), unresolved: list(50), domainEntities: list(80) };
    const items = Array.from({ length: 50 }, () => ({
      task: "x".repeat(400),
      owner: "x".repeat(60),
      due: "x".repeat(60),
    }));
    expect(reasonOf(withContext({ ...largest, actionItems: items }))).toBe("ok");
    const faults: readonly (readonly [object, string])[] = [
      [{ summary: "x".repeat(5_001) }, "summary: expected a text of 1 to 5000 characters, got 5001 characters"],
      [{ summary: " " }, "summary: expected a text of 1 to 5000 characters, got 0 characters"],
      [{ keyPoints: [] }, "summary: expected a text of 1 to 5000 characters, got nothing"],
      [{ summary: "fine", keyPoints: list(31) }, "keyPoints: expected at most 30 items, got 31"],
      [
        { summary: "fine", keyPoints: ["ok", ""] },
        "keyPoints[1]: expected a text of 1 to 500 characters, got 0 characters",
      ],
      [{ summary: "fine", keyPoints: "one" }, "keyPoints: expected an array, got 3 characters"],
      [withContext({ participants: list(31) }), "context.participants: expected at most 30 items, got 31"],
      [withContext({ decisions: list(51) }), "context.decisions: expected at most 50 items, got 51"],
      [withContext({ unresolved: list(51) }), "context.unresolved: expected at most 50 items, got 51"],
      [withContext({ domainEntities: list(81) }), "context.domainEntities: expected at most 80 items, got 81"],
      [withContext({ actionItems: list(51) }), "context.actionItems: expected at most 50 items, got 51"],
      [
        withContext({ actionItems: [{ task: "x".repeat(401) }] }),
        "context.actionItems[0].task: expected a text of 1 to 400 characters, got 401 characters",
      ],
      [
        withContext({ actionItems: [{ task: "ok", due: "x".repeat(61) }] }),
        "context.actionItems[0].due: expected a text of 1 to 60 characters, got 61 characters",
      ],
      [withContext([]), "context: expected an object"],
    ];
    for (const [value, reason] of faults) expect(reasonOf(value)).toBe(reason);
  });

  test("parses older records: snake_case names, lists at the top level, action items as plain text", () => {
    const legacy = {
      id: "f3b1",
      timestamp: 1_700_000_000_000,
      depth: 0,
      originalMessageIds: ["m1"],
      summary: "The ledger moved.",
      key_points: ["rows are left"],
      decisions: ["use SQLite"],
      action_items: ["migrate the rows", { task: "tell the team", owner: null, due: "" }],
    };
    expect(readOf(JSON.stringify(legacy))).toEqual({
      summary: "The ledger moved.",
      keyPoints: ["rows are left"],
      context: {
        ...NOTHING,
        decisions: ["use SQLite"],
        actionItems: [{ task: "migrate the rows" }, { task: "tell the team" }],
      },
    });
  });

  test("ignores inherited properties", () => {
    expect(reasonOf('{"__proto__":{"summary":"inherited"}}')).toContain("summary: expected a text");
  });

  test("returns an excerpt of a malformed answer: 200 characters without control characters or secrets", () => {
    const answer = `\u001b[31mNo\u0000 JSON:\r\nsk-proj-a1B2c3D4e5F6g7H8i9J0 password: hunter2, ${"word ".repeat(100)}`;
    const outcome = parseStructuredSummary(answer);
    expect(outcome.type).toBe("malformed");
    const excerpt = outcome.type === "malformed" ? outcome.excerpt : "";
    expect(excerpt).toMatch(
      /^\[31mNo JSON: \[secret:[a-z-]+:[0-9a-f]{6}\] password: \[secret:password:[0-9a-f]{6}\], word word/,
    );
    expect(excerpt).toHaveLength(200);
  });

  test("redacts a secret before it cuts the excerpt", () => {
    const answer = `${"a ".repeat(95)}ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 and more`;
    const outcome = parseStructuredSummary(answer);
    expect(outcome).toMatchObject({ type: "malformed", excerpt: `${"a ".repeat(95)}[secret:gi` });
  });

  test("never throws, and returns an excerpt of one line with at most 200 characters", () => {
    const answers = fc.array(
      fc.oneof(texts({ longestCharacters: 2_000 }), fc.constantFrom("{", "}", '"', "\\", json, json.slice(9, 70))),
      {
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(answers, (pieces) => {
        const outcome = parseStructuredSummary(pieces.join(""));
        if (outcome.type === "ok") return;
        expect(outcome.excerpt.length).toBeLessThanOrEqual(200);
        expect(outcome.excerpt).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test.each(["{", "{}", '{"', "[", '"', "\\"])("rejects a long repetition of %j in linear time", async (piece) => {
    const cost = (text: string) => cpuMsOf(() => expect(parseStructuredSummary(text).type).toBe("malformed"));
    expect(await growthOf(piece.repeat(Math.floor(1_000_000 / piece.length)), cost)).toBeLessThan(LINEAR_GROWTH);
  });

  test("rejects fifty megabytes of opening braces", () => {
    expect(parseStructuredSummary("{".repeat(50_000_000)).type).toBe("malformed");
  });
});
