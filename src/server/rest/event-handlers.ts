/**
 * Server-sent events. A client is asked for nothing and told what happens in its sessions; it is written to as fast as
 * it reads, and one that reads too slowly is let go and comes back by the id of the last event that it has seen.
 */
import type { OPERATION_ROUTES } from "../../protocol/operation-routes.ts";
import type { Handlers } from "../app/handler.ts";
import type { EventFeed, FeedEvent } from "../tenants/event-feed.ts";
import type { ServerParts } from "./server-parts.ts";

type Name = keyof Pick<typeof OPERATION_ROUTES, "events">;

/** How long a client waits before it comes back. */
const RETRY_MS = 1_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // For what stands between, which would wait for more before it passes anything on.
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
      // Whoever asks for the head alone reads no stream, and would leave one behind.
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

interface Writing {
  readonly events: AsyncGenerator<FeedEvent>;
  readonly isWanted: (event: FeedEvent) => boolean;
  readonly heartbeatMs: number;
  readonly ending: AbortController;
  readonly closed: () => void;
}

function writeEvents(feed: EventFeed, writing: Writing): ReadableStream<Uint8Array> {
  const { events, isWanted, heartbeatMs, ending, closed } = writing;
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<FeedEvent>> | undefined;
  let isFirst = true;
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      pending ??= events.next();
      const news = await within(heartbeatMs, pending);
      if (news === undefined) return ": still here\n\n";
      pending = undefined;
      if (news.done === true) return undefined;
      if (isWanted(news.value)) return writeEvent(feed.placeOf(news.value), news.value);
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

/** Undefined where it takes longer. */
async function within<Value>(milliseconds: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** JSON holds no line break, so that an event is one line of data. */
function writeEvent(place: string, { name, data }: FeedEvent): string {
  return `id: ${place}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
