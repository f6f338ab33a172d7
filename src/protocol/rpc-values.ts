/** Values of the methods that the workspace document names, in its spelling. */
import { z } from "zod";
import { roleSchema } from "./values.ts";

export const sessionSummary = z.object({
  session_id: z.string(),
  /** Of its newest entry, ISO 8601, UTC. */
  timestamp: z.string(),
  message_count: z.number(),
  preview: z.string(),
  first_role: roleSchema.nullable(),
});

/** A message as it was said. Images are data URIs. */
export const messageRecord = z.object({
  id: z.string(),
  session_id: z.string(),
  timestamp: z.string(),
  role: roleSchema,
  content: z.string(),
  images: z.array(z.string()),
  files: z.array(z.string()).optional(),
  files_modified: z.array(z.string()).optional(),
  edit_results: z.array(z.unknown()).optional(),
});

export const foundMessage = z.object({
  session_id: z.string(),
  id: z.string(),
  role: roleSchema,
  snippet: z.string(),
  /** Where the match stands inside the snippet, in UTF-16 units. */
  match_start: z.number(),
  match_length: z.number(),
});

export const compactionStatus = z.object({
  enabled: z.boolean(),
  trigger_tokens: z.number(),
  current_tokens: z.number(),
  percent: z.number(),
});

export const tokenBudget = z.object({
  history_tokens: z.number(),
  max_history_tokens: z.number(),
  max_input_tokens: z.number(),
  remaining: z.number(),
  needs_summary: z.boolean(),
});

/** What a reply cost, under one set of names whoever the provider is. */
export const tokenUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  /** The provider gave no figure for the reply: it is a quarter of its characters. */
  is_estimated: z.boolean(),
});

export const contextBreakdown = z.object({
  session_id: z.string().nullable(),
  total_tokens: z.number(),
  max_input_tokens: z.number(),
  sections: z.array(z.object({ name: z.string(), tokens: z.number() })),
  tiers: z.array(
    z.object({
      tier: z.string(),
      tokens: z.number(),
      items: z.array(
        z.object({ key: z.string(), n: z.number(), threshold: z.number().nullable(), tokens: z.number() }),
      ),
    }),
  ),
  /** Left out, because the prompt would have been too large. */
  shed_files: z.array(z.string()),
  session_totals: tokenUsage,
});
