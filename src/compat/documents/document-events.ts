/**
 * Translates engine events to the names and shapes of the documents that three presets reproduce. It decides nothing,
 * and events without a name in the document are left out. A callback gets the name, the id of the request and the event.
 */
import type { Message } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { EngineEvents, EventSource, SummaryAttempt } from "../../engine/context/events.ts";
import { type CompactionStart, type CompactionTracker, followCompactions } from "./follow-compactions.ts";

/** The events of each document, by its preset. */
export interface DocumentEvents {
  readonly "agent-rounds": AgentRoundsEvents;
  readonly workspace: { readonly compactionEvent: CompactionEvent };
  readonly "ratio-chain": RatioChainEvents;
}

/** A preset whose document has names of its own for events. */
export type EventDocument = keyof DocumentEvents;

type CallbackArguments<Events> = {
  [Name in keyof Events]: [name: Name, requestId: string, event: Events[Name]];
}[keyof Events];

/** Checking the name narrows the type of the event. */
export type DocumentCallback<Document extends EventDocument> = (
  ...args: CallbackArguments<DocumentEvents[Document]>
) => void;

export interface AgentRoundsEvents {
  /** Shown before the visible reply continues. */
  readonly progress: { readonly message: string };
  readonly summarizedConversationHistory: {
    /** `success`, the rule that rejected an answer, or the kind of failure. */
    readonly outcome: "success" | NonNullable<SummaryAttempt["rule"]> | SummaryAttempt["outcome"];
    readonly model: string | undefined;
    readonly strategy: string;
    readonly durationMs: number;
    readonly toolCallRoundId?: string | undefined;
    readonly cutResults: number;
  };
  /** Emitted when no summary was written. The user gets an answer anyway. */
  readonly triggerSummarizeFailed: { readonly reason: string };
}

/** A stage of a compaction under the names of the document of `workspace`. */
export type CompactionEvent =
  | { readonly stage: "compaction_start"; readonly message: string }
  | ({ readonly stage: "compaction_complete" } & CompactionResult)
  | { readonly stage: "compaction_error"; readonly error: string };

/** Result of a compaction. `none` has no messages: the shown conversation does not change. */
export type CompactionResult =
  | { readonly case: "none" }
  | {
      readonly case: "truncate" | "summarize";
      /** The messages that the model sees from now on. */
      readonly messages: readonly TextMessage[];
      readonly boundary?: DocumentBoundary | undefined;
      readonly summary?: string | undefined;
    };

export interface TextMessage {
  readonly role: Message["role"];
  readonly content: string;
}

export interface DocumentBoundary {
  readonly boundary_index: number | null;
  readonly boundary_reason: string;
  readonly confidence: number;
}

export interface RatioChainEvents {
  readonly summarization: {
    readonly reason: string;
    readonly depth: number;
    readonly tokensBefore: number;
    readonly ratio: number;
  };
  readonly debug: {
    readonly depth: number;
    readonly compressedMessages: number;
    readonly ratioBefore: number;
    readonly estimateAfter: number;
  };
  /** Emitted when nothing changed because no summary could be written. */
  readonly diagnostic: {
    readonly reason: string;
    readonly attempts: readonly Pick<SummaryAttempt, "outcome" | "rule" | "reason" | "rawStart" | "calls">[];
  };
}

type DocumentListener = {
  [Document in EventDocument]: [document: Document, callback: DocumentCallback<Document>];
}[EventDocument];

/**
 * Returns a function that stops listening.
 *
 * @example
 * ```ts
 * const stop = onDocumentEvents(palimpsest, "agent-rounds", (name, requestId, event) => console.log(name, requestId, event));
 * stop();
 * ```
 */
