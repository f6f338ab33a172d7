/** Finds the request that a compaction belongs to. A session runs at most one compaction in each phase at a time. */
import type { CompactionPhase, EngineEvents, EventSource } from "../../engine/context/events.ts";

export interface CompactionStart {
  readonly sessionId: string;
  /** Id of the newest prompt when the compaction started; the session's id without a prompt. */
  readonly requestId: string;
  readonly boundary?: EngineEvents["topic-boundary"] | undefined;
}

interface CompactionKey {
  readonly sessionId: string;
  readonly phase?: CompactionPhase | undefined;
}

export interface CompactionTracker {
  /** Returns the newest compaction of the session if the key has no phase. */
  find(key: CompactionKey): CompactionStart;
  /** Returns the compaction that `find` returns, and forgets it. */
  end(key: CompactionKey): CompactionStart;
  stop(): void;
}

export function followCompactions(source: EventSource): CompactionTracker {
  const starts = new Map<string, CompactionStart>();
  const findKey = ({ sessionId, phase }: CompactionKey) =>
    phase === undefined
      ? [...starts.keys()].findLast((key) => starts.get(key)?.sessionId === sessionId)
      : JSON.stringify([sessionId, phase]);
  const find = (key: CompactionKey): CompactionStart => {
    const { sessionId } = key;
    return starts.get(findKey(key) ?? "") ?? { sessionId, requestId: sessionId };
  };
  const stops = [
    source.on("compaction-start", ({ sessionId, phase, promptId }) => {
      const key = JSON.stringify([sessionId, phase]);
      starts.delete(key);
      starts.set(key, { sessionId, requestId: promptId ?? sessionId });
    }),
    source.on("topic-boundary", (boundary) => {
      const key = findKey({ sessionId: boundary.sessionId });
      if (key !== undefined) starts.set(key, { ...find(boundary), boundary });
    }),
  ];
  return {
    find,
    end(key) {
      const ended = find(key);
      starts.delete(findKey(key) ?? "");
      return ended;
    },
    stop() {
      for (const stop of stops) stop();
      starts.clear();
    },
  };
}
