/** Compactions and summaries: looked at, changed, applied, verified, taken apart. */
import { z } from "zod";
import { route } from "./route.ts";
import {
  compactionOutcome,
  compactionPreview,
  expanded,
  summarized,
  summaryList,
  summaryRecord,
  verification,
} from "./summary-schemas.ts";
import {
  idSchema,
  idsQuery,
  messagesSchema,
  sessionParams,
  summaryParams,
  textSchema,
  tokensSchema,
} from "./values.ts";

const previewParams = z.object({ id: idSchema, previewId: idSchema });

export const SUMMARY_ROUTES = {
  compact: route({
    method: "POST",
    path: "/api/sessions/:id/compactions",
    tag: "compaction",
    summary: "Folds what stands before the tail now.",
    params: sessionParams,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionOutcome,
  }),
  previewCompaction: route({
    method: "POST",
    path: "/api/sessions/:id/previews",
    tag: "compaction",
    summary: "What a compaction would do. Nothing is written until it is applied.",
    params: sessionParams,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionPreview,
  }),
  editPreview: route({
    method: "PATCH",
    path: "/api/sessions/:id/previews/:previewId",
    tag: "compaction",
    summary: "The same proposal with other words for its summary.",
    params: previewParams,
    body: z.strictObject({ text: textSchema }),
    response: compactionPreview,
  }),
  applyPreview: route({
    method: "POST",
    path: "/api/sessions/:id/previews/:previewId/apply",
    tag: "compaction",
    summary: "Writes a proposal; one that was made on an older past is stale.",
    params: previewParams,
    body: z.strictObject({}),
    response: compactionOutcome,
  }),
  listSummaries: route({
    method: "GET",
    path: "/api/sessions/:id/summaries",
    tag: "summaries",
    summary: "Every summary that was ever written here, oldest first.",
    params: sessionParams,
    query: z.object({ ids: idsQuery }),
    response: summaryList,
  }),
  editSummary: route({
    method: "PUT",
    path: "/api/sessions/:id/summary",
    tag: "summaries",
    summary: "Other words for the live summary, by hand.",
    params: sessionParams,
    body: z.strictObject({ text: textSchema }),
    response: summaryRecord,
  }),
  resummarize: route({
    method: "POST",
    path: "/api/sessions/:id/summary",
    tag: "summaries",
    summary: "Writes the live summary anew from what it stands for.",
    params: sessionParams,
    body: z.strictObject({ instructions: textSchema.optional() }),
    response: compactionOutcome,
  }),
  expandSummary: route({
    method: "GET",
    path: "/api/sessions/:id/summaries/:summaryId/source",
    tag: "summaries",
    summary: "What a summary was made of, as it was said.",
    params: summaryParams,
    response: expanded,
  }),
  verifySummary: route({
    method: "GET",
    path: "/api/sessions/:id/summaries/:summaryId/verification",
    tag: "summaries",
    summary: "How much of its source a summary keeps, what is missing and what nothing supports.",
    params: summaryParams,
    response: verification,
  }),
  summarize: route({
    method: "POST",
    path: "/api/summarize",
    tag: "summaries",
    summary: "A summary of messages that are given here; nothing is stored.",
    body: z.strictObject({
      messages: messagesSchema,
      previous: textSchema.optional(),
      budgetTokens: tokensSchema.min(50).default(1_000),
      instructions: textSchema.optional(),
    }),
    response: summarized,
  }),
  summarizeContext: route({
    method: "POST",
    path: "/api/summarize-context",
    tag: "summaries",
    summary: "The rolling chat's own: messages and the summary so far in, the new summary out.",
    // Whoever asks in this shape may send more than is ours to name.
    body: z.object({ messages: messagesSchema, previousSummary: textSchema.optional() }),
    response: z.strictObject({ summary: z.string(), model: z.string().optional() }),
  }),
} as const;
