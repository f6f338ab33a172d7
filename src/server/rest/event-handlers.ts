/**
 * Server-sent events of a tenant's sessions, written as fast as the client reads. A client that reads too slowly is
 * disconnected and can continue after the last event that it has seen.
 */
import type { OPERATION_ROUTES } from "../../protocol/operation-routes.ts";
import type { Handlers } from "../app/handler.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { EventFeed, FeedEvent } from "../tenants/event-feed.ts";
import type { ServerParts } from "./server-parts.ts";

type Name = keyof Pick<typeof OPERATION_ROUTES, "events">;

/** How long a client waits before it reconnects. */
const RETRY_MS = 1_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Keeps proxies from buffering.
  "x-accel-buffering": "no",
};

export function createEventHandlers({
  stopping,
  metrics,
  heartbeatMs,
}: Pick<ServerParts, "stopping" | "metrics" | "heartbeatMs">): Handlers<Name> {
  return {
    events: async ({ engine, tenant, query, request, signal }) => {
      const { sessionId } = query;
      if (sessionId !== undefined) await engine.describe(sessionId);
      const headers = { ...HEADERS };
      // A HEAD request would leave a stream open that is never read.
      if (request.method === "HEAD") return new Response(null, { headers });
      const after = request.headers.get("last-event-id") ?? undefined;
      const closed = metrics.openStream("events");
      const ending = new AbortController();
      const follow = { after, signal: AbortSignal.any([signal, stopping, ending.signal]) };
      const events = tenant.feed.follow(follow);
      const isWanted = (event: FeedEvent) =>
        sessionId === undefined || event.sessionId === sessionId || event.name === "missed";
      const body = writeEvents(tenant.feed, { events, isWanted, heartbeatMs, ending, closed });
      return new Response(body, { headers });
    },
  };
}

interface EventStream {
  readonly events: AsyncGenerator<FeedEvent>;
  readonly isWanted: (event: FeedEvent) => boolean;
  readonly heartbeatMs: number;
  readonly ending: AbortController;
  readonly closed: () => void;
}

function writeEvents(feed: EventFeed, stream: EventStream): ReadableStream<Uint8Array> {
  const { events, isWanted, heartbeatMs, ending, closed } = stream;
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<FeedEvent>> | undefined;
  let isFirst = true;
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      pending ??= events.next();
      const event = await withTimeout(pending, heartbeatMs);
      if (event === undefined) return ": still here\n\n";
      pending = undefined;
      if (event.done === true) return undefined;
      if (isWanted(event.value)) return writeEvent(feed.positionOf(event.value), event.value);
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = isFirst ? `retry: ${RETRY_MS}\n: here\n\n` : await next();
      isFirst = false;
      if (text !== undefined) return controller.enqueue(encoder.encode(text));
      closed();
      controller.close();
    },
    async cancel() {
      ending.abort();
      closed();
      await events.return(undefined);
    },
  });
}

/** JSON has no line breaks, so the data of an event is one line. */
function writeEvent(position: string, { name, data }: FeedEvent): string {
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
