/** Values that many requests share, with their limits. Errors name the path of a value and never repeat it. */
import { z } from "zod";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import { EXPORT_FORMATS, TRANSCRIPT_FORMATS } from "../core/message/formats/tool-formats.ts";
import { PROVIDERS } from "../core/prompt/provider.ts";

/** Characters of a typed text: a query, a title, a note. */
const MAX_LINE_CHARACTERS = 10_000;
export const MAX_MESSAGES = 1_000;
export const MAX_PER_PAGE = 1_000;
export const MAX_BUCKETS = 4_000;

/**
 * An id in an address: `.` and `..` would lead to another address, and a lone surrogate cannot be encoded. The engine
 * allows less for new ids; sessions of earlier versions can still be reached.
 */
export const idSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((id) => id !== "." && id !== ".." && id.isWellFormed(), "expected an id that is valid in a path");
export const lineSchema = z.string().max(MAX_LINE_CHARACTERS);
export const textSchema = z.string().max(1_000_000);
export const tokensSchema = z.number().int().min(0).max(100_000_000);
export const seqSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Values of a query are text. */
export const seqQuery = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const limitQuery = z.coerce.number().int().min(1).max(MAX_PER_PAGE);
export const flagQuery = z.enum(["true", "false"]).transform((text) => text === "true");
export const idsQuery = flagQuery
  .optional()
  .describe("false: leaves out `messageIds` of summaries, which are long if a summary covers many messages.");

/** Any known format; the engine validates messages itself. */
export const messagesSchema = z.union([
  z.array(z.record(z.string(), z.unknown())).max(MAX_MESSAGES),
  z.record(z.string(), z.unknown()),
]);
export const formatSchema = z.enum(FORMAT_NAMES as readonly [string, ...string[]]);
export const exportFormatSchema = z.enum(EXPORT_FORMATS as readonly [string, ...string[]]);
export const transcriptFormatSchema = z.enum(TRANSCRIPT_FORMATS as readonly [string, ...string[]]);
export const providerSchema = z.enum(["ai-sdk", ...PROVIDERS]);
export const roleSchema = z.enum(["system", "user", "assistant", "tool"]);

export const usageSchema = z.object({
  model: lineSchema.optional().describe("The model that answered, if the prompt was made for another one."),
  inputTokens: tokensSchema.optional(),
  outputTokens: tokensSchema.optional(),
  cacheReadTokens: tokensSchema.optional(),
  cacheWriteTokens: tokensSchema.optional(),
});

/** Settings that determine the size of a prompt. */
export const sizesSchema = z.strictObject({
  model: lineSchema.optional(),
  counter: lineSchema.optional(),
  budgetTokens: tokensSchema.optional(),
  windowTokens: tokensSchema.optional(),
  reserveTokens: tokensSchema.optional(),
});

const tokensQuery = z.coerce.number().int().min(0).max(100_000_000).optional();

/** Settings of the prompt that an answer describes: model, size and instructions. */
export const seenQuery = z.strictObject({
  model: lineSchema.optional(),
  counter: lineSchema.optional(),
  budgetTokens: tokensQuery,
  windowTokens: tokensQuery,
  reserveTokens: tokensQuery,
  instructions: textSchema.optional(),
});

/** A value of the engine, written unchanged. Its types are the engine's and are not repeated here. */
export const documentSchema = z.record(z.string(), z.unknown());

export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    advice: z.string().optional(),
    retryable: z.boolean(),
    details: documentSchema.optional(),
  }),
});
