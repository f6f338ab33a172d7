/** Ports, policy settings and events that all sessions of an engine share. */
import type { CounterName } from "../../core/budget/model-info.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { Catalogue } from "../../ports/catalogue.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Counters } from "../../ports/counters.ts";
import type { Ids } from "../../ports/ids.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { Summarizer, TopicDetector } from "../../ports/summarizer.ts";
import type { SummaryThread } from "../../ports/summary-thread.ts";
import type { TranscriptExporter, TranscriptReader } from "../../ports/transcript.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Emitter } from "./events.ts";

export interface EngineContext {
  readonly store: TenantStore;
  readonly counters: Counters;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  /** Called for every request, because the policy may change while the engine runs. */
  readonly settingsFor: (model: string | undefined) => PlanSettings;
  readonly defaults: SizeOptions;
  readonly limits: SessionLimits;
  /** Returns the summarizer. Without one, code writes the summaries. */
  readonly summarizerFor?: ((settings: PlanSettings) => Summarizer | undefined) | undefined;
  /** Writes summaries by code outside of the event loop. Without it, they are written in steps. */
  readonly summaryThread?: SummaryThread | undefined;
  readonly topicDetector?: TopicDetector | undefined;
  /** Compares texts with a query for recall. Without it, recall compares words only. */
  readonly compareMeaning?: CompareMeaning | undefined;
  /** Reads a provider's error; returns undefined if it does not concern the prompt's size. */
  readonly recognizeRefusal: (error: unknown) => RefusalFacts | undefined;
  readonly newNonce: () => string;
  /** Resolves after the time or as soon as the signal is aborted; never rejects. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly workspace?: Workspace | undefined;
  /** Reads other tools' session files. Without it, only exports of Palimpsest can be imported. */
  readonly readTranscript?: TranscriptReader | undefined;
  readonly writeTranscript?: TranscriptExporter | undefined;
  /** Runs background work. Without it, work is done only when it is unavoidable. */
  readonly jobs?: SessionJobs | undefined;
  readonly announce?: ((sessionId: SessionId, seq: number) => void) | undefined;
}

/** Returns the similarity of each text with the query, or undefined if the model did not answer in time. */
export type CompareMeaning = <Id>(
  query: string,
  texts: ReadonlyMap<Id, string>,
) => Promise<ReadonlyMap<Id, number> | undefined>;

export interface SessionLimits {
  /** Entries in the log of one session: messages, prompts, changes. */
  readonly sessionEntries: number;
  readonly importMessages: number;
  /** Limits how long a call waits for room in memory and folds a long log. The next call continues. */
  readonly catchUpMs: number;
}

export const SESSION_LIMITS: SessionLimits = {
  sessionEntries: 10_000_000,
  importMessages: 5_000_000,
  catchUpMs: Number.MAX_SAFE_INTEGER,
};

export interface SessionJobs {
  readonly runHere: boolean;
  /** Never rejects: a job is a hint, and due work can be found again in the session's state. */
  submit(sessionId: SessionId): Promise<void>;
  settle(sessionId: SessionId): Promise<void>;
}

/** Options for the size of a prompt. A budget takes precedence over the window, unless it is larger. */
export interface SizeOptions {
  readonly model?: string | undefined;
  /** Name of a counter to use instead of the model's own. */
  readonly counter?: CounterName | (string & {}) | undefined;
  /** Token limit of the whole prompt, without a reserve for the reply. */
  readonly budgetTokens?: number | undefined;
  readonly windowTokens?: number | undefined;
  readonly reserveTokens?: number | undefined;
}
