/** Sends a prompt to the upstream, relays the reply, and stores it in the session. */
import type { IncomingMessage } from "node:http";
import { PalimpsestError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/message/json.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { CompactionRequest } from "./compaction-request.ts";
import { continueAfterReply } from "./continued-conversation.ts";
import { forward } from "./forward.ts";
import { type GatewayCall, type GatewayParts, replaceBody } from "./gateway-call.ts";
import { holdError } from "./hold-error.ts";
import { isOwnList, keyOf, listConversation, type OpenRequest, rememberReply, type Turn } from "./prepare-turn.ts";
import { decodeBytes } from "./read-bytes.ts";
import { cleanMessage } from "./read-request.ts";
import { createResponse, type ReplyEnd, relayReply } from "./relay-reply.ts";
import { writeBody } from "./write-body.ts";

export interface Sending {
  readonly open: OpenRequest;
  readonly turn: Turn;
  /** Set if the client compacts its conversation with this request. */
  readonly compaction?: CompactionRequest | undefined;
  readonly parts: GatewayParts;
}

type Sent = Sending & { readonly sent: GatewayCall };

/** Sends the prompt. If the upstream refuses it as too long, a smaller one follows, once. */
export async function send(sending: Sending): Promise<Response> {
  const { open, turn } = sending;
  const sent = writeCall(open, turn);
  return answerIncoming(await forward(open.upstream, sent), { ...sending, sent });
}

/** Statuses with which providers refuse a prompt that is too long. */
const REFUSALS: readonly number[] = [400, 413, 422];

export async function answerIncoming(incoming: IncomingMessage, sent: Sent): Promise<Response> {
  const { open, turn } = sent;
  const isRefusal = REFUSALS.includes(incoming.statusCode ?? 0);
  const { error, chunks } = isRefusal
    ? { error: await readAll(incoming), chunks: incoming }
    : await holdError(incoming);
  if (error === undefined) return relay(incoming, sent, chunks);
  const prompt = await findSmaller(sent, incoming, error);
  if (prompt === undefined) {
    return createResponse(incoming, { headers: describeTurn(sent), chunks: once(error) });
  }
  const next = { ...turn, prompt };
  const smaller = writeCall(open, next);
  return relay(await forward(open.upstream, smaller), { ...sent, turn: next, sent: smaller });
}

async function findSmaller(
  { open, turn }: Sending,
  { statusCode = 0, headers }: IncomingMessage,
  bytes: Uint8Array,
): Promise<Prompt | undefined> {
  const { session, prompt, isRetry, start } = turn;
  // The prompt of a repeated request may have been made without an entry.
  if (isRetry && isOwnList(turn)) return undefined;
  const text = await decodeBytes(bytes, headers["content-encoding"] ?? null);
  // An error that arrives as a stream has the status of the stream.
  const status = REFUSALS.includes(statusCode) ? statusCode : REFUSALS[0];
  try {
    const error = Object.assign(new Error(text), { status });
    const smaller = await session.refused(error, { promptId: prompt.id });
    // A session to which another request has appended does not answer this one. A retry gets one of its own.
    const own = await listConversation(open, start);
    return own.session.id === session.id && !own.isBehind ? smaller : undefined;
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

function writeCall({ call, text, read }: OpenRequest, turn: Turn): GatewayCall {
  return isOwnList(turn) ? call : replaceBody(call, writeBody({ text, read, prompt: turn.prompt }));
}

/** The tokens saved are estimated from the bytes that were not sent. */
function describeTurn({ open, turn, sent }: Pick<Sent, "open" | "turn" | "sent">): Readonly<Record<string, string>> {
  const { session, prompt } = turn;
  const sentBytes = sent.body?.byteLength ?? 0;
  const share = sentBytes === 0 ? 0 : Buffer.byteLength(open.text) / sentBytes - 1;
  const saved = isOwnList(turn) ? 0 : Math.max(0, Math.round(prompt.report.tokens * share));
  return writeHeaders(session.id, saved);
}

function writeHeaders(sessionId: string, saved: number): Readonly<Record<string, string>> {
  return { "x-palimpsest-session": sessionId, "x-palimpsest-saved-tokens": String(saved) };
}

function relay(incoming: IncomingMessage, sent: Sent, chunks?: AsyncIterable<Uint8Array>): Response {
  const { open, parts } = sent;
  return relayReply(incoming, {
    dialect: open.read.dialect,
    headers: describeTurn(sent),
    chunks,
    onEnd: (end) => storeReply(sent, end).catch(parts.onError),
  });
}

export interface RelayedTurn extends Omit<Sending, "turn"> {
  /** A text if the conversation could not be read. */
  readonly turn: Promise<Turn | string>;
  readonly sessionId: string;
}

/** Relays the reply to a request whose conversation is read in the meantime. */
export async function relayTurn(
  incoming: IncomingMessage,
  { turn, sessionId, ...sending }: RelayedTurn,
): Promise<Response> {
  const { open, parts } = sending;
  if (REFUSALS.includes(incoming.statusCode ?? 0)) {
    const read = await turn;
    if (typeof read !== "string") return answerIncoming(incoming, { ...sending, turn: read, sent: open.call });
  }
  const store = async (end: ReplyEnd) => {
    const read = await turn;
    if (typeof read !== "string") await storeReply({ ...sending, turn: read }, end);
  };
  return relayReply(incoming, {
    dialect: open.read.dialect,
    headers: writeHeaders(sessionId, 0),
    onEnd: (end) => store(end).catch(parts.onError),
  });
}

/**
 * Appends a complete reply. Another reply may have arrived in the meantime. Then the client's next request contains
 * this one.
 */
async function storeReply({ open, turn, compaction }: Sending, end: ReplyEnd): Promise<void> {
  const { session, prompt, isRetry } = turn;
  if (isRetry) return;
  const { items, text } = end.reply;
  if (items.length === 0) {
    const reason = end.failure === "canceled" ? "The client canceled the request." : "The reply was not complete.";
    await session.ended(prompt.id, text === "" ? reason : `${reason} Received until then: ${text}`);
    return;
  }
  if (compaction?.form === "list") {
    return continueAfterReply({ session, throughSeq: turn.throughSeq, items }, keyOf(open));
  }
  const [newest] = await session.entries({ types: ["message", "request"], newestFirst: true, limit: 1 });
  if (newest?.type !== "request" || newest.promptId !== prompt.id) return;
  const seq = await appendReply(open, turn, end);
  rememberReply(open, turn, { seq, history: items.filter(isJsonObject).map(cleanMessage) });
  if (compaction !== undefined) await continueAfterReply({ session, throughSeq: seq, items }, keyOf(open));
}

async function appendReply({ read }: OpenRequest, { session, prompt }: Turn, { reply }: ReplyEnd): Promise<number> {
  const facts = { promptId: prompt.id, format: read.dialect.format };
  const append = async (usage: JsonObject | undefined) => {
    const { messages } = await session.append([...reply.items], { ...facts, usage });
    return messages.at(-1)?.seq ?? 0;
  };
  try {
    return await append(reply.usage);
  } catch (error) {
    const isUsage = error instanceof PalimpsestError && error.code === "config-invalid";
    if (!isUsage) throw error;
    return append(undefined);
  }
}
