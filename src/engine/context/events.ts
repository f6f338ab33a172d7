/** The events that the engine emits, and the summary attempts that they report. Errors of listeners do not affect the engine. */
import type { CacheFigures } from "../../core/log/cache-use.ts";
import type { EntryId, PromptId, SessionId, Usage } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { ChangeWeight, StepName } from "../../core/plan/proposal.ts";
import type { TriggerType } from "../../core/plan/triggers/trigger.ts";
import type { SummaryRule } from "../../core/summary/answers/accept-summary.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import type { SummaryOrigin } from "../../ports/summarizer.ts";

interface OfSession {
  readonly sessionId: SessionId;
}

/** The events of an engine, by name. */
export interface EngineEvents {
  readonly append: { readonly sessionId: SessionId; readonly messageIds: readonly string[]; readonly tokens: number };
  readonly prompt: OfSession & { readonly promptId: PromptId; readonly tokens: number; readonly limitTokens: number };
  readonly "compaction-start": OfSession & {
    readonly promptId: PromptId | undefined;
    readonly policy: string;
    readonly phase: CompactionPhase;
    readonly need: "soft" | "hard";
    readonly triggers: readonly TriggerType[];
    readonly reason: string;
    readonly tokensBefore: number;
    readonly ratio: number;
  };
  /** A topic detector looked for a change of topic. */
  readonly "topic-boundary": OfSession &
    Pick<SummaryAttempt, "model" | "calls" | "usage" | "costUsd" | "durationMs"> & {
      /** Index of the new topic's first message among the shown ones; undefined if there is none. */
      readonly index: number | undefined;
      readonly confidence: number;
      readonly reason: string;
      readonly detector: "model" | "offline";
    };
  /** A summarizer was called, successfully or not. */
  readonly summary: OfSession & SummaryAttempt;
  /** An answer was too long twice, so its end was cut off. */
  readonly "summary.trimmed": OfSession & { readonly tokensBefore: number; readonly tokensAfter: number };
  readonly compaction: OfSession & {
    readonly phase: CompactionPhase;
    readonly reason: string;
    readonly steps: readonly StepName[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** Effect on the provider's cached prefix: tokens removed, added, and to be written again. */
    readonly weight: ChangeWeight;
    readonly ratio: number;
    readonly entryIds: readonly EntryId[];
    readonly record: SummaryRecord | undefined;
    readonly compressedMessages: number;
    /** The messages that the model sees now. */
    readonly messages: readonly Message[];
    readonly attempts: readonly SummaryAttempt[];
    readonly gate: GateVerdict | undefined;
    readonly durationMs: number;
  };
  /** A compaction ended without a change. Every compaction that starts and is not canceled ends in this or `compaction`. */
  readonly "compaction-end": OfSession & {
    readonly phase: CompactionPhase;
    readonly outcome: "none" | "failed" | "stale";
    readonly reason: string;
    readonly attempts: readonly SummaryAttempt[];
    readonly durationMs: number;
  };
  /** A part of a log that is too long for memory was folded. */
  readonly "catch-up": { readonly sessionId: SessionId; readonly foldedThroughSeq: number; readonly lastSeq: number };
  /** A session's log has grown. The event may be lost or repeated: read entries from the seq you know. */
  readonly "session-grown": { readonly sessionId: SessionId; readonly seq: number };
  /** A session was deleted. The event may be lost or repeated. */
  readonly "session-deleted": OfSession;
  /** A job ran in this process. A failed one is retried with growing pauses, and finally becomes a dead letter. */
  readonly "job-end": {
    readonly tenantId: string;
    readonly sessionId: SessionId;
    readonly outcome: "done" | "failed";
    readonly reason: string | undefined;
    readonly durationMs: number;
  };
  /** Cache figures of the first answer after a compaction, and of the answer before it. */
  readonly cache: OfSession & {
    readonly epochBefore: number;
    readonly epochAfter: number;
    readonly before: CacheFigures;
    readonly after: CacheFigures;
  };
  /** Workspace files were left out of a prompt that would not fit, and removed from the selection. */
  readonly "files-shed": OfSession & {
    readonly promptId: PromptId;
    readonly files: readonly { readonly path: string; readonly tokens: number }[];
  };
  /** Earlier messages were searched. */
  readonly recall: RecallEvent;
  /** A known tool was called with arguments of an unknown shape. Emitted once for each shape. */
  readonly "arguments-drift": { readonly sessionId: SessionId; readonly tool: string; readonly problem: string };
  readonly warning: {
    readonly sessionId: SessionId | undefined;
    readonly text: string;
    /** `summarizer-failed`: the `summary` event of the same failure has its figures. */
    readonly code?: "summarizer-failed" | undefined;
  };
}

/** A search for earlier messages: for a prompt, or because the caller or the model asked. Previews emit none. */
export interface RecallEvent {
  /** Undefined if several sessions were searched. */
  readonly sessionId: SessionId | undefined;
  readonly source: "prompt" | "call";
  /** `nothing`: no message matches the request. `failed`: the search threw an error. */
  readonly outcome: "found" | "nothing" | "failed";
  /** Messages that were quoted, and the tokens of the quotations. */
  readonly passages: number;
  readonly tokens: number;
  readonly durationMs: number;
}

/** Before a request, after a reply, in the background, or requested by the caller. */
export type CompactionPhase = "pre-request" | "post-response" | "background" | "manual";

/** The name of an event. */
export type EventName = keyof EngineEvents;

/** A record, so that the compiler reports an event that is missing here. */
const EVENTS: Readonly<Record<EventName, true>> = {
  append: true,
  prompt: true,
  "compaction-start": true,
  "topic-boundary": true,
  summary: true,
  "summary.trimmed": true,
  compaction: true,
  "compaction-end": true,
  "session-grown": true,
  "catch-up": true,
  "session-deleted": true,
  "job-end": true,
  cache: true,
  "files-shed": true,
  recall: true,
  "arguments-drift": true,
  warning: true,
};

/** All event names, to check a name at run time. */
export const EVENT_NAMES = Object.keys(EVENTS);

/** A function that receives the events of one name. */
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
    emit(name, given) {
      const event = redactEvent(given);
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch (error) {
          // An error of a listener becomes a process warning, and the engine continues.
          warn(error instanceof Error ? error : String(error), "PalimpsestListenerWarning");
        }
      }
    },
  };
}

