import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { texts } from "../../testing/generate-texts.ts";
import { shows } from "../../testing/shows.ts";
import { NO_BOUNDARY, parseTopicBoundary } from "./topic-boundary.ts";

const ANSWER = {
  boundary_index: 12,
  boundary_reason: "the invoices",
  confidence: 0.8,
  summary: "The ledger was built.",
};
const FOUND = { boundaryIndex: 12, boundaryReason: "the invoices", confidence: 0.8, summary: "The ledger was built." };
const parse = (answer: unknown, messageCount = 40) =>
  parseTopicBoundary(typeof answer === "string" ? answer : JSON.stringify(answer), { messageCount });

describe("parseTopicBoundary", () => {
  test(
    shows(
      ["S3-128", "S3-63"],
      "parses clean, fenced and incomplete JSON and a null boundary, and returns no boundary for other texts",
    ),
    () => {
      expect(parse(ANSWER)).toEqual(FOUND);
      expect(parse({ ...ANSWER, boundary_index: null })).toEqual({ ...FOUND, boundaryIndex: null });
      expect(parse(`\`\`\`json\n${JSON.stringify(ANSWER, null, 2)}\n\`\`\``)).toEqual(FOUND);
      expect(parse(`The boundary: ${JSON.stringify(ANSWER)} I hope it helps.`)).toEqual(FOUND);
      const partial =
        '{"boundary_index": 12, "confidence": 0.8, "boundary_reason": "the invoices", "summary": "The led';
      expect(parse(partial)).toEqual({ ...FOUND, summary: "" });
      expect(parse('{"boundary_index": null, "confidence": 0.7,')).toMatchObject({
        boundaryIndex: null,
        confidence: 0.7,
      });
      for (const invalid of ["", "no idea", "{}", "[12]", "null", '{"confidence": 0.9', "<html>502</html>"]) {
        expect(parse(invalid), invalid).toEqual(NO_BOUNDARY);
      }
      expect(NO_BOUNDARY).toMatchObject({ boundaryIndex: null, confidence: 0 });
    },
  );

  test(shows("S3-64", "returns no boundary for an index that was not shown or is not an integer"), () => {
    for (const index of [-1, 40, 1e9, 2.5, "12", true, [12]]) {
      expect(parse({ ...ANSWER, boundary_index: index }), String(index)).toEqual(NO_BOUNDARY);
    }
    expect(parse(ANSWER, 63)).toEqual(NO_BOUNDARY);
    expect(parse(ANSWER, 62)).toEqual(FOUND);
  });

  test("returns a confidence of 0 if the confidence is invalid", () => {
    for (const confidence of [90, -1, "0.9", null, undefined]) {
      expect(parse({ ...ANSWER, confidence }).confidence).toBe(0);
    }
    expect(parse('{"boundary_index": 12, "boundary_reason": "th').confidence).toBe(0);
    expect(parse('{"boundary_index": 12, "confidence": 85, "boundary_reason": "th').confidence).toBe(0);
  });

  test("does not read fields inside quoted text", () => {
    expect(parse('{"boundary_reason": "he wrote \\"boundary_index\\": 12 and \\"confidence\\": 0.9')).toEqual(
      NO_BOUNDARY,
    );
  });

  test("returns an index that was shown or null, and a confidence from 0 to 1, for any answer", () => {
    const pieces = fc.oneof(
      texts(),
      fc.json(),
      fc.constantFrom('{"boundary_index":', "12", "99", ',"confidence":', "0.9", "}"),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), fc.integer({ min: 0, max: 100 }), (answer, messageCount) => {
        const { boundaryIndex, confidence } = parse(answer.join(""), messageCount);
        if (boundaryIndex !== null) expect(boundaryIndex).toBeLessThan(messageCount);
        if (boundaryIndex !== null) expect(boundaryIndex).toBeGreaterThanOrEqual(messageCount - 50);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
