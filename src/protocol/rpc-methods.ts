/** JSON-RPC with the workspace document's names. Parameters are passed by name, or by position in this order. */

import { z } from "zod";
import { defineRoutes } from "./route.ts";
import { idSchema, lineSchema, MAX_PER_PAGE, roleSchema, textSchema } from "./values.ts";

export const RPC_ROUTES = defineRoutes("operations", {
  callRpc: {
    summary: "Answers JSON-RPC 2.0 requests, single or batched, with the method names of the workspace document.",
    takes: "json",
    mayBeEmpty: "Only notifications were sent.",
  },
});

const sessionSummary = z.object({
  session_id: z.string(),
  /** Time of the newest entry, ISO 8601, UTC. */
  timestamp: z.string(),
  message_count: z.number(),
  preview: z.string(),
  first_role: roleSchema.nullable(),
});

/** An original message. Images are data URIs. */
const messageRecord = z.object({
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

const foundMessage = z.object({
  session_id: z.string(),
  id: z.string(),
  role: roleSchema,
  snippet: z.string(),
  /** Start of the match in the snippet, in UTF-16 units. */
  match_start: z.number(),
  match_length: z.number(),
});

const compactionStatus = z.object({
  enabled: z.boolean(),
  trigger_tokens: z.number(),
  current_tokens: z.number(),
  percent: z.number(),
});

const tokenBudget = z.object({
  history_tokens: z.number(),
  max_history_tokens: z.number(),
  max_input_tokens: z.number(),
  remaining: z.number(),
  needs_summary: z.boolean(),
});

/** Usage of a reply, with the same names for every provider. */
const tokenUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  /** True if the provider reported no usage; a token is then estimated as four characters. */
  is_estimated: z.boolean(),
});

const contextBreakdown = z.object({
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
  /** Files left out because the prompt would have been too large. */
  shed_files: z.array(z.string()),
  session_totals: tokenUsage,
});

export interface RpcMethod {
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
}

const MAX_IMAGES = 5;
const MAX_FILES = 1_000;
const limit = z.number().int().min(1).max(MAX_PER_PAGE);
const noParams = z.strictObject({});
const paths = z.array(lineSchema.min(1)).max(MAX_FILES);
const session = z.strictObject({ session_id: idSchema });
const dataUri = z
  .string()
  .regex(/^data:image\/[a-z0-9.+-]{1,60};base64,[A-Za-z0-9+/=]+$/, "expected a data URI of an image");
const created = z.object({ session_id: z.string() });

export const RPC_METHODS = {
  history_search: {
    summary: "Searches messages for a text, ignoring case, newest first.",
    params: z.strictObject({ query: lineSchema, role: roleSchema.nullish(), limit: limit.nullish() }),
    result: z.array(foundMessage),
  },
  history_get_session: {
    summary: "Returns all messages of a session; an empty list if there is no such session.",
    params: session,
    result: z.array(messageRecord),
  },
  get_session_messages_for_context: {
    summary: "Returns role, content and images of every message of a session.",
    params: session,
    result: z.array(z.object({ role: roleSchema, content: z.string(), images: z.array(z.string()).optional() })),
  },
  history_list_sessions: {
    summary: "Lists sessions, the most recently used first.",
    params: z.strictObject({ limit: limit.nullish() }),
    result: z.array(sessionSummary),
  },
  history_new_session: { summary: "Creates a session.", params: noParams, result: created },
  new_session: { summary: "Starts an empty session with the same files.", params: noParams, result: created },
  load_session_into_context: {
    summary: "Loads a session and returns its messages.",
    params: session,
    result: sessionSummary.extend({ messages: z.array(messageRecord) }),
  },
  reregister_history_items: {
    summary: "Removes all messages from the cache tiers with the next prompt. The prompt still contains them.",
    params: noParams,
    result: z.object({ session_id: z.string().nullable() }),
  },
  get_history_status: {
    summary: "Returns token counts, how far away the next compaction is, and the session.",
    params: noParams,
    result: z.object({
      ...compactionStatus.shape,
      ...tokenBudget.shape,
      session_id: z.string().nullable(),
      message_count: z.number(),
    }),
  },
  get_compaction_status: {
    summary: "Returns how far away the next compaction is.",
    params: noParams,
    result: compactionStatus,
  },
  get_token_budget: { summary: "Returns how full the window is.", params: noParams, result: tokenBudget },
  get_current_state: {
    summary: "Returns what a page needs to continue: messages, files, and whether a reply is streaming.",
    params: noParams,
    result: z.object({
      messages: z.array(messageRecord),
      selected_files: z.array(z.string()),
      streaming_active: z.boolean(),
      session_id: z.string().nullable(),
      repo_name: z.string(),
    }),
  },
  chat_streaming: {
    summary: "Sends a message. The reply arrives as notifications: streamChunk, then streamComplete.",
    params: z.strictObject({
      request_id: idSchema,
      message: textSchema,
      files: paths.nullish(),
      images: z.array(dataUri).max(MAX_IMAGES).nullish(),
    }),
    result: z.object({ status: z.literal("started"), request_id: z.string(), session_id: z.string() }),
  },
  cancel_streaming: {
    summary: "Cancels the reply with this id.",
    params: z.strictObject({ request_id: idSchema }),
    result: z.object({ status: z.enum(["cancelled", "not-streaming"]) }),
  },
  set_selected_files: {
    summary: "Selects the files to show with the conversation, in place of the previous ones.",
    params: z.strictObject({ files: paths }),
    result: z.object({ selected_files: z.array(z.string()), rejected_files: z.array(z.string()) }),
  },
  get_selected_files: { summary: "Returns the selected files.", params: noParams, result: z.array(z.string()) },
  get_context_breakdown: {
    summary: "Returns the tokens of each part of the next prompt.",
    params: noParams,
    result: contextBreakdown,
  },
} as const satisfies Readonly<Record<string, RpcMethod>>;

export type RpcMethodName = keyof typeof RPC_METHODS;
export type RpcParams<Name extends RpcMethodName> = z.output<(typeof RPC_METHODS)[Name]["params"]>;
export type RpcResult<Name extends RpcMethodName> = z.output<(typeof RPC_METHODS)[Name]["result"]>;
export type TokenUsage = z.output<typeof tokenUsage>;
export type MessageRecord = z.output<typeof messageRecord>;

/** Notices that the server sends to every client on a WebSocket. */
export interface RpcNotices {
  /** Stages of a compaction, pages read before a prompt, and files removed from it. */
  readonly compactionEvent: { readonly request_id: string; readonly event: Readonly<Record<string, unknown>> };
  /** The whole reply so far, so that a client that missed a notice catches up with the next one. */
  readonly streamChunk: { readonly request_id: string; readonly content: string };
  readonly streamComplete: { readonly request_id: string; readonly result: StreamResult };
  readonly filesChanged: { readonly selected_files: readonly string[] };
}

export interface StreamResult {
  readonly response: string;
  readonly session_id: string;
  readonly token_usage: TokenUsage;
  readonly files_modified: readonly string[];
  readonly edit_results: readonly unknown[];
  /** Selected files that could not be read. */
  readonly rejected_files: readonly string[];
  readonly cancelled?: boolean | undefined;
  /** Why the reply ended early. */
  readonly error?: string | undefined;
}
