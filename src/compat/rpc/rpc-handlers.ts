/** The JSON-RPC methods. Each translates and delegates, and decides nothing. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { SearchHit } from "../../ports/store.ts";
import type { MessageRecord, RpcMethodName, RpcParams, RpcResult, TokenUsage } from "../../protocol/rpc-methods.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import { toDocumentBudget, toDocumentStatus } from "../documents/document-names.ts";
import type { RpcContext } from "./rpc-context.ts";
import { readRecords, writeContext, writeHit, writeSessionRow } from "./write-records.ts";

type RpcHandler<Name extends RpcMethodName> = (
  context: RpcContext,
  params: RpcParams<Name>,
) => Promise<RpcResult<Name>>;

const SESSIONS_LISTED = 50;
const MESSAGES_FOUND = 50;

export const RPC_HANDLERS: { readonly [Name in RpcMethodName]: RpcHandler<Name> } = {
  history_search: async ({ tenant, current }, { query, role, limit }) => {
    const options = { limit: limit ?? MESSAGES_FOUND, ...(role == null ? {} : { role }) };
    const stored = await tenant.engine.search(query, options).catch(noneIfUnavailable);
    const found = stored.length > 0 ? stored : (current.inMemory?.searchView(query, options) ?? []);
    return found.map(writeHit);
  },
  history_get_session: (context, { session_id }) => findRecords(context, session_id),
  get_session_messages_for_context: async (context, { session_id }) =>
    writeContext(await findRecords(context, session_id)),
  history_list_sessions: async ({ tenant }, { limit }) =>
    (await tenant.engine.sessions({ limit: limit ?? SESSIONS_LISTED })).map(writeSessionRow),
  history_new_session: startSession,
  new_session: startSession,
  load_session_into_context: async (context, { session_id }) => {
    assertIdle(context);
    const session = await context.current.load(session_id);
    const [summary, messages] = [await context.tenant.engine.describe(session_id), await readRecords(session)];
    return { ...writeSessionRow(summary), messages };
  },
  reregister_history_items: async ({ current }) => {
    const session = await current.find();
    session?.workspace.reregisterHistory();
    return { session_id: session?.id ?? null };
  },
  get_history_status: async (context) => {
    const session = await context.current.find();
    const count = session && (await context.tenant.engine.describe(session.id)).messageCount;
    const { status, budget } = await readFigures(context);
    return { ...status, ...budget, session_id: session?.id ?? null, message_count: count ?? 0 };
  },
  get_compaction_status: async (context) => (await readFigures(context)).status,
  get_token_budget: async (context) => (await readFigures(context)).budget,
  get_current_state: async (context) => {
    const session = await context.current.find();
    return {
      messages: session === undefined ? [] : await readRecords(session),
      selected_files: await context.selectedFiles,
      streaming_active: context.streams.isActive,
      session_id: session?.id ?? null,
      repo_name: context.repositoryName,
    };
  },
  chat_streaming: async (context, params) => {
    const { request_id, message, images, files } = params;
    if (message.trim() === "" && (images ?? []).length === 0) {
      throw new RefusedRequest("request-invalid", "message: expected a text or at least one image in images.");
    }
    assertIdle(context);
    const session = await context.current.require();
    await context.streams.start(session, params, async () => (files == null ? [] : context.select(session, files)));
    return { status: "started", request_id, session_id: session.id };
  },
  cancel_streaming: async ({ streams }, { request_id }) => ({
    status: streams.cancel(request_id) ? "cancelled" : "not-streaming",
  }),
  set_selected_files: async (context, { files }) => {
    const session = files.length === 0 ? await context.current.find() : await context.current.require();
    if (session === undefined) return { selected_files: [], rejected_files: [] };
    const rejected = await context.select(session, files);
    return { selected_files: [...session.workspace.files.paths], rejected_files: rejected };
  },
  get_selected_files: (context) => context.selectedFiles,
  get_context_breakdown: async (context) => {
    const session = await context.current.find();
    const prompt = session && (await session.prompt({ ...(await context.findRequest(session)), preview: true }));
    return writeBreakdown(prompt, context.streams.totals);
  },
};

async function findRecords({ tenant }: RpcContext, sessionId: string): Promise<MessageRecord[]> {
  try {
    return await readRecords(await tenant.engine.load(sessionId));
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return [];
    throw error;
  }
}

/** Returns no hits if the store is unavailable; the session in memory is searched instead. */
function noneIfUnavailable(error: unknown): readonly SearchHit[] {
  if (error instanceof PalimpsestError && error.code === "store-unavailable") return [];
  throw error;
}

async function startSession(context: RpcContext): Promise<{ session_id: string }> {
  assertIdle(context);
  return { session_id: (await context.current.begin()).id };
}

/** Throws while a reply is streaming, because clients would no longer see its session. */
function assertIdle({ streams }: RpcContext): void {
  if (!streams.isActive) return;
  throw new RefusedRequest("stream-active", "A reply is already running. Cancel it, or wait until it ends.");
}

/** Returns zeros before the first message: reading figures creates no session. */
async function readFigures(context: RpcContext) {
  const session = await context.current.find();
  if (session === undefined) return { budget: NO_BUDGET, status: NO_STATUS };
  const as = await context.findRequest(session);
  const { budget, compaction } = await session.figures(as);
  return { budget: toDocumentBudget(budget), status: toDocumentStatus(compaction) };
}

const NO_STATUS = { enabled: false, trigger_tokens: 0, current_tokens: 0, percent: 0 };
const NO_BUDGET = { history_tokens: 0, max_history_tokens: 0, max_input_tokens: 0, remaining: 0, needs_summary: false };

function writeBreakdown(prompt: Prompt | undefined, totals: TokenUsage): RpcResult<"get_context_breakdown"> {
  const report = prompt?.report;
  const tiers = (report?.workspace?.tiers ?? []).map(({ tier, tokens, items }) => ({
    tier,
    tokens,
    items: items.map(({ key, seen, risesAt = null, tokens: each }) => ({
      key,
      n: seen,
      threshold: risesAt,
      tokens: each,
    })),
  }));
  return {
    session_id: report?.sessionId ?? null,
    total_tokens: report?.tokens ?? 0,
    max_input_tokens: report?.limitTokens ?? 0,
    sections: (report?.sections ?? []).map(({ name, tokens }) => ({ name, tokens })),
    tiers,
    shed_files: (report?.workspace?.shed ?? []).map(({ path }) => path),
    session_totals: totals,
  };
}
