/**
 * The summarizer's models and their recent failures. Chooses a model, asks it, retries if the transport failed, and
 * pauses a model that keeps failing. Keeps nothing of requests and answers.
 */
import { normalizeModelId } from "../core/budget/find-model.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import { callWithRetry, type RetryOptions } from "./call-with-retry.ts";
import { chooseModel, type ModelNeed, type SkippedModel } from "./choose-model.ts";
import {
  admitCall,
  BREAKER_SETTINGS,
  type BreakerSettings,
  type BreakerState,
  type CallResult,
  CLOSED_BREAKER,
  recordResult,
} from "./circuit-breaker.ts";

export interface PooledModel {
  readonly model: Model;
  readonly info: ModelInfo;
}

export interface ModelPoolOptions {
  readonly models: readonly PooledModel[];
  /** Ids in order of preference. Default: the cheapest that fits. */
  readonly preference?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly sleep: RetryOptions["sleep"];
  readonly breaker?: BreakerSettings | undefined;
}

export interface Attempt {
  readonly model: PooledModel;
  readonly attempt: number;
  readonly outcome: ModelOutcome;
  readonly elapsedMs: number;
}

export interface AskOptions {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  onAttempt(attempt: Attempt): void;
}

export interface PoolChoice {
  /** Undefined if no model is available now. */
  readonly chosen: PooledModel | undefined;
  /** True if the caller's list names the model; then no other model replaces it. */
  readonly isPreferred: boolean;
  readonly skipped: readonly SkippedModel[];
}

export interface ModelPool {
  readonly models: readonly PooledModel[];
  /** Chooses the model that fits the whole request, else the one that fits the largest chunk. */
  choose(need: Omit<ModelNeed, "preference">): PoolChoice;
  /** Finds a model by any spelling of its id, unless it is paused. */
  findAvailable(id: string): PooledModel | undefined;
  /** Never rejects. */
  ask(pooled: PooledModel, options: AskOptions): Promise<ModelOutcome>;
}

export function createModelPool(options: ModelPoolOptions): ModelPool {
  const { models, preference, clock, sleep } = options;
  const breakers = createBreakers(clock, options.breaker ?? BREAKER_SETTINGS);
  return {
    models,
    choose(need) {
      const candidates = models.map(({ info }) => ({ info, available: breakers.allows(info.id) }));
      const choice = chooseModel(candidates, { ...need, preference });
      const id = choice.type === "chosen" ? choice.id : choice.widestId;
      const { isPreferred, skipped } = choice;
      return { chosen: models.find(({ info }) => info.id === id), isPreferred, skipped };
    },
    findAvailable(id) {
      const found = models.find(({ info }) => normalizeModelId(info.id) === normalizeModelId(id));
      return found !== undefined && breakers.allows(found.info.id) ? found : undefined;
    },
    async ask(pooled, { request, signal, onAttempt }) {
      let last = PAUSED;
      const call = async (attempt: number): Promise<ModelOutcome> => {
        if (!breakers.admit(pooled.info.id)) return last;
        const startedAt = clock.now();
        last = await generate(pooled.model, request, signal);
        breakers.tell(pooled.info.id, resultOf(last, signal));
        onAttempt({ model: pooled, attempt, outcome: last, elapsedMs: Math.max(0, clock.now() - startedAt) });
        return last;
      };
      return (await callWithRetry(call, { signal, clock, sleep })).outcome;
    },
  };
}

/** The outcome while another call probes the model. */
const PAUSED: ModelOutcome = { type: "failed", reason: "It failed too often recently.", retryable: true };

function createBreakers(clock: Clock, settings: BreakerSettings) {
  const states = new Map<string, BreakerState>();
  const admit = (id: string) => admitCall(states.get(id) ?? CLOSED_BREAKER, { now: clock.now(), settings });
  return {
    allows: (id: string): boolean => admit(id).allowed,
    /** Like `allows`, and records an allowed call as a probe. */
    admit(id: string): boolean {
      const { allowed, state } = admit(id);
      states.set(id, state);
      return allowed;
    },
    tell(id: string, result: CallResult): void {
      states.set(id, recordResult(states.get(id) ?? CLOSED_BREAKER, { now: clock.now(), result, settings }));
    },
  };
}

/** A refusal or overflow shows that the model is available. A call that was aborted for taking too long has failed. */
function resultOf(outcome: ModelOutcome, { aborted, reason }: AbortSignal): CallResult {
  if (aborted) return reason instanceof DOMException && reason.name === "TimeoutError" ? "failure" : "unknown";
  return outcome.type === "failed" ? "failure" : "success";
}

/** A host's own model may break the port's promise and throw; that is a failed outcome too. */
async function generate(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome> {
  try {
    return await model.generate(request, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "The model failed without giving a reason.";
    return { type: "failed", reason, retryable: false };
  }
}
