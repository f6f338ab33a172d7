import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import {
  applyCalibration,
  type Calibration,
  HIGHEST_FACTOR,
  LOWEST_FACTOR,
  learnCalibration,
  startCalibration,
  type UsageReport,
} from "./calibration.ts";

const ratios = fc.double({ min: LOWEST_FACTOR, max: HIGHEST_FACTOR, noNaN: true });
const counted = fc.integer({ min: 1_000, max: 200_000 });

function learnAll(start: Calibration, reports: readonly UsageReport[]): Calibration {
  return reports.reduce(learnCalibration, start);
}

describe("learnCalibration", () => {
  test("learns a constant ratio to within 3 %", () => {
    fc.assert(
      fc.property(ratios, ratios, fc.array(counted, { minLength: 30, maxLength: 60 }), (start, ratio, sizes) => {
        const reports = sizes.map((size) => ({ countedTokens: size, reportedTokens: Math.round(size * ratio) }));
        const { factor } = learnAll(startCalibration(start), reports);
        expect(Math.abs(factor / ratio - 1)).toBeLessThan(0.03);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("keeps the factor between 0.5 and 2, for any reports", () => {
    const anything = fc.record({
      countedTokens: fc.oneof(fc.double(), fc.integer()),
      reportedTokens: fc.oneof(fc.double(), fc.integer(), fc.constant(undefined)),
    });
    fc.assert(
      fc.property(
        fc.double(),
        fc.array(fc.oneof(anything, fc.record({ countedTokens: counted, reportedTokens: counted }))),
        (start, reports) => {
          const { factor, learned } = learnAll(startCalibration(start), reports);
          for (const value of [factor, learned]) {
            expect(value).toBeGreaterThanOrEqual(LOWEST_FACTOR);
            expect(value).toBeLessThanOrEqual(HIGHEST_FACTOR);
          }
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("changes the factor by at least 2 % or not at all", () => {
    fc.assert(
      fc.property(
        ratios,
        fc.array(fc.record({ countedTokens: counted, reportedTokens: counted })),
        (start, reports) => {
          let calibration = startCalibration(start);
          for (const report of reports) {
            const next = learnCalibration(calibration, report);
            const move = Math.abs(next.factor / calibration.factor - 1);
            expect(move === 0 || move >= 0.02).toBe(true);
            calibration = next;
          }
        },
      ),
      { numRuns: propertyRuns() },
    );
  });

  test("ignores usage that is absent, zero or implausible", () => {
    const start = startCalibration(1.25);
    for (const reportedTokens of [undefined, 0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1, 100_000]) {
      expect(learnCalibration(start, { countedTokens: 10_000, reportedTokens })).toBe(start);
    }
    expect(learnCalibration(start, { countedTokens: 0, reportedTokens: 500 })).toBe(start);
    expect(learnCalibration(start, { countedTokens: 12, reportedTokens: 30 })).toBe(start);
  });

  test("moves the factor by a fifth of the difference with each report", () => {
    const next = learnCalibration(startCalibration(1), { countedTokens: 1_000, reportedTokens: 1_500 });
    expect(next.factor).toBeCloseTo(1.1, 10);
    expect(next.samples).toBe(1);
  });
});

describe("applyCalibration", () => {
  test("rounds up, so that no count is too low", () => {
    expect(applyCalibration(startCalibration(1.25), 1)).toBe(2);
    expect(applyCalibration(startCalibration(1), 7)).toBe(7);
  });
});
