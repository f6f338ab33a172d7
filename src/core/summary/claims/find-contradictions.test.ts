import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { hugeTexts } from "../../../testing/hostile-texts.ts";
import { createContradictionFinder } from "./find-contradictions.ts";

const SOURCE =
  "The nightly import of invoices did not finish in time. Telemetry is enabled by default in the desktop client. " +
  "We will not ship the mobile release in June. All integration tests of the parser failed on Windows.\n" +
  "Never:\n- Skip the second review of a merge request";

const flipped = (summary: string, source = SOURCE): readonly string[] => {
  const finder = createContradictionFinder(summary);
  finder.add(source);
  return finder.result().flipped.map(({ text }) => text);
};

describe("createContradictionFinder", () => {
  test.each([
    "The nightly import of invoices finished in time.",
    "Telemetry is disabled by default in the desktop client.",
    "They will ship the mobile release in June.",
    "All integration tests of the parser passed on Windows.",
  ])("reports a sentence that contradicts the source: %s", (summary) => {
    expect(flipped(summary)).toEqual([summary]);
  });

  test.each([
    "The nightly import of invoices did not finish in time.",
    "- user: Telemetry is enabled by default in the desktop client.",
    "The import of invoices runs every night.",
    "If the nightly import of invoices finishes in time, good.",
    "Did the nightly import of invoices finish in time?",
    "Never: Skip the second review of a merge request",
    "The yearly export of contracts finished in time.",
  ])("does not report: %s", (summary) => {
    expect(flipped(summary)).toEqual([]);
  });

  test("does not report a sentence if the source states both it and its opposite", () => {
    const later = `${SOURCE}. All integration tests of the parser passed on Windows.`;
    expect(flipped("All integration tests of the parser passed on Windows.", later)).toEqual([]);
    expect(flipped("All integration tests of the parser failed on Windows.", later)).toEqual([]);
  });

  test("counts the sentences that restate a sentence of the source", () => {
    const finder = createContradictionFinder(
      "The nightly import of invoices did not finish in time. Something else entirely here, yes.",
    );
    finder.add(SOURCE);
    expect(finder.result()).toEqual({ restated: 1, flipped: [] });
  });

  test.each(hugeTexts())("reads $name in linear time", async ({ build }) => {
    const cost = (text: string) =>
      cpuMsOf(() => {
        const finder = createContradictionFinder(text);
        finder.add(text);
        expect(finder.result().flipped).toEqual([]);
      });
    expect(await growthOf(build(), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
