/** Looking back at a session: what it has taken so far, what was sent last, and which sessions left it. */
import { z } from "zod";
import { route } from "./route.ts";
import { sessionSummary } from "./session-schemas.ts";
import { documentSchema, providerSchema, seqSchema, sessionParams } from "./values.ts";

/** Answers that are told one by one. */
const MOST_ANSWERS = 250;

const used = {
  inputTokens: z.number().describe("All of the prompts, cached or not."),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number().optional().describe("Absent where the price is not known."),
};

const model = z.string().optional();

export const sessionUsage = z.strictObject({
  models: z.array(
    z.strictObject({
      model: model.describe("Absent where no model was named."),
      answers: z.number().int(),
      estimated: z.number().int().describe("Answers that no provider reported figures of."),
      ...used,
    }),
  ),
  summaries: z.strictObject({ count: z.number().int(), costUsd: z.number() }),
  costUsd: z.number().describe("Of answers and summaries together, as far as prices are known."),
  isExact: z.boolean().describe("Whether every answer has its provider's own figures and a known price."),
  unpriced: z.number().int().describe("Answers whose price is not known."),
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
    .describe("The newest answers, oldest first; those that a fork inherits are the other session's."),
  inherited: z
    .strictObject({ sessionId: z.string(), throughSeq: seqSchema })
    .optional()
    .describe("Of a fork: what was said through this place was answered, and paid, in the session that it left."),
});

export const REVIEW_ROUTES = {
  listForks: route({
    method: "GET",
    path: "/api/sessions/:id/forks",
    tag: "sessions",
    summary: "Sessions that were forked directly from this one, oldest first; of very many the newest.",
    params: sessionParams,
    response: z.strictObject({ sessions: z.array(sessionSummary) }),
  }),
  listWays: route({
    method: "GET",
    path: "/api/sessions/:id/ways",
    tag: "sessions",
    summary: "Where this session and those that share its messages part, and who goes each way.",
    params: sessionParams,
    response: z.strictObject({
      ways: z.array(
        z.strictObject({
          atSeq: z.int().min(0).describe("The last message that all of them have; 0 where they have none in common."),
          sessionIds: z.array(z.string()).describe("The one that was left, then those that left it, oldest first."),
          current: z.int().min(0).describe("Which of them this session went."),
        }),
      ),
    }),
  }),
  readUsage: route({
    method: "GET",
    path: "/api/sessions/:id/usage",
    tag: "prompts",
    summary: "What answers and summaries have taken so far, in tokens and dollars, and the newest answers one by one.",
    params: sessionParams,
    query: z.strictObject({ newest: z.coerce.number().int().min(0).max(MOST_ANSWERS).default(0) }),
    response: sessionUsage,
  }),
  readLastPrompt: route({
    method: "GET",
    path: "/api/sessions/:id/prompts/last",
    tag: "prompts",
    summary: "The prompt that was sent last, with its words where this server remembers them.",
    params: sessionParams,
    query: z.strictObject({ provider: providerSchema.default("ai-sdk") }),
    response: z.strictObject({
      promptId: z.string().optional().describe("Absent where none was sent yet."),
      at: z.number().optional(),
      prompt: documentSchema.optional().describe("Absent where its words are not remembered."),
    }),
  }),
} as const;
