/** Values that many requests share, with their limits. What a limit refuses is named by its path, never repeated. */
import { z } from "zod";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import { PROVIDERS } from "../core/prompt/provider.ts";

/** Characters of an id. */
const LONGEST_ID = 200;
/** Characters of a text that somebody types: a query, a title, a note. */
const LONGEST_LINE = 10_000;
/** Messages in one request. */
export const MOST_MESSAGES = 1_000;
export const LARGEST_PAGE = 1_000;
/** Of a strip. */
export const MOST_BUCKETS = 4_000;

/** What can stand in an address: a dot or two would name another one, and half a character cannot be written there. */
export const idSchema = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .refine((id) => id !== "." && id !== ".." && id.isWellFormed(), "expected an id that can stand in an address");
export const sessionParams = z.object({ id: idSchema });
export const messageParams = z.object({ id: idSchema, messageId: idSchema });
export const summaryParams = z.object({ id: idSchema, summaryId: idSchema });
export const lineSchema = z.string().max(LONGEST_LINE);
export const textSchema = z.string().max(1_000_000);
export const tokensSchema = z.number().int().min(0).max(100_000_000);
export const seqSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** In a query everything is text. */
export const seqQuery = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const limitQuery = z.coerce.number().int().min(1).max(LARGEST_PAGE);
export const flagQuery = z.enum(["true", "false"]).transform((text) => text === "true");
export const idsQuery = flagQuery
  .optional()
  .describe("false: records of summaries without `messageIds`, which grow with what they cover.");

/** Any known shape; the engine reads and refuses them by their own rules. */
export const messagesSchema = z.union([
  z.array(z.record(z.string(), z.unknown())).max(MOST_MESSAGES),
  z.record(z.string(), z.unknown()),
]);
export const formatSchema = z.enum(FORMAT_NAMES as readonly [string, ...string[]]);
export const providerSchema = z.enum(["ai-sdk", ...PROVIDERS]);
export const roleSchema = z.enum(["system", "user", "assistant", "tool"]);

export const usageSchema = z.object({
  model: lineSchema.optional().describe("Who answered, where that is not whom the prompt was made for."),
  inputTokens: tokensSchema.optional(),
  outputTokens: tokensSchema.optional(),
  cacheReadTokens: tokensSchema.optional(),
  cacheWriteTokens: tokensSchema.optional(),
});

/** What decides how large a prompt may be. */
export const sizesSchema = z.strictObject({
  model: lineSchema.optional(),
  counter: lineSchema.optional(),
  budgetTokens: tokensSchema.optional(),
  windowTokens: tokensSchema.optional(),
  reserveTokens: tokensSchema.optional(),
});

const tokensQuery = z.coerce.number().int().min(0).max(100_000_000).optional();

/** The prompt that is looked at: whom it is for, how large it may be, and what it begins with. */
export const seenQuery = z.strictObject({
  model: lineSchema.optional(),
  counter: lineSchema.optional(),
  budgetTokens: tokensQuery,
  windowTokens: tokensQuery,
  reserveTokens: tokensQuery,
  instructions: textSchema.optional(),
});

/** What the engine gives, written as it is: its types are the engine's, and are not repeated here. */
export const documentSchema = z.record(z.string(), z.unknown());

export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    /** What to do about it. */
    advice: z.string().optional(),
    retryable: z.boolean(),
    details: documentSchema.optional(),
  }),
});
