/**
 * Forwards requests of a provider's API, and replaces their messages with a session's prompt once the conversation has
 * to be compacted. A conversation that fits is forwarded byte for byte.
 */
import type { IncomingMessage } from "node:http";
import { PalimpsestError } from "../../core/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import type { BodyShare } from "../http/body-budget.ts";
import { type ConversationKey, findConversation, nameConversation } from "./find-conversation.ts";
import { forward } from "./forward.ts";
import { findUpstream, type Upstream, type Vendor } from "./gateway-options.ts";
import { decodeBytes, parseBody } from "./read-bytes.ts";
import { type Dialect, type GatewayRequest, readGatewayRequest } from "./read-request.ts";
import { createResponse, type ReplyEnd, relayReply } from "./relay-reply.ts";
import { isUntouched, writeBody } from "./write-body.ts";

export interface GatewayParts {
  readonly upstreams: readonly Upstream[];
  readonly windowTokens: number | undefined;
  /** True if clients send a token, so that each upstream needs a key of the operator. */
  readonly needsKey: boolean;
  /** Conversations of each tenant that were compacted, by their beginning: the upstream may not take them whole. */
  readonly compacted: WeakMap<Palimpsest, Set<string>>;
  /** Called for failures that the client does not see. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of compacted conversations that are remembered. */
const MAX_COMPACTED = 10_000;

export interface GatewayCall {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Counts the bytes of the body that are in memory. */
  readonly share: BodyShare;
  readonly engine: Palimpsest;
}

/** A request whose conversation was read. */
interface OpenRequest {
  readonly call: GatewayCall;
  readonly upstream: Upstream;
  readonly text: string;
  readonly read: GatewayRequest;
}

/** The session of a request, and the prompt that answers it. */
interface Turn {
  readonly session: Session;
  readonly prompt: Prompt;
}

interface Sending {
  readonly open: OpenRequest;
  readonly turn: Turn;
  readonly parts: GatewayParts;
}

/** Forwards a request without a conversation, such as one for the list of models. */
export async function passOn(call: GatewayCall, vendor: Vendor, parts: GatewayParts): Promise<Response> {
  return createResponse(await forward(chooseUpstream(parts, vendor, undefined), call), { headers: {} });
}

/** Throws if the upstream would get neither a key of the client nor one of the operator. */
function chooseUpstream({ upstreams, needsKey }: GatewayParts, vendor: Vendor, model: string | undefined): Upstream {
  const upstream = findUpstream(upstreams, vendor, model);
  if (!needsKey || upstream.apiKey !== undefined) return upstream;
  const variable = `PALIMPSEST_GATEWAY_${vendor.toUpperCase()}_KEY`;
  const text = `This server has no key for ${upstream.url.host}. Its operator sets one with ${variable}.`;
  throw new RefusedRequest("upstream-key-missing", text);
}

export async function answerConversation(call: GatewayCall, dialect: Dialect, parts: GatewayParts): Promise<Response> {
  const text = await decodeBytes(call.body, call.headers.get("content-encoding"), call.share);
  const body = parseBody(text);
  const read = body && readGatewayRequest(dialect, body);
  const model = typeof body?.model === "string" ? body.model : undefined;
  const upstream = chooseUpstream(parts, dialect.vendor, model);
  // The upstream explains what is wrong with a request that cannot be read.
  if (text === undefined || read === undefined) return createResponse(await forward(upstream, call), { headers: {} });
  const open = { call, upstream, text, read };
  let turn: Turn;
  try {
    turn = await prepareTurn(open, parts);
  } catch (error) {
    return answerDegraded(open, error, parts);
  }
  return send({ open, turn, parts });
}

async function prepareTurn(open: OpenRequest, { windowTokens, compacted }: GatewayParts): Promise<Turn> {
  const { call, read } = open;
  const { engine, signal } = call;
  const { dialect, model, surroundings, maxOutputTokens } = read;
  let session = await findConversation(engine, read.history, keyOf(open));
  for (;;) {
    const prompt = await session.prompt({
      instructions: surroundings,
      provider: dialect.provider,
      reserveTokens: maxOutputTokens,
      breakpoints: false,
      ...{ model, windowTokens, signal },
    });
    if (isUntouched(prompt)) return { session, prompt };
    remember(compacted, engine, nameConversation(read.history, keyOf(open)));
    const own = await findConversation(engine, read.history, keyOf(open));
    if (own.id === session.id) return { session, prompt };
    // Another request with the same beginning has appended to the session, so the prompt may contain its text.
    session = own;
  }
}

function keyOf({ call, upstream, read }: OpenRequest): ConversationKey {
  return { dialect: read.dialect, upstream: upstream.url.href, headers: call.headers };
}

function remember(compacted: GatewayParts["compacted"], engine: Palimpsest, name: string): void {
  const names = compacted.get(engine) ?? new Set();
  compacted.set(engine, names);
  names.add(name);
  const [oldest] = names;
  if (names.size > MAX_COMPACTED && oldest !== undefined) names.delete(oldest);
}

/** Forwards the whole conversation if the engine has failed, unless it was compacted: then it may be too long. */
async function answerDegraded(open: OpenRequest, error: unknown, parts: GatewayParts): Promise<Response> {
  const { call, upstream } = open;
  if (call.signal.aborted || wasCompacted(open, parts)) throw error;
  parts.onError(error);
  const code = error instanceof PalimpsestError ? error.code : "unexpected";
  return createResponse(await forward(upstream, call), { headers: { "x-palimpsest-degraded": code } });
}

/** False for a conversation that cannot be read. The upstream explains what is wrong with it. */
function wasCompacted(open: OpenRequest, { compacted }: GatewayParts): boolean {
  try {
    return compacted.get(open.call.engine)?.has(nameConversation(open.read.history, keyOf(open))) === true;
  } catch {
    return false;
  }
}

/** Sends the prompt. If the upstream refuses it as too long, a smaller one follows, once. */
async function send({ open, turn, parts }: Sending): Promise<Response> {
  const sent = writeCall(open, turn.prompt);
  const incoming = await forward(open.upstream, sent);
  if (!REFUSALS.includes(incoming.statusCode ?? 0)) return relay(incoming, { open, turn, parts, sent });
  const bytes = await readAll(incoming);
  const prompt = await findSmaller({ open, turn, parts }, incoming, bytes);
  if (prompt === undefined) {
    return createResponse(incoming, { headers: describeTurn({ open, turn, sent }), chunks: once(bytes) });
  }
  const smaller = writeCall(open, prompt);
  return relay(await forward(open.upstream, smaller), { open, turn: { ...turn, prompt }, parts, sent: smaller });
}

/** Statuses with which providers refuse a prompt that is too long. */
const REFUSALS: readonly number[] = [400, 413, 422];

async function findSmaller(
  { open, turn: { session, prompt } }: Sending,
  { statusCode, headers }: IncomingMessage,
  bytes: Uint8Array,
): Promise<Prompt | undefined> {
  const text = await decodeBytes(bytes, headers["content-encoding"] ?? null);
  try {
    const error = Object.assign(new Error(text), { status: statusCode });
    const smaller = await session.refused(error, { promptId: prompt.id });
    // A session to which another request has appended does not answer this one. A retry gets one of its own.
    const own = await findConversation(open.call.engine, open.read.history, keyOf(open));
    return own.id === session.id ? smaller : undefined;
  } catch (error) {
    // Another refusal, or nothing can be left out: the client gets the upstream's error.
    if (error instanceof PalimpsestError) return undefined;
    throw error;
  }
}

async function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function writeCall({ call, text, read }: OpenRequest, prompt: Prompt): GatewayCall {
  if (isUntouched(prompt)) return call;
  const headers = new Headers(call.headers);
  headers.delete("content-encoding");
  return { ...call, headers, body: Buffer.from(writeBody({ text, read, prompt })) };
}

type Sent = Sending & { readonly sent: GatewayCall };

/** The tokens saved are estimated from the bytes that were not sent. */
function describeTurn({ open, turn, sent }: Pick<Sent, "open" | "turn" | "sent">): Readonly<Record<string, string>> {
  const { session, prompt } = turn;
  const sentBytes = sent.body?.byteLength ?? 0;
  const share = sentBytes === 0 ? 0 : Buffer.byteLength(open.text) / sentBytes - 1;
  const saved = isUntouched(prompt) ? 0 : Math.max(0, Math.round(prompt.report.tokens * share));
  return { "x-palimpsest-session": session.id, "x-palimpsest-saved-tokens": String(saved) };
}

function relay(incoming: IncomingMessage, { open, turn, parts, sent }: Sent): Response {
  return relayReply(incoming, {
    dialect: open.read.dialect,
    headers: describeTurn({ open, turn, sent }),
    onEnd: (end) => storeReply(open, turn, end).catch(parts.onError),
  });
}

/**
 * Appends a complete reply. Another reply may have arrived in the meantime. Then the client's next request contains
 * this one.
 */
async function storeReply({ read }: OpenRequest, { session, prompt }: Turn, end: ReplyEnd): Promise<void> {
  const { items, usage, text } = end.reply;
  if (items.length === 0) {
    const reason = end.failure === "canceled" ? "The client canceled the request." : "The reply was not complete.";
    await session.ended(prompt.id, text === "" ? reason : `${reason} Received until then: ${text}`);
    return;
  }
  const [newest] = await session.entries({ types: ["message", "request"], newestFirst: true, limit: 1 });
  if (newest?.type !== "request" || newest.promptId !== prompt.id) return;
  const facts = { promptId: prompt.id, format: read.dialect.format };
  try {
    await session.append([...items], { ...facts, usage });
  } catch (error) {
    const isUsage = error instanceof PalimpsestError && error.code === "config-invalid";
    if (!isUsage) throw error;
    await session.append([...items], facts);
  }
}
