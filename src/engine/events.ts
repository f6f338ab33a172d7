/** What the engine tells its host while it works. Listeners are called in turn and cannot break the engine. */
import type { EntryId, PromptId, SessionId } from "../core/log/entry.ts";
import type { StepName } from "../core/plan/proposal.ts";

export interface EngineEvents {
  readonly append: { readonly sessionId: SessionId; readonly messageIds: readonly string[]; readonly tokens: number };
  readonly prompt: {
    readonly sessionId: SessionId;
    readonly promptId: PromptId;
    readonly tokens: number;
    readonly limitTokens: number;
  };
  readonly compaction: {
    readonly sessionId: SessionId;
    readonly reason: string;
    readonly steps: readonly StepName[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly ratio: number;
    readonly entryIds: readonly EntryId[];
  };
  readonly warning: { readonly sessionId: SessionId | undefined; readonly text: string };
}

export type EventName = keyof EngineEvents;
export type Listener<Name extends EventName> = (event: EngineEvents[Name]) => void;

export interface Emitter {
  /** Returns how to stop listening. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void;
  emit<Name extends EventName>(name: Name, event: EngineEvents[Name]): void;
}

export function createEmitter(): Emitter {
  const listeners = new Map<EventName, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known);
      known.add(listener);
      return () => known.delete(listener);
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch (error) {
          // A listener's fault is the host's: it is told, and neither the work nor the process ends for it.
          process.emitWarning(error instanceof Error ? error : String(error), "PalimpsestListenerWarning");
        }
      }
    },
  };
}
