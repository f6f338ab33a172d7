import { expect } from "vitest";
import type { FitResult } from "../../src/index.ts";

/** Checks that a plan names each of this many messages once. */
export function expectEachFate({ report }: Pick<FitResult<unknown>, "report">, messages: number): void {
  const places = report.plan.runs.flatMap(({ firstSeq, lastSeq }) =>
    Array.from({ length: lastSeq - firstSeq + 1 }, (_, index) => firstSeq + index),
  );
  expect(places.toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: messages }, (_, index) => index + 1),
  );
}
