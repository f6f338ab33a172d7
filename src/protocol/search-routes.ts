/** Searches in what was said. */
import { z } from "zod";
import { route } from "./route.ts";
import { idSchema, limitQuery, lineSchema, roleSchema, seqSchema, sessionParams } from "./values.ts";

const searchQuery = z.strictObject({
  query: lineSchema.min(1),
  role: roleSchema.optional(),
  order: z.enum(["newest", "relevance"]).default("newest"),
  limit: limitQuery.default(50),
});

const searchHits = z.strictObject({
  hits: z.array(
    z.strictObject({
      sessionId: z.string(),
      seq: seqSchema,
      messageId: z.string(),
      role: roleSchema,
      snippet: z.string(),
      matchStart: z.number().int().describe("Where the match stands inside the snippet, in UTF-16 units."),
      matchLength: z.number().int(),
    }),
  ),
});

export const SEARCH_ROUTES = {
  search: route({
    method: "GET",
    path: "/api/search",
    tag: "search",
    summary: "Messages of all sessions that hold a text, with the match marked.",
    query: searchQuery.extend({ sessionId: idSchema.optional() }),
    response: searchHits,
  }),
  searchSession: route({
    method: "GET",
    path: "/api/sessions/:id/search",
    tag: "search",
    summary: "Messages of one session that hold a text.",
    params: sessionParams,
    query: searchQuery,
    response: searchHits,
  }),
} as const;
