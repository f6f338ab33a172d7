/** A fault in the size that `npm test` has time for; `PALIMPSEST_CRASH_ROUNDS` asks for another. */
import { expect } from "vitest";
import { complaintOf, type FaultOptions, type Tally } from "./fault.ts";

export function smallSize({ rounds, longestMs }: Pick<FaultOptions, "rounds" | "longestMs">): FaultOptions {
  const wanted = Number(process.env.PALIMPSEST_CRASH_ROUNDS ?? rounds);
  const seed = Date.now() % 1_000_000;
  return { rounds: wanted, longestMs: longestMs * Math.max(1, wanted / rounds), seed, onProgress: () => undefined };
}

/** Something happened, and nothing of it is bad. */
export function expectNoHarm(tally: Tally): void {
  expect(complaintOf(tally)).toBeUndefined();
  expect(tally.rounds).toBeGreaterThan(0);
  expect(tally.acknowledged).toBeGreaterThan(0);
  const { name, rounds, acknowledged, remarks = "" } = tally;
  process.stdout.write(`${name}: ${rounds} rounds, ${acknowledged} acknowledged, none lost. ${remarks}\n`);
}
