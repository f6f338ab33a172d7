/**
 * What telemetry needs to hear of an engine: numbers, names from closed lists, and the ids of sessions and models. An
 * opened palimpsest tells more than this; what somebody said is not here, so that no span or metric can hold it.
 */
export interface ObservedEngine {
  on(name: "compaction-start", listener: (event: ObservedStart) => void): () => void;
  on(name: "topic-boundary", listener: (event: ObservedBoundary) => void): () => void;
  on(name: "summary", listener: (event: ObservedAttempt & Whose) => void): () => void;
  on(name: "compaction", listener: (event: ObservedCompaction) => void): () => void;
  on(name: "compaction-end", listener: (event: ObservedEnd) => void): () => void;
  on(name: "cache", listener: (event: ObservedCacheUse) => void): () => void;
  on(name: "arguments-drift", listener: (event: ObservedDrift) => void): () => void;
}

export interface Whose {
  readonly sessionId: string;
}

export interface ObservedStart extends Whose {
  readonly policy: string;
  readonly phase: string;
  readonly need: "soft" | "hard";
  readonly triggers: readonly string[];
  /** In the trigger's own words and numbers. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly ratio: number;
}

export interface ObservedBoundary extends Whose {
  readonly index: number | undefined;
  readonly confidence: number;
  readonly detector: string;
  readonly model: string | undefined;
  readonly calls: number;
  readonly usage: ObservedUsage | undefined;
  readonly costUsd: number;
  readonly durationMs: number;
}

export interface ObservedAttempt {
  readonly outcome: string;
  readonly rule?: string | undefined;
  readonly strategy: string;
  readonly model: string | undefined;
  readonly calls: number;
  readonly usage: ObservedUsage | undefined;
  readonly costUsd: number;
  readonly cutResults: number;
  readonly durationMs: number;
}

export interface ObservedUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

interface Finished extends Whose {
  readonly phase: string;
  readonly attempts: readonly ObservedAttempt[];
  readonly durationMs: number;
}

export interface ObservedCompaction extends Finished {
  readonly steps: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly ratio: number;
  readonly compressedMessages: number;
  readonly record: { readonly depth: number } | undefined;
}

export interface ObservedEnd extends Finished {
  readonly outcome: "none" | "failed" | "stale" | "held";
}

/** The last answer before a change of the past, and the first after it. */
export interface ObservedCacheUse extends Whose {
  readonly before: ObservedCacheFigures;
  readonly after: ObservedCacheFigures;
}

export interface ObservedCacheFigures {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface ObservedDrift extends Whose {
  /** Ours for the tool, whatever it was called as. */
  readonly tool: string;
}
