/** Keeps the newest events of an engine, so that clients can resume. One that missed older events gets `missed`. */
import { randomBytes } from "node:crypto";
import type { EngineEvents, EventName } from "../../engine/context/events.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";

export interface FeedEvent {
  readonly id: number;
  readonly name: string;
  readonly sessionId: string | undefined;
  readonly data: unknown;
}

const KEPT_EVENTS = 1_000;
/** Events queued for a slow client before it is disconnected. It can reconnect and continue. */
const MAX_WAITING = 500;

const SHOWN_EVENTS: readonly EventName[] = [
  ...(["append", "prompt", "compaction-start", "topic-boundary", "summary", "compaction", "compaction-end"] as const),
  ...(["catch-up", "session-grown", "session-deleted", "cache", "files-shed", "recall", "warning"] as const),
];

export class EventFeed {
  /** Part of every position: another server, or this one after a restart, has another name. */
  readonly #name = randomBytes(6).toString("hex");
  readonly #kept: FeedEvent[] = [];
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  #newest = 0;

  constructor(engine: Palimpsest) {
    for (const name of SHOWN_EVENTS) {
      engine.on(name, (event) => this.add(name, describeEvent(name, event as EngineEvents[EventName])));
    }
  }

  add(name: string, data: { readonly sessionId?: string | undefined }): void {
    this.#newest += 1;
    const event = { id: this.#newest, name, sessionId: data.sessionId, data };
    this.#kept.push(event);
    if (this.#kept.length > KEPT_EVENTS) this.#kept.shift();
    for (const listener of this.#listeners) listener(event);
  }

  get followers(): number {
    return this.#listeners.size;
  }

  positionOf({ id }: FeedEvent): string {
    return `${this.#name}-${id}`;
  }

  /** Returns undefined if later events are gone or the position belongs to another feed. */
  since(position: string): readonly FeedEvent[] | undefined {
    const [name, number = ""] = position.split("-");
    const id = /^\d{1,15}$/.test(number) ? Number(number) : -1;
    const oldest = this.#kept[0]?.id ?? this.#newest + 1;
    if (name !== this.#name || id < 0 || id > this.#newest || id + 1 < oldest) return undefined;
    return this.#kept.filter((event) => event.id > id);
  }

  /** Starts after a position of `positionOf`. Ends with its signal, or when the reader is too slow. */
  async *follow(signal: AbortSignal, after?: string): AsyncGenerator<FeedEvent> {
    const waiting: FeedEvent[] = [];
    let isTooSlow = false;
    let wake: (() => void) | undefined;
    const listener = (event: FeedEvent): void => {
      if (waiting.length < MAX_WAITING) waiting.push(event);
      else isTooSlow = true;
      wake?.();
    };
    const onAbort = (): void => wake?.();
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort);
    try {
      const missed = after === undefined ? [] : this.since(after);
      if (missed === undefined) yield { id: this.#newest, name: "missed", sessionId: undefined, data: { after } };
      else yield* missed;
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (isTooSlow) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

type ShownEvent = Readonly<Record<string, unknown>> & { readonly sessionId?: string | undefined };

/** Returns ids and figures only. Clients read texts from the session. */
function describeEvent<Name extends EventName>(name: Name, event: EngineEvents[Name]): ShownEvent {
  if (name !== "compaction") return { ...event };
  const { messages, record, ...rest } = event as EngineEvents["compaction"];
  if (record === undefined) return { ...rest, visibleMessages: messages.length };
  const { id, depth, coverage, strategy, model, tokensAfter } = record;
  const summary = { id, depth, coverage, strategy, model, tokensAfter };
  return { ...rest, visibleMessages: messages.length, summary };
}
