/** Schemas of answers: sessions and their entries. */
import { z } from "zod";
import { ENTRY_TYPES } from "../core/log/entry.ts";
import { roleSchema, seqSchema } from "./values.ts";

export const sessionSummary = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  createdAt: z.number().describe("Epoch milliseconds."),
  updatedAt: z.number().describe("Time of the newest entry, or of the session's creation if it has none."),
  messageCount: z.number().int(),
  preview: z.string().describe("About a hundred characters of the first message."),
  firstRole: roleSchema.optional(),
  fork: z
    .strictObject({ parentId: z.string(), atSeq: seqSchema, inheritedSummaryId: z.string().optional() })
    .optional()
    .describe("The session and entry that it branches off from."),
});

export const sessionList = z.strictObject({
  sessions: z.array(sessionSummary),
  next: z.string().optional().describe("Send it as `before` to get the next page; absent on the last page."),
});

export const sessionDeletion = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("deleted"), sessionIds: z.array(z.string()) }),
  z.strictObject({ type: z.literal("has-forks"), forkIds: z.array(z.string()) }),
]);

const importedSession = z.strictObject({
  sessionId: z.string(),
  format: z.string(),
  sourceId: z.string().optional().describe("The tool's own id of the session."),
  title: z.string().optional(),
  messages: z.number().int().describe("Messages of the session in the file."),
  added: z.number().int().describe("Messages that were not stored before."),
  calls: z.number().int(),
  results: z.number().int(),
  summaries: z.number().int().describe("Compactions by the tool itself."),
});

export const importResult = z.strictObject({
  sessionId: z.string().optional().describe("The first session. Absent if the file has no messages."),
  format: z.string().optional(),
  entries: z.number().int().describe("Entries that were added."),
  messages: z.number().int().describe("Messages in the file."),
  added: z.number().int().describe("Messages that were not stored before."),
  sessions: z.array(importedSession),
  skipped: z.number().int().describe("Records that cannot be read."),
  problems: z
    .array(z.strictObject({ place: z.string(), line: z.number().int().optional(), reason: z.string() }))
    .describe("The first 100 records that cannot be read."),
});

/** Parts differ by `type`; unknown ones are kept unchanged. */
const part = z.looseObject({ type: z.string() });
const extras = z.record(z.string(), z.unknown());

export const message = z.strictObject({
  id: z.string(),
  role: roleSchema,
  parts: z.array(part),
  saidAt: z.number().optional(),
  name: z.string().optional(),
  extras: extras.optional(),
});

/** Other fields of an entry depend on its type. */
export const entry = z.looseObject({
  type: z.enum(ENTRY_TYPES),
  id: z.string(),
  seq: seqSchema,
  at: z.number(),
  message: message.optional(),
  tokens: z.record(z.string(), z.number()).optional(),
});

export const entryPage = z.strictObject({
  entries: z.array(entry),
  nextSeq: seqSchema
    .optional()
    .describe(
      "Seq of the last entry; absent on the last page. A page of long messages has fewer entries than `limit`.",
    ),
});

export const appendResult = z.strictObject({ messages: z.array(z.strictObject({ id: z.string(), seq: seqSchema })) });

export const syncResult = z.discriminatedUnion("type", [
  z.strictObject({ type: z.enum(["unchanged", "appended"]), sessionId: z.string(), appended: z.number().int() }),
  z.strictObject({ type: z.literal("forked"), sessionId: z.string(), atSeq: seqSchema, appended: z.number().int() }),
]);

export const messageDeletion = z.strictObject({
  messageId: z.string(),
  sessionIds: z.array(z.string()).describe("All sessions that contained the message."),
  summaryIds: z.array(z.string()).describe("Summaries that covered the message and were deleted with it."),
});

export const pinResult = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("pinned"), pinId: z.string() }),
  z.strictObject({ type: z.literal("pins-exceed-budget"), pinnedTokens: z.number(), allowedTokens: z.number() }),
]);

export const undoResult = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("undone"),
    entryId: z.string(),
    undid: z.strictObject({ id: z.string(), kinds: z.array(z.string()) }),
    isRedo: z.boolean(),
  }),
  z.strictObject({ type: z.literal("nothing-to-undo") }),
  z.strictObject({ type: z.literal("not-newest"), newestId: z.string().optional() }),
  z.strictObject({ type: z.literal("not-undoable") }),
]);
