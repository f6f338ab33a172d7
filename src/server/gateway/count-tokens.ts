/**
 * Counts the prompt that the upstream would get, not the client's whole list: a client that compares the count with the
 * window would compact a conversation that is already short. Nothing is written.
 */
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import type { JsonObject } from "../../core/message/json.ts";
import { previewConversation } from "./find-conversation.ts";
import { forward } from "./forward.ts";
import { chooseUpstream, type GatewayCall, type GatewayParts, readCall, replaceBody } from "./gateway-call.ts";
import { findMemory } from "./gateway-memory.ts";
import { findPlace, isOwnList, keyOf, type OpenRequest, openRequest, writePromptOptions } from "./prepare-turn.ts";
import { DIALECTS, readGatewayRequest } from "./read-request.ts";
import { createResponse } from "./relay-reply.ts";
import { writeBody } from "./write-body.ts";

const DIALECT = DIALECTS["/v1/messages"];

export async function answerCount(call: GatewayCall, parts: GatewayParts): Promise<Response> {
  const { sent, text, body } = await readCall(call);
  const read = body && readGatewayRequest(DIALECT, body);
  const upstream = chooseUpstream(call, { ...parts, vendor: DIALECT.vendor, model: read?.model });
  const memory = findMemory(parts.memories, call.engine);
  const open =
    text === undefined || read === undefined ? undefined : openRequest({ call: sent, upstream, text, read, memory });
  const shrunk = open && (await shrink(open, parts).catch((error) => void parts.onError(error)));
  return createResponse(await forward(upstream, shrunk ?? sent), { headers: {} });
}

/** Returns undefined for a conversation that was never compacted, or that is unknown. */
async function shrink(open: OpenRequest, { windowTokens }: GatewayParts): Promise<GatewayCall | undefined> {
  const { call, read, text } = open;
  const start = await findPlace(open);
  const found = await previewConversation(call.engine, read.history, keyOf(open), start);
  if (found === undefined) return undefined;
  const { session, newMessages } = found;
  const options = { ...writePromptOptions(read), windowTokens, preview: true } as const;
  if (isOwnList({ prompt: await session.prompt(options), start })) return undefined;
  const next = newMessages === 0 ? undefined : decodeNew(read.history, newMessages);
  const prompt = await session.prompt({ ...options, next });
  return replaceBody(call, writeBody({ text, read, prompt }));
}

function decodeNew(history: readonly JsonObject[], count: number) {
  const { messages } = decodeInput(history, { format: DIALECT.format, fallbackId: (index) => `new-${index}` });
  return messages.flat().slice(-count);
}
