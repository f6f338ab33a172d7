/** Compactions and summaries: preview, edit, apply, verify, expand. */
import { z } from "zod";
import { defineRoutes } from "./route.ts";
import {
  compactionOutcome,
  compactionPreview,
  summaryList,
  summaryRecord,
  summaryResult,
  summarySource,
  verification,
} from "./summary-schemas.ts";
import { idsQuery, messagesSchema, seenQuery, textSchema, tokensSchema } from "./values.ts";

export const SUMMARY_ROUTES = {
  ...defineRoutes("compaction", {
    compact: {
      summary: "Compacts the session now: folds what is before the tail.",
      query: seenQuery,
      body: z.strictObject({ instructions: textSchema.optional() }),
      response: compactionOutcome,
    },
    previewCompaction: {
      summary: "Previews a compaction. Nothing is written until it is applied.",
      query: seenQuery,
      body: z.strictObject({ instructions: textSchema.optional() }),
      response: compactionPreview,
    },
    editPreview: {
      summary: "Replaces the summary text of a preview.",
      body: z.strictObject({ text: textSchema }),
      response: compactionPreview,
    },
    applyPreview: {
      summary: "Applies a preview. It is stale if the session was changed in the meantime.",
      body: z.strictObject({}),
      response: compactionOutcome,
    },
  }),
  ...defineRoutes("summaries", {
    listSummaries: {
      summary: "Lists all summaries of a session, oldest first.",
      query: z.object({ ids: idsQuery }),
      response: summaryList,
    },
    editSummary: {
      summary: "Replaces the text of the live summary.",
      body: z.strictObject({ text: textSchema }),
      response: summaryRecord,
    },
    resummarize: {
      summary: "Rewrites the live summary from its source messages.",
      body: z.strictObject({ instructions: textSchema.optional() }),
      response: compactionOutcome,
    },
    expandSummary: { summary: "Returns the messages that a summary covers.", response: summarySource },
    verifySummary: {
      summary: "Verifies a summary: facts kept and missing, and claims without a source.",
      response: verification,
    },
    summarize: {
      summary: "Summarizes the messages of the request. Stores nothing.",
      body: z.strictObject({
        messages: messagesSchema,
        previous: textSchema.optional(),
        budgetTokens: tokensSchema.min(50).default(1_000),
        instructions: textSchema.optional(),
      }),
      response: summaryResult,
    },
    summarizeContext: {
      summary: "Summarizes messages and the previous summary, in the rolling chat's format.",
      // Not strict: clients of this format may send other fields.
      body: z.object({ messages: messagesSchema, previousSummary: textSchema.optional() }),
      response: z.strictObject({ summary: z.string(), model: z.string().optional() }),
    },
  }),
};
