/** Looking back at sessions over HTTP: each handler translates and delegates, and decides nothing. */
import type { REVIEW_ROUTES } from "../../protocol/review-routes.ts";
import type { Handlers } from "../app/handler.ts";
import { describeForks } from "./describe-forks.ts";
import { renderFor } from "./render-for.ts";
import type { ServerParts } from "./server-parts.ts";

export function createReviewHandlers({ prompts }: Pick<ServerParts, "prompts">): Handlers<keyof typeof REVIEW_ROUTES> {
  return {
    listForks: async ({ engine, params }) => {
      await engine.describe(params.id);
      return { sessions: await describeForks(engine, params.id) };
    },
    listWays: async ({ engine, params }) => ({
      ways: (await engine.ways(params.id)).map((each) => ({ ...each, sessionIds: [...each.sessionIds] })),
    }),
    readUsage: async ({ engine, params, query }) => ({ ...(await (await engine.load(params.id)).usage(query)) }),
    readLastPrompt: async ({ engine, tenant, params, query }) => {
      const { prompt, ...last } = (await prompts.find(tenant.id, await engine.load(params.id))) ?? {};
      return { ...last, ...(prompt === undefined ? {} : { prompt: renderFor(prompt, query.provider) }) };
    },
  };
}
