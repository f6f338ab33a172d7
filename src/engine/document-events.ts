/**
 * What the engine tells its host, under the names and in the shapes of the documents that three presets come from. A
 * translation only: nothing is decided here, and what a document has no name for is not told. Every callback gets the
 * name, the id of the request it is about, and the event.
 */
import type { Message } from "../core/message/message.ts";
import { messageText } from "../core/message/message-text.ts";
import type { EngineEvents } from "./context/events.ts";
import type { SummaryAttempt } from "./context/summary-attempt.ts";
import { type Begun, type EventSource, type Following, followCompactions } from "./follow-compactions.ts";

export interface DocumentEvents {
  readonly "agent-rounds": AgentRoundsEvents;
  readonly workspace: { readonly compactionEvent: CompactionEvent };
  readonly "ratio-chain": RatioChainEvents;
}

export type EventDocument = keyof DocumentEvents;

type Told<Events> = { [Name in keyof Events]: [name: Name, requestId: string, event: Events[Name]] }[keyof Events];

/** A check of the name tells the type of the event. */
export type DocumentCallback<Document extends EventDocument> = (...told: Told<DocumentEvents[Document]>) => void;

export interface AgentRoundsEvents {
  /** Shown before the visible reply goes on. */
  readonly progress: { readonly message: string };
  readonly summarizedConversationHistory: {
    /** `success`, or the rule that refused an answer, or the kind of failure. */
    readonly outcome: "success" | NonNullable<SummaryAttempt["rule"]> | SummaryAttempt["outcome"];
    readonly model: string | undefined;
    readonly strategy: string;
    readonly durationMs: number;
    readonly toolCallRoundId?: string | undefined;
    readonly cutResults: number;
  };
  /** No summary came of it; the user gets an answer all the same. */
  readonly triggerSummarizeFailed: { readonly reason: string };
}

export type CompactionEvent =
  | { readonly stage: "compaction_start"; readonly message: string }
  | ({ readonly stage: "compaction_complete" } & CompactionResult)
  | { readonly stage: "compaction_error"; readonly error: string };

/** What came of a compaction. `none` carries no messages: what is shown stays as it is. */
export type CompactionResult =
  | { readonly case: "none" }
  | {
      readonly case: "truncate" | "summarize";
      /** What the model sees from now on. */
      readonly messages: readonly PlainMessage[];
      readonly boundary?: DocumentBoundary | undefined;
      readonly summary?: string | undefined;
    };

export interface PlainMessage {
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
  /** Nothing was changed, because no summary could be written. */
  readonly diagnostic: {
    readonly reason: string;
    readonly attempts: readonly Pick<SummaryAttempt, "outcome" | "rule" | "reason" | "rawStart" | "calls">[];
  };
}

type DocumentListener = {
  [Document in EventDocument]: [document: Document, callback: DocumentCallback<Document>];
}[EventDocument];

/** Returns how to stop listening. */
export function onDocumentEvents<Document extends EventDocument>(
  source: EventSource,
  document: Document,
  callback: DocumentCallback<Document>,
): () => void;
export function onDocumentEvents(source: EventSource, ...[document, callback]: DocumentListener): () => void {
  const following = followCompactions(source);
  const stops = [following.stop];
  switch (document) {
    case "agent-rounds":
      stops.push(...tellAgentRounds(source, { following, callback }));
      break;
    case "workspace":
      stops.push(...tellWorkspace(source, { following, callback }));
      break;
    case "ratio-chain":
      stops.push(...tellRatioChain(source, { following, callback }));
      break;
    default:
      document satisfies never;
  }
  return () => {
    for (const stop of stops) stop();
  };
}

/** The history that stands after a compaction. */
export function applyCompaction(history: readonly PlainMessage[], result: CompactionResult): readonly PlainMessage[] {
  return result.case === "none" ? history : result.messages;
}

interface Telling<Document extends EventDocument> {
  readonly following: Following;
  readonly callback: DocumentCallback<Document>;
}

type Stops = readonly (() => void)[];

function tellAgentRounds(source: EventSource, { following, callback }: Telling<"agent-rounds">): Stops {
  return [
    source.on("compaction-start", (event) =>
      callback("progress", following.find(event).requestId, { message: "Summarizing conversation history..." }),
    ),
    source.on("summary", (event) => {
      if (event.outcome !== "rejected" && event.outcome !== "failed") return;
      const { outcome, rule, model, strategy, durationMs, cutResults } = event;
      const failed = { outcome: rule ?? outcome, model, strategy, durationMs, cutResults };
      callback("summarizedConversationHistory", following.find(event).requestId, failed);
    }),
    source.on("compaction", (event) => {
      const { requestId } = following.end(event);
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
      const { requestId } = following.end(event);
      if (event.outcome === "failed") callback("triggerSummarizeFailed", requestId, { reason: event.reason });
    }),
  ];
}

function tellWorkspace(source: EventSource, { following, callback }: Telling<"workspace">): Stops {
  const tell = (requestId: string, event: CompactionEvent) => callback("compactionEvent", requestId, event);
  return [
    source.on("compaction-start", (event) =>
      tell(following.find(event).requestId, { stage: "compaction_start", message: "Compacting..." }),
    ),
    source.on("compaction", (event) => {
      const begun = following.end(event);
      tell(begun.requestId, { stage: "compaction_complete", ...resultOf(event, begun) });
    }),
    source.on("compaction-end", (event) => {
      const { requestId } = following.end(event);
      if (event.outcome === "failed") tell(requestId, { stage: "compaction_error", error: event.reason });
      else tell(requestId, { stage: "compaction_complete", case: "none" });
    }),
  ];
}

function resultOf({ record, messages }: EngineEvents["compaction"], { boundary }: Begun): CompactionResult {
  const shown = messages.map((message) => ({ role: message.role, content: messageText(message) }));
  const result = { messages: shown, ...(boundary === undefined ? {} : { boundary: boundaryOf(boundary) }) };
  return record === undefined
    ? { case: "truncate", ...result }
    : { case: "summarize", ...result, summary: record.text };
}

function boundaryOf({ index, reason, confidence }: EngineEvents["topic-boundary"]): DocumentBoundary {
  return { boundary_index: index ?? null, boundary_reason: reason, confidence };
}

function tellRatioChain(source: EventSource, { following, callback }: Telling<"ratio-chain">): Stops {
  return [
    source.on("compaction", (event) => {
      const { requestId } = following.end(event);
      const { record, reason, tokensBefore, tokensAfter, compressedMessages } = event;
      // An emergency that only drops what is oldest is no summarisation.
      if (record === undefined) return;
      const { depth, tokenRatio: ratio = event.ratio } = record;
      callback("summarization", requestId, { reason, depth, tokensBefore, ratio });
      const figures = { depth, compressedMessages, ratioBefore: ratio, estimateAfter: tokensAfter };
      callback("debug", requestId, figures);
    }),
    source.on("compaction-end", (event) => {
      const { requestId } = following.end(event);
      if (event.outcome !== "failed") return;
      const attempts = event.attempts.map(({ outcome, rule, reason, rawStart, calls }) => {
        return { outcome, rule, reason, rawStart, calls };
      });
      callback("diagnostic", requestId, { reason: event.reason, attempts });
    }),
  ];
}
