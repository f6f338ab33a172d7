/** Schemas of answers: summaries, compactions and previews. */
import { z } from "zod";
import { message } from "./session-schemas.ts";
import { documentSchema, seqSchema, usageSchema } from "./values.ts";

export const facets = z.strictObject({
  goal: z.string().optional(),
  constraints: z.array(z.string()),
  decisions: z.array(z.string()),
  actionItems: z.array(
    z.strictObject({
      task: z.string(),
      owner: z.string().optional(),
      due: z.string().optional(),
      status: z.enum(["open", "done"]),
    }),
  ),
  unresolved: z.array(z.string()),
  entities: z.array(z.string()),
  participants: z.array(z.string()),
  done: z.array(z.string()),
  sheet: documentSchema.optional().describe("The facts that the lists are made from, with ids and sources."),
});

export const summaryRecord = z.strictObject({
  id: z.string(),
  at: z.number(),
  depth: z.number().int().describe("0 for the first summary of a chain."),
  parentId: z.string().optional(),
  coverage: z.strictObject({ firstSeq: seqSchema, lastSeq: seqSchema, count: z.number().int(), chainHash: z.string() }),
  messageIds: z.array(z.string()),
  lastRoundId: z.string().optional(),
  text: z.string().describe("The text that the model sees."),
  lines: z
    .array(z.strictObject({ text: z.string(), messageIds: z.array(z.string()), salience: z.number().optional() }))
    .optional(),
  keyPoints: z.array(z.string()),
  facets,
  verification: z
    .strictObject({
      score: z.number(),
      claims: z.number(),
      derivedClaims: z.number(),
      removedClaims: z.number(),
      restored: z.array(z.string()),
      evicted: z.array(z.string()),
      addedLines: z.number().int().optional().describe("Lines that code added to a model's text."),
    })
    .optional(),
  strategy: z.string(),
  model: z.string().optional(),
  answeredWith: z
    .enum(["prose", "invalid-lists"])
    .optional()
    .describe("Present if the model's answer lacks the requested lists, so code made them."),
  rejected: z.strictObject({ model: z.string().optional(), rule: z.string() }).optional(),
  reason: z.string(),
  instructions: z.string().optional(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  tokenRatio: z.number().optional(),
  messageCount: z.number().optional(),
  costUsd: z.number().optional(),
  omitted: z.strictObject({ count: z.number(), tokens: z.number() }).optional(),
  cutResults: z.number().optional(),
  request: z.enum(["transcript", "own-prompt", "none"]).optional(),
});

export const attempt = z.strictObject({
  outcome: z.enum(["accepted", "reask", "rejected", "failed"]),
  rule: z.string().optional(),
  reason: z.string(),
  rawStart: z.string().optional(),
  strategy: z.string(),
  model: z.string().optional(),
  calls: z.number(),
  usage: usageSchema.optional(),
  costUsd: z.number(),
  cutResults: z.number(),
  durationMs: z.number(),
});

const steps = z.array(z.enum(["prune", "summarise", "truncate", "shrink-tail", "cut", "unpin"]));

export const compactionReport = z.strictObject({
  reason: z.string(),
  steps,
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  isRecorded: z.boolean(),
  attempts: z.array(attempt),
  gate: documentSchema.optional(),
  entryIds: z.array(z.string()),
});

const notCompacted = [
  z.strictObject({ type: z.literal("nothing-to-compact"), reason: z.string(), attempts: z.array(attempt) }),
  z.strictObject({ type: z.literal("stale") }),
  z.strictObject({ type: z.literal("busy") }),
  z.strictObject({ type: z.literal("aborted") }),
] as const;

export const compactionOutcome = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("compacted"), report: compactionReport }),
  ...notCompacted,
]);

const size = z.strictObject({ tokens: z.number(), messages: z.number() });

export const compactionPreview = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("preview"),
    previewId: z.string(),
    before: size,
    after: size,
    steps,
    kept: z.array(z.string()),
    dropped: z.array(z.string()),
    record: summaryRecord.optional(),
    attempts: z.array(attempt),
    costUsd: z.number(),
  }),
  ...notCompacted,
]);

const cacheFigures = z.strictObject({
  promptId: z.string(),
  inputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});

export const summaryList = z.strictObject({
  summaries: z.array(
    z.strictObject({
      record: summaryRecord.extend({ messageIds: summaryRecord.shape.messageIds.optional() }),
      isLive: z.boolean(),
      cache: z.strictObject({ before: cacheFigures.optional(), after: cacheFigures.optional() }),
    }),
  ),
});

export const summarySource = z.strictObject({
  record: summaryRecord,
  messages: z.array(message),
  erasedIds: z.array(z.string()),
});

const claim = z.strictObject({
  kind: z.string(),
  text: z.string(),
  keys: z.array(z.string()),
  start: z.number(),
  end: z.number(),
});

export const verification = z.strictObject({
  score: z.number(),
  claims: z.number(),
  missing: z.array(documentSchema).describe("Protected facts that the summary does not contain."),
  unsupported: z.array(claim),
  derived: z.array(claim),
});

export const summaryResult = z.strictObject({
  summary: z.string(),
  record: summaryRecord,
  verification,
  attempts: z.array(attempt).describe("Calls of models; empty if the summary was written offline."),
});
