/** Searches over HTTP. */
import type { SEARCH_ROUTES } from "../../protocol/search-routes.ts";
import type { Handlers } from "../app/handler.ts";

export const SEARCH_HANDLERS: Handlers<keyof typeof SEARCH_ROUTES> = {
  search: async ({ engine, query }) => {
    const { query: text, ...options } = query;
    return { hits: await engine.search(text, options) };
  },
  searchSession: async ({ engine, params, query }) => {
    const { query: text, ...options } = query;
    return { hits: await (await engine.load(params.id)).search(text, options) };
  },
};
