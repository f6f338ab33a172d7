/**
 * What happens in an engine, kept for a while in order, so that a client which lost its connection goes on after the
 * last event that it has seen. What is older than that is said to be missing instead of being left out silently.
 */
import { randomBytes } from "node:crypto";
import type { EngineEvents, EventName } from "../../engine/context/events.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { toldEvent } from "./told-event.ts";

export interface FeedEvent {
  readonly id: number;
  readonly name: string;
  readonly sessionId: string | undefined;
  readonly data: unknown;
}

export interface FollowOptions {
  /** What `placeOf` said of the last event that was seen. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

const KEPT_EVENTS = 1_000;
/** A client that takes nothing for so many events is let go: it comes back and goes on where it was. */
const MOST_WAITING = 500;

const TOLD: readonly EventName[] = [
  "append",
  "prompt",
  "compaction-start",
  "topic-boundary",
  "summary",
  "compaction",
  "compaction-end",
  "session-grown",
  "session-deleted",
  "cache",
  "files-shed",
  "warning",
];

export class EventFeed {
  /** Another feed, as after a restart or on another server, counts anew: its events are not those of this one. */
  readonly #name = randomBytes(6).toString("hex");
  readonly #kept: FeedEvent[] = [];
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  #newest = 0;

  constructor(engine: Palimpsest) {
    for (const name of TOLD) {
      engine.on(name, (event) => this.add(name, toldEvent(name, event as EngineEvents[EventName])));
    }
  }

  add(name: string, data: { readonly sessionId?: string | undefined }): void {
    this.#newest += 1;
    const event = { id: this.#newest, name, sessionId: data.sessionId, data };
    this.#kept.push(event);
    if (this.#kept.length > KEPT_EVENTS) this.#kept.shift();
    for (const listener of this.#listeners) listener(event);
  }

  /** How many listen. */
  get followers(): number {
    return this.#listeners.size;
  }

  placeOf({ id }: FeedEvent): string {
    return `${this.#name}-${id}`;
  }

  /** Undefined where some that came after it are gone, or it is no place of this feed. */
  since(place: string): readonly FeedEvent[] | undefined {
    const [name, number = ""] = place.split("-");
    const id = /^\d{1,15}$/.test(number) ? Number(number) : -1;
    const oldest = this.#kept[0]?.id ?? this.#newest + 1;
    if (name !== this.#name || id < 0 || id > this.#newest || id + 1 < oldest) return undefined;
    return this.#kept.filter((event) => event.id > id);
  }

  /** Ends with its signal, or when whoever reads is too slow. */
  async *follow({ after, signal }: FollowOptions): AsyncGenerator<FeedEvent> {
    const waiting: FeedEvent[] = [];
    let isTooSlow = false;
    let wake: (() => void) | undefined;
    const listener = (event: FeedEvent): void => {
      if (waiting.length < MOST_WAITING) waiting.push(event);
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
