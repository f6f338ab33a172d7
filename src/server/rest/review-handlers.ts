/** Handlers that look back at sessions: branches, usage, the last prompt, search. They translate and delegate. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { SessionSummary } from "../../ports/store.ts";
import type { REVIEW_ROUTES, SEARCH_ROUTES } from "../../protocol/review-routes.ts";
import type { Handlers } from "../app/handler.ts";
import type { ServerParts } from "./server-parts.ts";
import { renderFor } from "./shape-answers.ts";

type Name = keyof typeof REVIEW_ROUTES | keyof typeof SEARCH_ROUTES;

/** The newest forks that are listed, so that the answer stays bounded. */
const MAX_FORKS = 500;

export function createReviewHandlers({ prompts }: ServerParts): Handlers<Name> {
  return {
    listForks: async ({ engine, params }) => {
      await engine.describe(params.id);
      return { sessions: await describeForks(engine, params.id) };
    },
    listBranches: async ({ engine, params }) => ({ branches: await engine.branches(params.id) }),
    readUsage: async ({ engine, params, query }) => (await engine.load(params.id)).usage(query),
    readLastPrompt: async ({ engine, tenant, params, query }) => {
      const { prompt, ...last } = (await prompts.find(tenant.id, await engine.load(params.id))) ?? {};
      return { ...last, ...(prompt === undefined ? {} : { prompt: renderFor(prompt, query.provider) }) };
    },
    recall: async ({ engine, query }) => {
      const { query: text, sessions, ...options } = query;
      return engine.recall(text, { ...options, sessions: sessions?.split(",").filter((id) => id !== "") });
    },
    recallSession: async ({ engine, params, query }) => {
      const { budgetTokens, limit, onlyHidden, ...target } = query;
      return (await engine.load(params.id)).recall(target, { budgetTokens, limit, onlyHidden });
    },
    search: async ({ engine, query }) => {
      const { query: text, ...options } = query;
      return { hits: await engine.search(text, options) };
    },
    searchSession: async ({ engine, params, query }) => {
      const { query: text, ...options } = query;
      return { hits: await (await engine.load(params.id)).search(text, options) };
    },
  };
}

async function describeForks(engine: Palimpsest, id: string): Promise<readonly SessionSummary[]> {
  const forks: SessionSummary[] = [];
  // Ids of forks begin with their time of creation.
  for (const forkId of (await engine.forks(id)).toSorted().slice(-MAX_FORKS)) {
    const fork = await findSession(engine, forkId);
    if (fork !== undefined) forks.push(fork);
  }
  return forks.toSorted((left, right) => left.createdAt - right.createdAt);
}

/** Returns undefined for a fork that was deleted in the meantime or is not complete yet. */
async function findSession(engine: Palimpsest, id: string): Promise<SessionSummary | undefined> {
  try {
    return await engine.describe(id);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return undefined;
    throw error;
  }
}
