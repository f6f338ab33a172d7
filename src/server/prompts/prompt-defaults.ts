/**
 * What a prompt of a session is made with where a request does not say: for the sample and what was forked from it its
 * own instructions and its window, which is small so that it is seen to fold, in whatever way and from whichever browser
 * somebody looks at it; nothing for every other.
 */
import type { Palimpsest } from "../../engine/palimpsest.ts";

export interface PromptDefaults {
  readonly instructions?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly reserveTokens?: number | undefined;
}

interface Asked extends PromptDefaults {
  readonly budgetTokens?: number | undefined;
}

export interface DefaultsPlace {
  readonly tenant: { readonly id: string; readonly engine: Palimpsest };
  readonly sessionId: string;
}

/** What a session that is there is prompted with, given what a request says of it. */
export type FindDefaults = (place: DefaultsPlace, asked: Asked) => Promise<PromptDefaults>;

/** Sessions of the sample are known by their ids. */
export const SAMPLE_PREFIX = "sample-";

/** Where a session goes on from never changes, so that it is looked up once. */
const MOST_REMEMBERED = 10_000;
/** Forks of forks; nobody goes further with a sample. */
const DEEPEST = 20;

export function createFindDefaults(loadSample: () => Promise<PromptDefaults>): FindDefaults {
  const isSample = new Map<string, boolean>();
  const look = async ({ tenant, sessionId }: DefaultsPlace): Promise<boolean> => {
    const key = JSON.stringify([tenant.id, sessionId]);
    const known = isSample.get(key);
    if (known !== undefined) return known;
    const found = await isOfSample(tenant.engine, sessionId);
    if (isSample.size >= MOST_REMEMBERED) isSample.clear();
    isSample.set(key, found);
    return found;
  };
  return async (place, { instructions, ...named }) => {
    if (!(await look(place))) return { instructions };
    const { windowTokens, reserveTokens, ...sample } = await loadSample();
    // Whoever names a size means that one.
    const sizes = [named.windowTokens, named.reserveTokens, named.budgetTokens];
    const isSized = sizes.some((size) => size !== undefined);
    return {
      instructions: instructions ?? sample.instructions,
      ...(isSized ? {} : { windowTokens, reserveTokens }),
    };
  };
}

async function isOfSample(engine: Palimpsest, sessionId: string): Promise<boolean> {
  let id: string | undefined = sessionId;
  for (let depth = 0; id !== undefined && depth < DEEPEST; depth += 1) {
    if (id.startsWith(SAMPLE_PREFIX)) return true;
    id = (await engine.describe(id)).fork?.parentId;
  }
  return false;
}
