/**
 * Runs a fault in a small size for `npm test`, always with the same seed, so that a failure points to the change under
 * test. `PALIMPSEST_CRASH_ROUNDS` sets another size, with a new seed.
 */
import { expect } from "vitest";
import { describeFailedTally, type FaultOptions, type FaultResult } from "./fault.ts";

const BUSY_RECONNECT_MS = 60_000;
const SEED = 261_115;

export function smallSize({ rounds, longestMs }: Pick<FaultOptions, "rounds" | "longestMs">): FaultOptions {
  const { PALIMPSEST_CRASH_ROUNDS: asked } = process.env;
  const wanted = Number(asked ?? rounds);
  const seed = asked === undefined ? SEED : Date.now() % 1_000_000;
  const sizes = { rounds: wanted, longestMs: longestMs * Math.max(1, wanted / rounds) };
  return { ...sizes, seed, reconnectMs: BUSY_RECONNECT_MS, onProgress: () => undefined };
}

/** Checks that something was tested, without a violation. */
export function expectNoViolations(tally: FaultResult): void {
  expect(describeFailedTally(tally)).toBeUndefined();
  expect(tally.rounds).toBeGreaterThan(0);
  expect(tally.acknowledged).toBeGreaterThan(0);
  const { name, rounds, acknowledged, remarks = "" } = tally;
  process.stdout.write(`${name}: ${rounds} rounds, ${acknowledged} acknowledged, none lost. ${remarks}\n`);
}
