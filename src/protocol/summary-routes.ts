/** Compactions and summaries: preview, edit, apply, verify, expand. */
import { z } from "zod";
import { withAddresses } from "./route.ts";
import {
  compactionOutcome,
  compactionPreview,
  summaryList,
  summaryRecord,
  summaryResult,
  summarySource,
  verification,
} from "./summary-schemas.ts";
import {
  idSchema,
  idsQuery,
  messagesSchema,
  seenQuery,
  sessionParams,
  summaryParams,
  textSchema,
  tokensSchema,
} from "./values.ts";

const previewParams = z.object({ id: idSchema, previewId: idSchema });

export const SUMMARY_ROUTES = withAddresses({
  compact: {
    tag: "compaction",
    summary: "Compacts the session now: folds what is before the tail.",
    params: sessionParams,
    query: seenQuery,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionOutcome,
  },
  previewCompaction: {
    tag: "compaction",
    summary: "Previews a compaction. Nothing is written until it is applied.",
    params: sessionParams,
    query: seenQuery,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionPreview,
  },
  editPreview: {
    tag: "compaction",
    summary: "Replaces the summary text of a preview.",
    params: previewParams,
    body: z.strictObject({ text: textSchema }),
    response: compactionPreview,
  },
  applyPreview: {
    tag: "compaction",
    summary: "Applies a preview. It is stale if the session was changed meanwhile.",
    params: previewParams,
    body: z.strictObject({}),
    response: compactionOutcome,
  },
  listSummaries: {
    tag: "summaries",
    summary: "Lists all summaries of a session, oldest first.",
    params: sessionParams,
    query: z.object({ ids: idsQuery }),
    response: summaryList,
  },
  editSummary: {
    tag: "summaries",
    summary: "Replaces the text of the live summary.",
    params: sessionParams,
    body: z.strictObject({ text: textSchema }),
    response: summaryRecord,
  },
  resummarize: {
    tag: "summaries",
    summary: "Rewrites the live summary from its source messages.",
    params: sessionParams,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionOutcome,
  },
  expandSummary: {
    tag: "summaries",
    summary: "Returns the messages that a summary covers.",
    params: summaryParams,
    response: summarySource,
  },
  verifySummary: {
    tag: "summaries",
    summary: "Verifies a summary: facts kept and missing, and claims without a source.",
    params: summaryParams,
    response: verification,
  },
  summarize: {
    tag: "summaries",
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
    tag: "summaries",
    summary: "Summarizes messages and the previous summary, in the rolling chat's format.",
    // Not strict: clients of this format may send other fields.
    body: z.object({ messages: messagesSchema, previousSummary: textSchema.optional() }),
    response: z.strictObject({ summary: z.string(), model: z.string().optional() }),
  },
});
