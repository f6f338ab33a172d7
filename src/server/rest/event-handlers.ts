/** Server-sent events of a tenant's sessions. A slow client is disconnected and can resume after its last event. */
import type { Handlers } from "../app/handler.ts";
import { streamText } from "../http/stream-text.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { EventFeed, FeedEvent } from "../tenants/event-feed.ts";
import type { ServerParts } from "./server-parts.ts";

/** How long a client waits before it reconnects. */
const RETRY_MS = 1_000;

/** How often a quiet stream checks that its token is still valid. */
const CHECK_MS = 1_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Keeps proxies from buffering.
  "x-accel-buffering": "no",
};

export function createEventHandlers({ stopping, metrics, heartbeatMs }: ServerParts): Handlers<"events"> {
  return {
    events: async ({ engine, tenant, caller, query, request, signal }) => {
      const { sessionId } = query;
      if (sessionId !== undefined) await engine.describe(sessionId);
      // A HEAD request would leave a stream open that is never read.
      if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
      const after = request.headers.get("last-event-id") ?? undefined;
      const closed = metrics.openStream("events");
      const ending = new AbortController();
      const events = tenant.feed.follow(AbortSignal.any([signal, stopping, ending.signal]), after);
      const isWanted = (event: FeedEvent) =>
        sessionId === undefined || event.sessionId === sessionId || event.name === "missed";
      const end = () => {
        ending.abort();
        closed();
      };
      const pieces = writeEvents(tenant.feed, { events, isWanted, isAllowed: caller.isValid, heartbeatMs, end });
      return streamText(pieces, HEADERS, end);
    },
  };
}

interface EventStream {
  readonly events: AsyncGenerator<FeedEvent>;
  readonly isWanted: (event: FeedEvent) => boolean;
  /** Returns false once the client's token is no longer valid; then the stream ends. */
  readonly isAllowed: () => boolean;
  readonly heartbeatMs: number;
  /** Ends `events`. May be called twice. */
  readonly end: () => void;
}

async function* writeEvents(feed: EventFeed, stream: EventStream): AsyncGenerator<string> {
  const { events, isWanted, isAllowed, heartbeatMs, end } = stream;
  // Listens before the first line is sent, so that the client misses no event after it.
  let pending: Promise<IteratorResult<FeedEvent>> | undefined = events.next();
  let silentSince = performance.now();
  try {
    yield `retry: ${RETRY_MS}\n: here\n\n`;
    for (;;) {
      pending ??= events.next();
      const event = await withTimeout(pending, Math.min(heartbeatMs, CHECK_MS));
      if (event !== undefined) pending = undefined;
      if (event?.done === true || !isAllowed()) return;
      if (event === undefined && performance.now() - silentSince < heartbeatMs) continue;
      silentSince = performance.now();
      if (event === undefined) yield ": still here\n\n";
      else if (isWanted(event.value)) yield writeEvent(feed.positionOf(event.value), event.value);
    }
  } finally {
    end();
    await events.return(undefined);
  }
}

/** JSON has no line breaks, so the data of an event is one line. */
function writeEvent(position: string, { name, data }: FeedEvent): string {
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
