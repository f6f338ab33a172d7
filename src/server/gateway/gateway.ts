/**
 * Forwards requests of a provider's API, and replaces their messages with a session's prompt once the conversation has
 * to be compacted. A conversation that fits is forwarded byte for byte, and at once if its bytes show that it fits.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { answerCompaction } from "./answer-compaction.ts";
import { findCompactionRequest } from "./compaction-request.ts";
import { forward } from "./forward.ts";
import { chooseUpstream, type GatewayCall, type GatewayParts, readCall } from "./gateway-call.ts";
import { findMemory } from "./gateway-memory.ts";
import type { Vendor } from "./gateway-options.ts";
import { type FoundConversation, isQuiet } from "./known-conversations.ts";
import { type OpenRequest, openRequest, prepareTurn, type Turn } from "./prepare-turn.ts";
import { type Dialect, readGatewayRequest } from "./read-request.ts";
import { createResponse } from "./relay-reply.ts";
import { answerIncoming, relayTurn, type Sending, send } from "./send-turn.ts";

/** Forwards a request without a conversation, such as one for the list of models. */
export async function passOn(call: GatewayCall, vendor: Vendor, parts: GatewayParts): Promise<Response> {
  return createResponse(await forward(chooseUpstream(call, { ...parts, vendor }), call), { headers: {} });
}

export async function answerConversation(call: GatewayCall, dialect: Dialect, parts: GatewayParts): Promise<Response> {
  const { sent, text, body } = await readCall(call);
  const read = body && readGatewayRequest(dialect, body);
  const model = typeof body?.model === "string" ? body.model : undefined;
  const upstream = chooseUpstream(call, { ...parts, vendor: dialect.vendor, model });
  // The upstream explains what is wrong with a request that cannot be read.
  if (text === undefined || read === undefined) return createResponse(await forward(upstream, sent), { headers: {} });
  const open = openRequest({ call: sent, upstream, text, read, memory: findMemory(parts.memories, call.engine) });
  const compaction = findCompactionRequest(read, call);
  const sending = { open, compaction, parts };
  if (compaction !== undefined && parts.clientCompaction === "own") {
    const response = await answerCompaction(open, compaction, parts).catch((error) => void parts.onError(error));
    if (response !== undefined) return response;
  }
  const found = compaction === undefined ? open.found : undefined;
  if (found !== undefined && isQuiet(found, { ...read, bodyBytes: text.length, at: Date.now() })) {
    return answerAtOnce(sending, found);
  }
  let turn: Turn;
  try {
    turn = await prepareTurn(open, parts);
  } catch (error) {
    return answerDegraded(open, error, parts);
  }
  return send({ ...sending, turn });
}

/** Forwards the request before its conversation is read, which happens beside the stream. */
async function answerAtOnce(sending: Omit<Sending, "turn">, found: FoundConversation): Promise<Response> {
  const { open, parts } = sending;
  const { known, shared } = found;
  const responding = forward(open.upstream, open.call);
  // The list is the log with something new after it, so it continues the same session.
  const isCertain = shared === known.history.length;
  const started = isCertain ? responding.then(() => nextTurn()) : nextTurn();
  const turn = started.then(
    () =>
      prepareTurn(open, parts).catch((error: unknown) => {
        if (open.name !== undefined) open.memory.conversations.forget(open.name);
        return reportDegraded(error, parts);
      }),
    () => "upstream-unreachable",
  );
  const incoming = await responding;
  if (isCertain) return relayTurn(incoming, { ...sending, turn, sessionId: known.sessionId });
  const result = await turn;
  if (typeof result === "string") return createResponse(incoming, { headers: { "x-palimpsest-degraded": result } });
  return answerIncoming(incoming, { ...sending, turn: result, sent: open.call });
}

/** Forwards the whole conversation if the engine has failed, unless it was compacted: then it may be too long. */
async function answerDegraded(open: OpenRequest, error: unknown, parts: GatewayParts): Promise<Response> {
  const { call, upstream, name, memory } = open;
  if (call.signal.aborted || (name !== undefined && memory.wasCompacted(name))) throw error;
  const code = reportDegraded(error, parts);
  return createResponse(await forward(upstream, call), { headers: { "x-palimpsest-degraded": code } });
}

function reportDegraded(error: unknown, { onError }: Pick<GatewayParts, "onError">): string {
  onError(error);
  return error instanceof PalimpsestError ? error.code : "unexpected";
}
