/**
 * The methods of `/rpc`, by the names of the workspace document. Parameters are taken by name or by place; their places
 * are the order in which they stand here.
 */
import { z } from "zod";
import {
  compactionStatus,
  contextBreakdown,
  foundMessage,
  messageRecord,
  sessionSummary,
  tokenBudget,
  type tokenUsage,
} from "./rpc-values.ts";
import { idSchema, LARGEST_PAGE, lineSchema, roleSchema, textSchema } from "./values.ts";

export interface RpcMethod {
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
}

function method<const Row extends RpcMethod>(row: Row): Row {
  return row;
}

/** Images of one message, as the store keeps them at most. */
const MOST_IMAGES = 5;
const MOST_FILES = 1_000;
const limit = z.number().int().min(1).max(LARGEST_PAGE);
const nothing = z.strictObject({});
const paths = z.array(lineSchema.min(1)).max(MOST_FILES);
const session = z.strictObject({ session_id: idSchema });
const dataUri = z
  .string()
  .regex(/^data:image\/[a-z0-9.+-]{1,60};base64,[A-Za-z0-9+/=]+$/, "expected a data URI of an image");
const begun = z.object({ session_id: z.string() });

export const RPC_METHODS = {
  history_search: method({
    summary: "Messages that hold a text, whatever its case, the newest first.",
    params: z.strictObject({ query: lineSchema, role: roleSchema.nullish(), limit: limit.nullish() }),
    result: z.array(foundMessage),
  }),
  history_get_session: method({
    summary: "All messages of a session; none where there is no such session.",
    params: session,
    result: z.array(messageRecord),
  }),
  get_session_messages_for_context: method({
    summary: "What a model is given of a session: role, content and images of every message, and nothing else.",
    params: session,
    result: z.array(z.object({ role: roleSchema, content: z.string(), images: z.array(z.string()).optional() })),
  }),
  history_list_sessions: method({
    summary: "Sessions, the newest first.",
    params: z.strictObject({ limit: limit.nullish() }),
    result: z.array(sessionSummary),
  }),
  history_new_session: method({ summary: "Begins another session.", params: nothing, result: begun }),
  new_session: method({
    summary: "Starts over: an empty history in another session, beside the same files.",
    params: nothing,
    result: begun,
  }),
  load_session_into_context: method({
    summary: "Goes on in a session: its messages, and what is said next is said there.",
    params: session,
    result: sessionSummary.extend({ messages: z.array(messageRecord) }),
  }),
  reregister_history_items: method({
    summary: "Takes all messages out of the cache tiers with the next prompt, and clears none of them.",
    params: nothing,
    result: z.object({ session_id: z.string().nullable() }),
  }),
  get_history_status: method({
    summary: "Token counts, how far the next compaction is away, and which session this is.",
    params: nothing,
    result: z.object({
      ...compactionStatus.shape,
      ...tokenBudget.shape,
      session_id: z.string().nullable(),
      message_count: z.number(),
    }),
  }),
  get_compaction_status: method({
    summary: "How far the next compaction is away.",
    params: nothing,
    result: compactionStatus,
  }),
  get_token_budget: method({ summary: "How full the window is.", params: nothing, result: tokenBudget }),
  get_current_state: method({
    summary: "What a page needs to go on where it was: every message of the session, files, whether a reply streams.",
    params: nothing,
    result: z.object({
      messages: z.array(messageRecord),
      selected_files: z.array(z.string()),
      streaming_active: z.boolean(),
      session_id: z.string().nullable(),
      repo_name: z.string(),
    }),
  }),
  chat_streaming: method({
    summary: "Says something. The reply comes as notifications: streamChunk, then streamComplete.",
    params: z.strictObject({
      request_id: idSchema,
      message: textSchema,
      files: paths.nullish(),
      images: z.array(dataUri).max(MOST_IMAGES).nullish(),
    }),
    result: z.object({ status: z.literal("started"), request_id: z.string(), session_id: z.string() }),
  }),
  cancel_streaming: method({
    summary: "Ends the reply that streams under this id.",
    params: z.strictObject({ request_id: idSchema }),
    result: z.object({ status: z.enum(["cancelled", "not-streaming"]) }),
  }),
  set_selected_files: method({
    summary: "The files that stand beside the conversation, in place of those that did.",
    params: z.strictObject({ files: paths }),
    result: z.object({ selected_files: z.array(z.string()), rejected_files: z.array(z.string()) }),
  }),
  get_selected_files: method({
    summary: "The files that stand beside the conversation.",
    params: nothing,
    result: z.array(z.string()),
  }),
  get_context_breakdown: method({
    summary: "What the next prompt is made of, in tokens.",
    params: nothing,
    result: contextBreakdown,
  }),
} as const;

export type RpcMethodName = keyof typeof RPC_METHODS;
export type RpcParams<Name extends RpcMethodName> = z.output<(typeof RPC_METHODS)[Name]["params"]>;
export type RpcResult<Name extends RpcMethodName> = z.output<(typeof RPC_METHODS)[Name]["result"]>;
export type TokenUsage = z.output<typeof tokenUsage>;
export type MessageRecord = z.output<typeof messageRecord>;

/** What a server tells every client that is connected by a WebSocket. */
export interface RpcNotices {
  /** A compaction's stages, pages that are read before a prompt, and files that gave way to it. */
  readonly compactionEvent: { readonly request_id: string; readonly event: Readonly<Record<string, unknown>> };
  /** The reply as far as it has come, not only what is new: one that was missed is made good by the next. */
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
  /** Chosen files that could not be shown. */
  readonly rejected_files: readonly string[];
  readonly cancelled?: boolean | undefined;
  /** Why there is no more of it, in words. */
  readonly error?: string | undefined;
}