/** Redacts secrets, because an error text of a provider may quote a key. */
function redactEvent<Event extends object>(event: Event): Event {
  const redacted: Record<string, unknown> = {};
  if ("reason" in event && typeof event.reason === "string") redacted.reason = redactForDisplay(event.reason);
  if ("text" in event && typeof event.text === "string") redacted.text = redactForDisplay(event.text);
  return { ...event, ...redacted };
}

/** Outside of Node there are no process warnings. */
function warn(warning: string | Error, name: string): void {
  if (typeof process === "object" && typeof process.emitWarning === "function") process.emitWarning(warning, name);
  else console.warn(`${name}: ${warning}`);
}

export function createWarningEmitter() {
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
    else warn(text, "PalimpsestWarning");
  };
  return { emitter, onWarning };
}

export interface SummaryAttempt {
  /** `accepted` does not mean written: the batch may still be stale. */
  readonly outcome: "accepted" | "reask" | "rejected" | "failed";
  /** The rule that rejected it, or the kind of failure. */
  readonly rule?: SummaryRule | "transport" | "validation" | "refused" | "unavailable" | "aborted" | "late" | undefined;
  readonly reason: string;
  /** Start of an unusable answer, sanitized. */
  readonly rawStart?: string | undefined;
  readonly strategy: string;
  readonly model: string | undefined;
  readonly calls: number;
  readonly usage: Usage | undefined;
  readonly costUsd: number;
  readonly cutResults: number;
  readonly durationMs: number;
}

export function createAttempt(
  origin: SummaryOrigin,
  rest: Pick<SummaryAttempt, "outcome" | "rule" | "reason" | "rawStart" | "durationMs">,
): SummaryAttempt {
  const { strategy, model, calls, usage, costUsd = 0, cuts } = origin;
  const reason = redactForDisplay(rest.reason);
  const rawStart = rest.rawStart === undefined ? undefined : redactForDisplay(rest.rawStart);
  return { ...rest, reason, rawStart, strategy, model, calls, usage, costUsd, cutResults: cuts.length };
}

/** Returns `failed` if an attempt failed, `none` if there was nothing to do. */
export function findEndOutcome(attempts: readonly SummaryAttempt[]): "failed" | "none" {
  return attempts.some(({ outcome }) => outcome !== "accepted") ? "failed" : "none";
}

export function sumCosts(attempts: readonly SummaryAttempt[]): number {
  return attempts.reduce((sum, { costUsd }) => sum + costUsd, 0);
}
