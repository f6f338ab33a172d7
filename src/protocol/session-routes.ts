/** Sessions and their messages, prompts and pins. */
import { z } from "zod";
import { budget, explanation, plan, promptAnswer, strip, viewAnswer } from "./plan-schemas.ts";
import { defineRoutes } from "./route.ts";
import {
  appendResult,
  entryPage,
  importResult,
  message,
  messageDeletion,
  pinResult,
  sessionDeletion,
  sessionList,
  sessionSummary,
  syncResult,
  undoResult,
} from "./session-schemas.ts";
import {
  documentSchema,
  exportFormatSchema,
  flagQuery,
  formatSchema,
  idSchema,
  idsQuery,
  limitQuery,
  lineSchema,
  MAX_BUCKETS,
  messagesSchema,
  providerSchema,
  seenQuery,
  seqQuery,
  seqSchema,
  sizesSchema,
  textSchema,
  transcriptFormatSchema,
} from "./values.ts";

export const SESSION_ROUTES = {
  ...defineRoutes("sessions", {
    listSessions: {
      summary: "Lists sessions, the most recently used first, in pages.",
      query: z.strictObject({ limit: limitQuery.default(50), before: lineSchema.optional() }),
      response: sessionList,
    },
    createSession: {
      summary: "Creates a session.",
      body: z.strictObject({ id: idSchema.optional(), title: lineSchema.optional() }),
      response: sessionSummary,
    },
    readSession: { summary: "Returns a session: title, times and number of messages.", response: sessionSummary },
    renameSession: {
      summary: "Renames a session.",
      body: z.strictObject({ title: lineSchema }),
      response: sessionSummary,
    },
    deleteSession: {
      summary: "Deletes a session and everything that only it uses.",
      query: z.strictObject({ forks: flagQuery.optional() }),
      response: sessionDeletion,
      role: "admin",
      isOneSession: false,
      isAudited: true,
    },
    forkSession: {
      summary: "Creates a session that branches off from this one.",
      body: z.strictObject({ atSeq: seqSchema.optional() }),
      isOneSession: false,
      response: sessionSummary,
    },
    exportSession: {
      summary:
        "Exports a session as lines of JSON, of which the last one has a checksum, or as a file of another tool.",
      query: z.strictObject({
        secrets: z.enum(["redact", "keep"]).default("redact"),
        format: exportFormatSchema.optional().describe("The tool, or the format of a list of messages."),
      }),
      isAudited: true,
    },
    importSession: {
      summary:
        "Imports an export, all or nothing, or the sessions of another tool's file, of which only what is new is added.",
      query: z.strictObject({
        id: idSchema.optional(),
        title: lineSchema.optional(),
        name: lineSchema.optional().describe("The name of the file, which helps to recognize it."),
        format: transcriptFormatSchema.optional().describe("Reads the file as this format."),
      }),
      response: importResult,
      role: "admin",
      isAudited: true,
    },
  }),
  ...defineRoutes("messages", {
    readEntries: {
      summary: "Lists entries of the log.",
      query: z.strictObject({
        afterSeq: seqQuery.optional(),
        throughSeq: seqQuery.optional(),
        types: lineSchema.optional(),
        limit: limitQuery.default(200),
        newestFirst: flagQuery.optional(),
        ids: idsQuery,
      }),
      response: entryPage,
    },
    readMessages: {
      summary: "Lists the original messages in pages.",
      query: z.strictObject({
        afterSeq: seqQuery.optional(),
        throughSeq: seqQuery.optional(),
        limit: limitQuery.default(200),
        newestFirst: flagQuery.optional(),
      }),
      response: entryPage,
    },
    appendMessages: {
      summary: "Appends messages in any known format, all or none.",
      body: z.strictObject({
        messages: messagesSchema,
        format: formatSchema.optional(),
        promptId: idSchema.optional(),
        usage: documentSchema
          .optional()
          .describe("The usage as the provider reported it, or { inputTokens, outputTokens, … }."),
      }),
      response: appendResult,
    },
    syncMessages: {
      summary: "Synchronizes the log with the full list that a client sends.",
      body: z.strictObject({ messages: z.array(documentSchema).max(100_000) }),
      response: syncResult,
    },
    readMessage: {
      summary: "Returns the original message, whatever the prompt shows of it.",
      response: z.strictObject({ message }),
    },
    deleteMessage: {
      summary: "Deletes a message and the summaries that cover it.",
      response: messageDeletion,
      role: "admin",
      isAudited: true,
    },
    explainMessage: {
      summary: "Explains where a message is in the next prompt, and why.",
      query: seenQuery,
      response: explanation,
    },
  }),
  ...defineRoutes("prompts", {
    readView: {
      summary: "Returns the prompt that the next turn of the chat would send. Records no prompt.",
      query: seenQuery.extend({ provider: providerSchema.default("ai-sdk") }),
      response: viewAnswer,
    },
    makePrompt: {
      summary: "Makes a prompt that fits and is valid, with cache breakpoints and a report.",
      body: sizesSchema.extend({
        next: messagesSchema.optional(),
        instructions: textSchema.optional(),
        tools: z.unknown().optional(),
        notes: z.union([textSchema, z.strictObject({ text: textSchema, keep: z.boolean().optional() })]).optional(),
        provider: providerSchema.optional(),
        breakpoints: z.boolean().optional(),
        preview: z.boolean().optional(),
      }),
      response: promptAnswer,
    },
    endPrompt: {
      summary: "Records that a generation ended without a message.",
      body: z.strictObject({ reason: lineSchema }),
      response: z.strictObject({}),
    },
    readPlan: {
      summary: "Returns the fate of every message in the next prompt, in runs with one fate and reason.",
      query: seenQuery,
      response: plan,
    },
    readStrip: {
      summary: "Returns the fates and tokens of a range of messages in buckets.",
      query: seenQuery.extend({
        firstSeq: seqQuery.optional(),
        lastSeq: seqQuery.optional(),
        buckets: z.coerce.number().int().min(1).max(MAX_BUCKETS).default(MAX_BUCKETS),
      }),
      response: strip,
    },
    readBudget: {
      summary: "Returns how full the window is, and how far away the next compaction is.",
      query: seenQuery,
      response: budget,
    },
  }),
  ...defineRoutes("compaction", {
    pinMessage: {
      summary: "Pins a message or a note, so that every prompt contains it.",
      body: z.union([z.strictObject({ messageId: idSchema }), z.strictObject({ note: textSchema })]),
      response: pinResult,
    },
    unpinMessage: {
      summary: "Removes a pin, by its id or the message's.",
      response: z.strictObject({ unpinned: z.boolean() }),
    },
    dismissMessage: {
      summary: "Leaves a message out of recalled passages. Undo restores it.",
      body: z.strictObject({ messageId: idSchema }),
      response: z.strictObject({ dismissed: z.boolean().describe("False if it was left out already.") }),
    },
    clearHistory: {
      summary: "Clears the view. The log keeps everything, and undo restores it.",
      body: z.strictObject({ scope: z.enum(["for-good", "next-generation"]).optional() }),
      response: z.strictObject({}),
    },
    undo: {
      summary: "Undoes the newest change of the view, or the change of the given entry.",
      body: z.strictObject({ entryId: idSchema.optional() }),
      response: undoResult,
    },
  }),
};
