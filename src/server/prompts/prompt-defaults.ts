/** Defaults of prompts: the sample and its forks have instructions and a small window, other sessions none. */
import type { Palimpsest } from "../../engine/palimpsest.ts";

export interface PromptDefaults {
  readonly instructions?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly reserveTokens?: number | undefined;
}

interface RequestedSizes extends PromptDefaults {
  readonly budgetTokens?: number | undefined;
}

interface SessionOfTenant {
  readonly tenant: { readonly id: string; readonly engine: Palimpsest };
  readonly sessionId: string;
}

/** Returns the defaults of an existing session for what the request leaves out. */
export type FindDefaults = (session: SessionOfTenant, requested: RequestedSizes) => Promise<PromptDefaults>;

/** Ids of sample sessions start with this prefix. */
export const SAMPLE_PREFIX = "sample-";

/** Number of lookups whose result is remembered. The parent of a fork never changes. */
const MAX_REMEMBERED = 10_000;
/** Maximum number of parents to follow from a fork back to the sample. */
const DEEPEST = 20;

export function createFindDefaults(loadSample: () => Promise<PromptDefaults>): FindDefaults {
  const isSample = new Map<string, boolean>();
  const findOrigin = async ({ tenant, sessionId }: SessionOfTenant): Promise<boolean> => {
    const key = JSON.stringify([tenant.id, sessionId]);
    const known = isSample.get(key);
    if (known !== undefined) return known;
    const found = await isOfSample(tenant.engine, sessionId);
    if (isSample.size >= MAX_REMEMBERED) isSample.clear();
    isSample.set(key, found);
    return found;
  };
  return async (session, { instructions, ...requested }) => {
    if (!(await findOrigin(session))) return { instructions };
    const { windowTokens, reserveTokens, ...sample } = await loadSample();
    // A size in the request replaces the defaults.
    const sizes = [requested.windowTokens, requested.reserveTokens, requested.budgetTokens];
    const isSized = sizes.some((size) => size !== undefined);
    return { instructions: instructions ?? sample.instructions, ...(isSized ? {} : { windowTokens, reserveTokens }) };
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
