/** What every session of one engine shares: the ports, the policy's numbers, and the events. */
import type { SessionId } from "../../core/log/entry.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { Catalogue } from "../../ports/catalogue.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Counters } from "../../ports/counters.ts";
import type { Ids } from "../../ports/ids.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { Summarizer, TopicDetector } from "../../ports/summarizer.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Emitter } from "./events.ts";

export interface EngineContext {
  readonly store: TenantStore;
  readonly counters: Counters;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  /** Read for every request, because a policy may change while the engine runs. */
  readonly settingsFor: (model: string | undefined) => PlanSettings;
  readonly defaults: SizeOptions;
  /** Who writes summaries. Without one, code does. */
  readonly summarizerFor?: ((settings: PlanSettings) => Summarizer | undefined) | undefined;
  readonly topicDetector?: TopicDetector | undefined;
  /** Reads what a provider's error says of a prompt's size; undefined where it is about something else. */
  readonly recogniseRefusal: (error: unknown) => RefusalFacts | undefined;
  /** Letters and digits that nobody can guess. */
  readonly newNonce: () => string;
  /** Resolves after the time or as soon as the signal is aborted; never rejects. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** The repository that stands beside every conversation. */
  readonly workspace?: Workspace | undefined;
  /** Who does what can wait. Without it, nobody does before it must be done. */
  readonly jobs?: SessionJobs | undefined;
  /** Told after every append that others may want to know of. */
  readonly announce?: ((sessionId: SessionId, seq: number) => void) | undefined;
}

/** Work that can wait, as the sessions of one tenant see it. */
export interface SessionJobs {
  /** Whether this process runs jobs: then what is begun here is finished here. */
  readonly runHere: boolean;
  /** Never rejects: a job is a hint, and what is due is found again in the session's own state. */
  submit(sessionId: SessionId): Promise<void>;
  settle(sessionId: SessionId): Promise<void>;
}

/**
 * What decides how large a prompt may be. The first that is given wins: budget, then the model's window. A budget above
 * the window is not used; the report warns of it.
 */
export interface SizeOptions {
  readonly model?: string | undefined;
  /** A counter by name, where the model's own is not wanted. */
  readonly counter?: string | undefined;
  /** The whole prompt may take this many tokens; nothing is held back for the reply. */
  readonly budgetTokens?: number | undefined;
  readonly windowTokens?: number | undefined;
  /** Held back for the reply. */
  readonly reserveTokens?: number | undefined;
}
