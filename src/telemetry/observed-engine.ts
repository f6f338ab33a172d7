/** The engine events that telemetry uses. They declare no message content, so no span or metric can contain it. */
export interface ObservedEngine {
  on(name: "compaction-start", listener: (event: ObservedStart) => void): () => void;
  on(name: "topic-boundary", listener: (event: ObservedBoundary) => void): () => void;
  on(name: "summary", listener: (event: ObservedAttempt & SessionEvent) => void): () => void;
  on(name: "compaction", listener: (event: ObservedCompaction) => void): () => void;
  on(name: "compaction-end", listener: (event: ObservedEnd) => void): () => void;
  on(name: "cache", listener: (event: ObservedCacheUse) => void): () => void;
  on(name: "recall", listener: (event: ObservedRecall) => void): () => void;
  on(name: "arguments-drift", listener: (event: ObservedDrift) => void): () => void;
}

export interface SessionEvent {
  readonly sessionId: string;
}

export interface ObservedStart extends SessionEvent {
  readonly policy: string;
  readonly phase: string;
  readonly need: "soft" | "hard";
  readonly triggers: readonly string[];
  /** The trigger's own explanation, with numbers. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly ratio: number;
}

/** A call of a model, or the use of code in its place. */
export interface ObservedCall {
  readonly model: string | undefined;
  readonly calls: number;
  readonly usage: ObservedUsage | undefined;
  readonly costUsd: number;
  readonly durationMs: number;
}

export interface ObservedBoundary extends SessionEvent, ObservedCall {
  readonly index: number | undefined;
  readonly confidence: number;
  readonly detector: string;
}

export interface ObservedAttempt extends ObservedCall {
  readonly outcome: string;
  readonly rule?: string | undefined;
  readonly strategy: string;
  readonly cutResults: number;
}

export interface ObservedUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

interface FinishedEvent extends SessionEvent {
  readonly phase: string;
  readonly attempts: readonly ObservedAttempt[];
  readonly durationMs: number;
}

export interface ObservedCompaction extends FinishedEvent {
  readonly steps: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly ratio: number;
  readonly compressedMessages: number;
  readonly record: { readonly depth: number } | undefined;
}

export interface ObservedEnd extends FinishedEvent {
  readonly outcome: "none" | "failed" | "stale" | "held";
}

/** Figures of the last answer before the past changed and of the first answer after it. */
export interface ObservedCacheUse extends SessionEvent {
  readonly before: ObservedCacheFigures;
  readonly after: ObservedCacheFigures;
}

export interface ObservedCacheFigures {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface ObservedRecall {
  readonly source: string;
  readonly outcome: string;
  readonly passages: number;
  readonly tokens: number;
  readonly durationMs: number;
}

export interface ObservedDrift extends SessionEvent {
  readonly tool: string;
}
