/** Chats: streaming a turn, resuming the stream, canceling it. */
import { z } from "zod";
import { defineRoutes } from "./route.ts";
import { documentSchema, idSchema, lineSchema, textSchema, tokensSchema } from "./values.ts";

/** Messages that `useChat` may send in one request; the size of the body is limited too. */
const MAX_RESENT = 100_000;

export const CHAT_ROUTES = defineRoutes("chat", {
  chat: {
    summary: "Runs a turn of a chat and streams it as an AI SDK UI message stream.",
    body: z.object({
      id: idSchema,
      /** The whole conversation, as `useChat` sends it. */
      messages: z.array(documentSchema).max(MAX_RESENT).optional(),
      message: documentSchema.optional(),
      trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
      messageId: idSchema.optional(),
      model: lineSchema.optional(),
      instructions: textSchema.optional(),
      /** Limit of the whole prompt, if it is below the model's. */
      budgetTokens: tokensSchema.optional(),
    }),
  },
  resumeChat: {
    summary: "Streams the running reply from its beginning; 204 if there is none.",
    mayBeEmpty: "No reply is running.",
  },
  cancelChat: {
    summary: "Cancels the running reply. The policy decides whether its output is kept.",
    response: z.object({ cancelled: z.boolean() }),
  },
});
