/** How long people think: mostly a minute, sometimes longer than any provider remembers. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

const MINUTE_MS = 60_000;

export function pauseMs(random: SeededRandom): number {
  const kind = random.next();
  if (kind < 0.9) return Math.round(MINUTE_MS * (0.3 + 1.7 * random.next()));
  return Math.round(MINUTE_MS * (kind < 0.96 ? 4 : 12 + 30 * random.next()));
}

/** A tool and the reply that asked for it. */
export function roundMs(random: SeededRandom): number {
  return 3_000 + random.integer(20_000);
}
