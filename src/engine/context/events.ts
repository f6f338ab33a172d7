/** What the engine tells its host while it works. Listeners are called in turn and cannot break the engine. */
import type { CacheFigures } from "../../core/log/cache-use.ts";
import type { EntryId, PromptId, SessionId, Usage } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { ChangeWeight, StepName } from "../../core/plan/proposal.ts";
import type { TriggerType } from "../../core/plan/triggers/trigger.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { SummaryAttempt } from "./summary-attempt.ts";

export interface EngineEvents {
  readonly append: { readonly sessionId: SessionId; readonly messageIds: readonly string[]; readonly tokens: number };
  readonly prompt: {
    readonly sessionId: SessionId;
    readonly promptId: PromptId;
    readonly tokens: number;
    readonly limitTokens: number;
  };
  /** Work on a compaction begins: somebody is going to be asked, or the past is about to change. */
  readonly "compaction-start": {
    readonly sessionId: SessionId;
    /** The newest prompt that was handed out; absent before the first. */
    readonly promptId: PromptId | undefined;
    /** The policy by name. */
    readonly policy: string;
    readonly phase: CompactionPhase;
    readonly need: "soft" | "hard";
    readonly triggers: readonly TriggerType[];
    readonly reason: string;
    readonly tokensBefore: number;
    readonly ratio: number;
  };
  /** Somebody was asked where the conversation turned to something else. */
  readonly "topic-boundary": {
    readonly sessionId: SessionId;
    /** Of the first message of the new topic among those that are shown; undefined where there is none. */
    readonly index: number | undefined;
    readonly confidence: number;
    readonly reason: string;
    readonly detector: "model" | "offline";
    readonly model: string | undefined;
    readonly calls: number;
    readonly usage: Usage | undefined;
    readonly costUsd: number;
    readonly durationMs: number;
  };
  /** Somebody wrote a summary, or tried to. */
  readonly summary: SummaryAttempt & { readonly sessionId: SessionId };
  /** An answer was too long twice, so its end was left out. */
  readonly "summary.trimmed": {
    readonly sessionId: SessionId;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  };
  /** The past was changed. */
  readonly compaction: {
    readonly sessionId: SessionId;
    readonly phase: CompactionPhase;
    readonly reason: string;
    readonly steps: readonly StepName[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** What of a provider's cached prefix it gives up: tokens that go, that come, and that have to be written again. */
    readonly weight: ChangeWeight;
    readonly ratio: number;
    readonly entryIds: readonly EntryId[];
    readonly record: SummaryRecord | undefined;
    readonly compressedMessages: number;
    /** What the model sees of the conversation now. */
    readonly messages: readonly Message[];
    readonly attempts: readonly SummaryAttempt[];
    readonly gate: GateVerdict | undefined;
    readonly durationMs: number;
  };
  /** A compaction that was begun changed nothing. Every one that is begun and not given up ends in this or the above. */
  readonly "compaction-end": {
    readonly sessionId: SessionId;
    readonly phase: CompactionPhase;
    readonly outcome: "none" | "failed" | "stale";
    readonly reason: string;
    readonly attempts: readonly SummaryAttempt[];
    readonly durationMs: number;
  };
  /** A session's log has grown, by this process or another. News may be lost or doubled: read from the seq you know. */
  readonly "session-grown": { readonly sessionId: SessionId; readonly seq: number };
  /** A session is gone, removed by this process or another. News may be lost or doubled. */
  readonly "session-deleted": { readonly sessionId: SessionId };
  /** A job ran here. One that failed is tried again with growing pauses, at last it is a dead letter. */
  readonly "job-end": {
    readonly tenantId: string;
    readonly sessionId: SessionId;
    readonly outcome: "done" | "failed";
    /** Why it failed. */
    readonly reason: string | undefined;
    readonly durationMs: number;
  };
  /** The first answer after a change of the past: what its provider read from and wrote to its cache, and before that. */
  readonly cache: {
    readonly sessionId: SessionId;
    /** Of the views that the two answers were made for; every change between them is in `session.cacheHistory()`. */
    readonly epochBefore: number;
    readonly epochAfter: number;
    readonly before: CacheFigures;
    readonly after: CacheFigures;
  };
  /** Files beside the conversation left a prompt that would have been too large, and the selection with it. */
  readonly "files-shed": {
    readonly sessionId: SessionId;
    readonly promptId: PromptId;
    readonly files: readonly { readonly path: string; readonly tokens: number }[];
  };
  /** A tool that we know was called with arguments of another shape, so that what it did is not known. Told once. */
  readonly "arguments-drift": { readonly sessionId: SessionId; readonly tool: string; readonly problem: string };
  readonly warning: {
    readonly sessionId: SessionId | undefined;
    readonly text: string;
    /** `summarizer-failed`: the `summary` event of the same failure has its figures. */
    readonly code?: "summarizer-failed" | undefined;
  };
}

/** When it was: before a request, after a reply, prepared while others went on, or because somebody asked. */
export type CompactionPhase = "pre-request" | "post-response" | "background" | "manual";

export type EventName = keyof EngineEvents;

const NAMES: Readonly<Record<EventName, true>> = {
  append: true,
  prompt: true,
  "compaction-start": true,
  "topic-boundary": true,
  summary: true,
  "summary.trimmed": true,
  compaction: true,
  "compaction-end": true,
  "session-grown": true,
  "session-deleted": true,
  "job-end": true,
  cache: true,
  "files-shed": true,
  "arguments-drift": true,
  warning: true,
};

/** For whoever has to tell a name from a mistake. The compiler sees that none is forgotten. */
export const EVENT_NAMES: readonly string[] = Object.keys(NAMES);

export type Listener<Name extends EventName> = (event: EngineEvents[Name]) => void;

export interface EventSource {
  /** Returns a function that stops listening. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void;
}

export interface Emitter extends EventSource {
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
    emit(name, said) {
      const event = withoutSecrets(said);
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

/** What others said of a failure is passed on in their words, and those may quote a key. */
function withoutSecrets<Event extends object>(event: Event): Event {
  const told: Record<string, unknown> = {};
  if ("reason" in event && typeof event.reason === "string") told.reason = sayWithoutSecrets(event.reason);
  if ("text" in event && typeof event.text === "string") told.text = sayWithoutSecrets(event.text);
  return { ...event, ...told };
}

export interface HeardWarnings {
  readonly emitter: Emitter;
  readonly onWarning: (text: string) => void;
}

export function createWarningEmitter(): HeardWarnings {
  const { on, emit } = createEmitter();
  const listening = new Set<symbol>();
  const emitter: Emitter = {
    emit,
    on(name, listener) {
      const stop = on(name, listener);
      const mark = Symbol(name);
      if (name === "warning") listening.add(mark);
      return () => {
        listening.delete(mark);
        stop();
      };
    },
  };
  const onWarning = (text: string) => {
    if (listening.size > 0) emit("warning", { sessionId: undefined, text });
    else process.emitWarning(text, "PalimpsestWarning");
  };
  return { emitter, onWarning };
}
