/** The sessions that left another one, as lists show them. Of very many the newest, so that no answer grows without end. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { SessionSummary } from "../../ports/store.ts";

const MOST_FORKS = 500;

/** Oldest first. */
export async function describeForks(engine: Palimpsest, id: string): Promise<readonly SessionSummary[]> {
  const forks: SessionSummary[] = [];
  // Ids of forks begin with the time that they were made at.
  for (const forkId of (await engine.forks(id)).toSorted().slice(-MOST_FORKS)) {
    const fork = await describe(engine, forkId);
    if (fork !== undefined) forks.push(fork);
  }
  return forks.toSorted((left, right) => left.createdAt - right.createdAt);
}

/** One may be deleted meanwhile, or not be there whole yet. */
async function describe(engine: Palimpsest, id: string): Promise<SessionSummary | undefined> {
  try {
    return await engine.describe(id);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return undefined;
    throw error;
  }
}
