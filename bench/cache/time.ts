/** Pauses of users: mostly a minute, sometimes longer than any cache lifetime. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

const MINUTE_MS = 60_000;

export function pauseMs(random: SeededRandom): number {
  const kind = random.next();
  if (kind < 0.9) return Math.round(MINUTE_MS * (0.3 + 1.7 * random.next()));
  return Math.round(MINUTE_MS * (kind < 0.96 ? 4 : 12 + 30 * random.next()));
}

/** Duration of a tool call and its reply. */
export function roundMs(random: SeededRandom): number {
  return 3_000 + random.integer(20_000);
}