export function onDocumentEvents<Document extends EventDocument>(
  source: EventSource,
  document: Document,
  callback: DocumentCallback<Document>,
): () => void;
export function onDocumentEvents(source: EventSource, ...[document, callback]: DocumentListener): () => void {
  const tracker = followCompactions(source);
  const stops = [tracker.stop];
  switch (document) {
    case "agent-rounds":
      stops.push(...translateAgentRounds(source, tracker, callback));
      break;
    case "workspace":
      stops.push(...translateWorkspace(source, tracker, callback));
      break;
    case "ratio-chain":
      stops.push(...translateRatioChain(source, tracker, callback));
      break;
    default:
      document satisfies never;
  }
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Returns the messages after a compaction, or the history itself if there was none.
 *
 * @example
 * ```ts
 * onDocumentEvents(palimpsest, "workspace", (_name, _requestId, event) => {
 *   if (event.stage === "compaction_complete") console.log(applyCompaction([], event));
 * });
 * ```
 */
export function applyCompaction(history: readonly TextMessage[], result: CompactionResult): readonly TextMessage[] {
  return result.case === "none" ? history : result.messages;
}

type StopFunctions = readonly (() => void)[];

function translateAgentRounds(
  source: EventSource,
  tracker: CompactionTracker,
  callback: DocumentCallback<"agent-rounds">,
): StopFunctions {
  return [
    source.on("compaction-start", (event) =>
      callback("progress", tracker.find(event).requestId, { message: "Summarizing conversation history..." }),
    ),
    source.on("summary", (event) => {
      if (event.outcome !== "rejected" && event.outcome !== "failed") return;
      const { outcome, rule, model, strategy, durationMs, cutResults } = event;
      const failed = { outcome: rule ?? outcome, model, strategy, durationMs, cutResults };
      callback("summarizedConversationHistory", tracker.find(event).requestId, failed);
    }),
    source.on("compaction", (event) => {
      const { requestId } = tracker.end(event);
      const { record, durationMs } = event;
      if (record === undefined) {
        callback("triggerSummarizeFailed", requestId, { reason: "Nothing could be summarized." });
        return;
      }
      const { model, strategy, cutResults = 0, lastRoundId: toolCallRoundId } = record;
      const written = { outcome: "success", model, strategy, durationMs, toolCallRoundId, cutResults } as const;
      callback("summarizedConversationHistory", requestId, written);
    }),
    source.on("compaction-end", (event) => {
      const { requestId } = tracker.end(event);
      if (event.outcome === "failed") callback("triggerSummarizeFailed", requestId, { reason: event.reason });
    }),
  ];
}

function translateWorkspace(
  source: EventSource,
  tracker: CompactionTracker,
  callback: DocumentCallback<"workspace">,
): StopFunctions {
  const emit = (requestId: string, event: CompactionEvent) => callback("compactionEvent", requestId, event);
  return [
    source.on("compaction-start", (event) =>
      emit(tracker.find(event).requestId, { stage: "compaction_start", message: "Compacting..." }),
    ),
    source.on("compaction", (event) => {
      const start = tracker.end(event);
      emit(start.requestId, { stage: "compaction_complete", ...describeResult(event, start) });
    }),
    source.on("compaction-end", (event) => {
      const { requestId } = tracker.end(event);
      if (event.outcome === "failed") emit(requestId, { stage: "compaction_error", error: event.reason });
      else emit(requestId, { stage: "compaction_complete", case: "none" });
    }),
  ];
}

function describeResult(
  { record, messages }: EngineEvents["compaction"],
  { boundary }: CompactionStart,
): CompactionResult {
  const shown = messages.map((message) => ({ role: message.role, content: messageText(message) }));
  const result = { messages: shown, ...(boundary === undefined ? {} : { boundary: describeBoundary(boundary) }) };
  return record === undefined
    ? { case: "truncate", ...result }
    : { case: "summarize", ...result, summary: record.text };
}

function describeBoundary({ index, reason, confidence }: EngineEvents["topic-boundary"]): DocumentBoundary {
  return { boundary_index: index ?? null, boundary_reason: reason, confidence };
}

function translateRatioChain(
  source: EventSource,
  tracker: CompactionTracker,
  callback: DocumentCallback<"ratio-chain">,
): StopFunctions {
  return [
    source.on("compaction", (event) => {
      const { requestId } = tracker.end(event);
      const { record, reason, tokensBefore, tokensAfter, compressedMessages } = event;
      // A compaction that only drops the oldest messages is not reported as a summarization.
      if (record === undefined) return;
      const { depth, tokenRatio: ratio = event.ratio } = record;
      callback("summarization", requestId, { reason, depth, tokensBefore, ratio });
      const figures = { depth, compressedMessages, ratioBefore: ratio, estimateAfter: tokensAfter };
      callback("debug", requestId, figures);
    }),
    source.on("compaction-end", (event) => {
      const { requestId } = tracker.end(event);
      if (event.outcome !== "failed") return;
      const attempts = event.attempts.map(({ outcome, rule, reason, rawStart, calls }) => {
        return { outcome, rule, reason, rawStart, calls };
      });
      callback("diagnostic", requestId, { reason: event.reason, attempts });
    }),
  ];
}
