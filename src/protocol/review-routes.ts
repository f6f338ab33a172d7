/** Routes that look back at sessions: usage and cost, the last prompt, branches, search. */
import { z } from "zod";
import { defineRoutes } from "./route.ts";
import { sessionSummary } from "./session-schemas.ts";
import {
  documentSchema,
  flagQuery,
  idSchema,
  limitQuery,
  lineSchema,
  providerSchema,
  roleSchema,
  seqSchema,
} from "./values.ts";

const MAX_ANSWERS = 250;
const MAX_RECALL_TOKENS = 100_000;

const used = {
  inputTokens: z.number().describe("Tokens of the prompts, cached or not."),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number().optional().describe("Absent if the price is unknown."),
};

const model = z.string().optional();

export const sessionUsage = z.strictObject({
  models: z.array(
    z.strictObject({
      model: model.describe("Absent if no model was named."),
      answers: z.number().int(),
      estimated: z.number().int().describe("Answers without reported usage."),
      ...used,
    }),
  ),
  summaries: z.strictObject({ count: z.number().int(), costUsd: z.number() }),
  costUsd: z.number().describe("Cost of answers and summaries, as far as prices are known."),
  isExact: z.boolean().describe("True if every answer has reported usage and a known price."),
  unpriced: z.number().int().describe("Answers without a known price."),
  newest: z
    .array(
      z.strictObject({
        messageId: z.string(),
        seq: seqSchema,
        at: z.number(),
        model,
        isEstimate: z.boolean(),
        ...used,
      }),
    )
    .describe("The newest answers, oldest first; without those that a fork inherits."),
  saved: z
    .strictObject({
      tokens: z.number().describe("Tokens of hidden messages less those of what replaced them, over all requests."),
      requests: z.number().int().describe("The newest requests, at most 1,000."),
      costUsd: z.number().optional().describe("At the price of cached input; absent if it is unknown."),
    })
    .optional()
    .describe("What compactions have saved; absent if nothing was compacted, or with `newest=0`."),
  inherited: z
    .strictObject({ sessionId: z.string(), throughSeq: seqSchema })
    .optional()
    .describe("Of a fork: costs up to this entry are counted in the original session."),
});

export const REVIEW_ROUTES = {
  ...defineRoutes("sessions", {
    listForks: {
      summary: "Lists the forks of a session, oldest first; at most the newest 500.",
      isOneSession: false,
      response: z.strictObject({ sessions: z.array(sessionSummary) }),
    },
    listBranches: {
      summary: "Lists where a session and its relatives branch, and which sessions are on each branch.",
      isOneSession: false,
      response: z.strictObject({
        branches: z.array(
          z.strictObject({
            atSeq: z.int().min(0).describe("Seq of the last common message; 0 without one."),
            sessionIds: z.array(z.string()).describe("The original session, then its branches, oldest first."),
            current: z.int().min(0).describe("Index of the branch that this session is on."),
          }),
        ),
      }),
    },
  }),
  ...defineRoutes("prompts", {
    readUsage: {
      summary: "Returns tokens and cost of answers and summaries, and the newest answers one by one.",
      query: z.strictObject({ newest: z.coerce.number().int().min(0).max(MAX_ANSWERS).default(0) }),
      response: sessionUsage,
    },
    readLastPrompt: {
      summary: "Returns the last prompt, with its content if this server remembers it.",
      query: z.strictObject({ provider: providerSchema.default("ai-sdk") }),
      response: z.strictObject({
        promptId: z.string().optional().describe("Absent before the first prompt."),
        at: z.number().optional(),
        prompt: documentSchema.optional().describe("Absent if the content is not remembered."),
      }),
    },
  }),
};

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
      matchStart: z.number().int().describe("Start of the match in the snippet, in UTF-16 units."),
      matchLength: z.number().int(),
    }),
  ),
});

const recallLimits = z.strictObject({
  budgetTokens: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_RECALL_TOKENS)
    .default(1_000)
    .describe("Maximum size of the text."),
  limit: limitQuery.optional(),
});

const recollection = z.strictObject({
  passages: z.array(
    z.strictObject({
      sessionId: z.string(),
      seq: seqSchema,
      messageId: z.string(),
      role: roleSchema,
      name: z.string().optional(),
      saidAt: z.number().optional(),
      text: z.string(),
      isWhole: z.boolean().describe("False if the text is a part of the message."),
      words: z.array(z.string()).describe("Words of the query that the message or its neighbors have."),
      score: z.number(),
    }),
  ),
  text: z.string().describe("The passages as a block of quotations for a model."),
  tokens: z.number().int(),
});

export const SEARCH_ROUTES = defineRoutes("search", {
  recall: {
    summary: "Quotes messages that match a query, from the sessions used last.",
    query: recallLimits.extend({
      query: lineSchema.min(1),
      sessions: z.string().optional().describe("Ids of the sessions to search, separated by commas."),
      sinceDays: z.coerce.number().min(0).optional().describe("Only sessions used within this many days."),
    }),
    response: recollection,
  },
  recallSession: {
    summary: "Quotes messages of one session: those that match a query, one by its id, or a range.",
    query: recallLimits.extend({
      query: lineSchema.min(1).optional(),
      id: idSchema.optional().describe("One message, with its lines."),
      from: idSchema.optional().describe("The first message of a range."),
      to: idSchema.optional().describe("The last message of a range."),
      onlyHidden: flagQuery.optional().describe("Leaves out cleared messages and those that the prompt shows."),
    }),
    response: recollection,
  },
  search: {
    summary: "Searches the messages of all sessions for a text.",
    query: searchQuery.extend({ sessionId: idSchema.optional() }),
    response: searchHits,
  },
  searchSession: {
    summary: "Searches the messages of one session for a text.",
    query: searchQuery,
    response: searchHits,
  },
});
