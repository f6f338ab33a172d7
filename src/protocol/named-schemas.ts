/** Schemas that have a name in the OpenAPI document, so that it says them once and code made from it has types for them. */
import { z } from "zod";
import { budget, explanation, plan, promptAnswer, promptReport, strip, workspace } from "./plan-schemas.ts";
import { sessionUsage } from "./review-routes.ts";
import { entry, message, sessionSummary } from "./session-schemas.ts";
import { attempt, compactionReport, facets, summaryRecord, verification } from "./summary-schemas.ts";
import { errorSchema, usageSchema } from "./values.ts";

const NAMED = {
  Budget: budget,
  CompactionReport: compactionReport,
  Entry: entry,
  Error: errorSchema,
  Explanation: explanation,
  Facets: facets,
  Message: message,
  Plan: plan,
  Prompt: promptAnswer,
  PromptReport: promptReport,
  Session: sessionSummary,
  SessionUsage: sessionUsage,
  Strip: strip,
  SummaryAttempt: attempt,
  SummaryRecord: summaryRecord,
  Usage: usageSchema,
  Verification: verification,
  Workspace: workspace,
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** Names beside what fields say of themselves, which zod keeps elsewhere. */
class SchemaRegistry extends z.core.$ZodRegistry<{ readonly id?: string | undefined }> {
  override get<Schema extends z.core.$ZodType>(schema: Schema) {
    const found = { ...z.globalRegistry.get(schema), ...super.get(schema) };
    return Object.keys(found).length === 0 ? undefined : found;
  }
}

/** What fields say of themselves, and no names. */
export const PLAIN_SCHEMAS = new SchemaRegistry();

export const NAMED_SCHEMAS = new SchemaRegistry();
for (const [id, schema] of Object.entries(NAMED)) NAMED_SCHEMAS.add(schema, { id });
