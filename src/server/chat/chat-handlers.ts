/** Chats over HTTP, streamed as server-sent events in the format of the AI SDK's transports. */
import type { CHAT_ROUTES } from "../../protocol/chat-routes.ts";
import { type Caller, checkStillValid, createForkCheck } from "../access/permissions.ts";
import type { Handlers } from "../app/handler.ts";
import { streamText } from "../http/stream-text.ts";
import type { PendingUploads } from "../images/pending-uploads.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { ChatStream } from "./chat-stream.ts";
import type { Chats } from "./chats.ts";

export function createChatHandlers(
  chats: Chats,
  { images, metrics }: { readonly images: PendingUploads; readonly metrics: Metrics },
): Handlers<keyof typeof CHAT_ROUTES> {
  return {
    chat: async ({ tenant, caller, body }) => {
      const request = await images.resolve({ tenantId: tenant.id, sessionId: body.id }, body);
      const turn = await chats.begin(tenant, request, createForkCheck(caller));
      void turn.done.then(metrics.openStream("chat"));
      return sendStream(turn.stream, caller);
    },
    resumeChat: async ({ tenant, caller, params }) => {
      const stream = await chats.find(tenant, params.id);
      return stream === undefined ? new Response(null, { status: 204 }) : sendStream(stream, caller);
    },
    cancelChat: async ({ tenant, params }) => ({ cancelled: await chats.cancel(tenant, params.id) }),
  };
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** A client that disconnects, or whose token is removed, ends only its own reading; the turn continues. */
function sendStream(stream: ChatStream, caller: Caller): Response {
  const disconnected = new AbortController();
  const pieces = writeChunks(stream, disconnected.signal, caller);
  return streamText(pieces, HEADERS, () => disconnected.abort());
}

async function* writeChunks(stream: ChatStream, signal: AbortSignal, caller: Caller): AsyncGenerator<string> {
  for await (const chunks of stream.read(signal)) {
    checkStillValid(caller);
    const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    yield lines.length === 0 ? ": still here\n\n" : lines.join("");
  }
  yield "data: [DONE]\n\n";
}
