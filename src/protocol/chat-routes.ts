/** Chats: a turn as a stream, the stream that is under way, and its end. */
import { z } from "zod";
import { route } from "./route.ts";
import { documentSchema, idSchema, lineSchema, sessionParams, textSchema, tokensSchema } from "./values.ts";

/** What `useChat` resends in one request; the size of a body is limited beside it. */
const MOST_RESENT = 100_000;

export const CHAT_ROUTES = {
  chat: route({
    method: "POST",
    path: "/api/chat",
    tag: "chat",
    summary: "A turn of a chat as an AI SDK UI message stream.",
    body: z.object({
      id: idSchema,
      /** The whole conversation, as `useChat` has it. */
      messages: z.array(documentSchema).max(MOST_RESENT).optional(),
      /** The new message alone. */
      message: documentSchema.optional(),
      trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
      messageId: idSchema.optional(),
      model: lineSchema.optional(),
      instructions: textSchema.optional(),
      /** The whole prompt may take this many tokens, where that is less than the model takes. */
      budgetTokens: tokensSchema.optional(),
    }),
    gives: "stream",
  }),
  resumeChat: route({
    method: "GET",
    path: "/api/chat/:id/stream",
    tag: "chat",
    summary: "The stream that is under way, from its beginning; 204 where there is none.",
    params: sessionParams,
    gives: "stream",
    mayBeEmpty: "No stream is under way.",
  }),
  cancelChat: route({
    method: "DELETE",
    path: "/api/chat/:id/stream",
    tag: "chat",
    summary: "Ends the stream that is under way; what came is kept as the policy says.",
    params: sessionParams,
    response: z.object({ cancelled: z.boolean() }),
  }),
} as const;
