/**
 * Which request a compaction belongs to, from its beginning to its end: events tell of a session and a phase, and in
 * one phase of a session one compaction is under way at a time. Nothing is remembered of those that have ended.
 */
import type { CompactionPhase, EngineEvents, EventName, Listener } from "./context/events.ts";

/** Whoever tells of compactions: an opened palimpsest. */
export interface EventSource {
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void;
}

export interface Begun {
  readonly sessionId: string;
  /** The newest prompt when it began; the session's id where there was none. */
  readonly requestId: string;
  readonly boundary?: EngineEvents["topic-boundary"] | undefined;
}

interface About {
  readonly sessionId: string;
  readonly phase?: CompactionPhase | undefined;
}

export interface Following {
  /** Without a phase, the newest of the session. */
  find(about: About): Begun;
  end(about: About): Begun;
  stop(): void;
}

export function followCompactions(source: EventSource): Following {
  const begun = new Map<string, Begun>();
  const keyOf = ({ sessionId, phase }: About) =>
    phase === undefined
      ? [...begun.keys()].findLast((key) => begun.get(key)?.sessionId === sessionId)
      : JSON.stringify([sessionId, phase]);
  const find = (about: About): Begun => {
    const { sessionId } = about;
    return begun.get(keyOf(about) ?? "") ?? { sessionId, requestId: sessionId };
  };
  const stops = [
    source.on("compaction-start", ({ sessionId, phase, promptId }) => {
      const key = JSON.stringify([sessionId, phase]);
      begun.delete(key);
      begun.set(key, { sessionId, requestId: promptId ?? sessionId });
    }),
    source.on("topic-boundary", (boundary) => {
      const key = keyOf({ sessionId: boundary.sessionId });
      if (key !== undefined) begun.set(key, { ...find(boundary), boundary });
    }),
  ];
  return {
    find,
    end(about) {
      const ended = find(about);
      begun.delete(keyOf(about) ?? "");
      return ended;
    },
    stop() {
      for (const stop of stops) stop();
      begun.clear();
    },
  };
}
