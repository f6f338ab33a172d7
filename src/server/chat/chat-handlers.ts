/** Chats over HTTP. */
import type { CHAT_ROUTES } from "../../protocol/chat-routes.ts";
import type { Handlers } from "../app/handler.ts";
import type { ServerParts } from "../rest/server-parts.ts";
import type { Chats } from "./chats.ts";
import { sendStream } from "./send-stream.ts";

export function createChatHandlers(
  chats: Chats,
  { images, metrics }: Pick<ServerParts, "images" | "metrics">,
): Handlers<keyof typeof CHAT_ROUTES> {
  return {
    chat: async ({ tenant, body }) => {
      const request = await images.resolve({ tenantId: tenant.id, sessionId: body.id }, body);
      const turn = await chats.begin(tenant, request);
      void turn.done.then(metrics.openStream("chat"));
      return sendStream(turn.stream);
    },
    resumeChat: async ({ tenant, params }) => {
      const stream = await chats.find(tenant, params.id);
      return stream === undefined ? new Response(null, { status: 204 }) : sendStream(stream);
    },
    cancelChat: async ({ tenant, params }) => ({ cancelled: await chats.cancel(tenant, params.id) }),
  };
}
