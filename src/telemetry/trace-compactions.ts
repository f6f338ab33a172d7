/**
 * One span for each compaction and one below it for each time somebody was asked, drawn from the engine's events. A
 * compaction that was made ready beforehand is over when its work was done, not when it was applied hours later. No
 * attribute holds anything that somebody said or that a provider answered.
 */
import type { Attributes, AttributeValue, Context, ContextAPI, Span, TraceAPI, Tracer } from "@opentelemetry/api";
import { ATTRIBUTES, SPANS } from "./names.ts";
import type {
  ObservedAttempt,
  ObservedBoundary,
  ObservedCompaction,
  ObservedEnd,
  ObservedStart,
  Whose,
} from "./observed-engine.ts";

/** What is needed of `@opentelemetry/api`, which is loaded only where somebody traces. */
export interface TracingApi {
  readonly trace: Pick<TraceAPI, "setSpan">;
  readonly context: Pick<ContextAPI, "active">;
  readonly errorCode: number;
}

export interface Tracing {
  start(event: ObservedStart): void;
  boundary(event: ObservedBoundary): void;
  attempt(event: ObservedAttempt & Whose): void;
  /** The policy of the compaction that ended; undefined where nobody heard it begin. */
  written(event: ObservedCompaction): string | undefined;
  ended(event: ObservedEnd): string | undefined;
  /** Ends what is open. */
  close(): void;
}

interface Open {
  readonly sessionId: string;
  readonly policy: string;
  readonly phase: string;
  readonly span: Span;
  readonly context: Context;
  readonly startedAt: number;
  /** When the last of those who were asked had answered. */
  askedUntil: number;
  /** What looking for a boundary took. */
  readonly detecting: ObservedBoundary[];
}

/** Phases in which time may pass between the work and its being applied. */
const APPLIED_LATER: readonly string[] = ["background", "manual", "post-response"];

export function traceCompactions(tracer: Tracer, api: TracingApi): Tracing {
  const open = new Map<string, Open>();
  const newestOf = (sessionId: string) => [...open.values()].findLast((each) => each.sessionId === sessionId);
  const finish = (event: ObservedCompaction | ObservedEnd, { outcome, more }: Finish): string | undefined => {
    const key = keyOf(event);
    const begun = open.get(key);
    open.delete(key);
    if (begun === undefined) return undefined;
    begun.span.setAttributes({
      [ATTRIBUTES.outcome]: outcome,
      ...sumUp([...event.attempts, ...begun.detecting]),
      ...more,
    });
    begun.span.setAttribute(ATTRIBUTES.durationMs, event.durationMs);
    if (outcome === "failed") begun.span.setStatus({ code: api.errorCode });
    endSpan(begun, event.durationMs);
    return begun.policy;
  };
  const child = (name: string, { sessionId, durationMs, attributes, failed }: Child) => {
    const parent = newestOf(sessionId);
    const now = Date.now();
    const startTime = Math.max(parent?.startedAt ?? 0, now - durationMs);
    const whole = withValues({ [ATTRIBUTES.sessionId]: sessionId, ...attributes });
    const span = tracer.startSpan(name, { startTime, attributes: whole }, parent?.context ?? api.context.active());
    if (failed) span.setStatus({ code: api.errorCode });
    span.end(now);
    if (parent !== undefined) parent.askedUntil = now;
  };
  return {
    start(event) {
      const key = keyOf(event);
      abandon(open.get(key));
      open.delete(key);
      open.set(key, begin(event, { tracer, api }));
    },
    boundary(event) {
      const { sessionId, durationMs } = event;
      newestOf(sessionId)?.detecting.push(event);
      child(SPANS.boundary, { sessionId, durationMs, attributes: describeBoundary(event), failed: false });
    },
    attempt(event) {
      const { sessionId, durationMs, outcome } = event;
      const failed = outcome === "failed" || outcome === "rejected";
      child(SPANS.summary, { sessionId, durationMs, attributes: describeAttempt(event), failed });
    },
    written(event) {
      const { steps, tokensBefore, tokensAfter, ratio, compressedMessages, record } = event;
      const sizes = { [ATTRIBUTES.tokensBefore]: tokensBefore, [ATTRIBUTES.tokensAfter]: tokensAfter };
      const done = { [ATTRIBUTES.steps]: [...steps], [ATTRIBUTES.messages]: compressedMessages };
      const chain = { [ATTRIBUTES.ratio]: ratio, [ATTRIBUTES.depth]: record?.depth };
      return finish(event, { outcome: "written", more: withValues({ ...sizes, ...done, ...chain }) });
    },
    ended: (event) => finish(event, { outcome: event.outcome, more: {} }),
    close() {
      for (const begun of open.values()) abandon(begun);
      open.clear();
    },
  };
}

interface Finish {
  readonly outcome: string;
  readonly more: Attributes;
}

interface Child {
  readonly sessionId: string;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  readonly failed: boolean;
}

function keyOf({ sessionId, phase }: Whose & { readonly phase: string }): string {
  return JSON.stringify([sessionId, phase]);
}

function begin(event: ObservedStart, { tracer, api }: { readonly tracer: Tracer; readonly api: TracingApi }): Open {
  const { sessionId, policy, phase, need, triggers, reason, tokensBefore, ratio } = event;
  const parent = api.context.active();
  const startedAt = Date.now();
  const why = { [ATTRIBUTES.need]: need, [ATTRIBUTES.triggers]: [...triggers], [ATTRIBUTES.reason]: reason };
  const sizes = { [ATTRIBUTES.tokensBefore]: tokensBefore, [ATTRIBUTES.ratio]: ratio };
  const whose = { [ATTRIBUTES.sessionId]: sessionId, [ATTRIBUTES.policy]: policy, [ATTRIBUTES.phase]: phase };
  const options = { startTime: startedAt, attributes: { ...whose, ...why, ...sizes } };
  const span = tracer.startSpan(SPANS.compaction, options, parent);
  return {
    sessionId,
    policy,
    phase,
    span,
    context: api.trace.setSpan(parent, span),
    startedAt,
    askedUntil: startedAt,
    detecting: [],
  };
}

function endSpan({ span, phase, startedAt, askedUntil }: Open, durationMs: number): void {
  if (APPLIED_LATER.includes(phase)) span.end(Math.max(startedAt + durationMs, askedUntil));
  else span.end();
}

function abandon(begun: Open | undefined): void {
  begun?.span.setAttribute(ATTRIBUTES.outcome, "abandoned");
  begun?.span.end(begun.askedUntil);
}

type Asked = Pick<ObservedAttempt, "model" | "calls" | "usage" | "costUsd" | "durationMs">;

/** What all who were asked did together. */
function sumUp(asked: readonly Asked[]): Attributes {
  const sum = (read: (one: Asked) => number | undefined) => asked.reduce((total, one) => total + (read(one) ?? 0), 0);
  return {
    [ATTRIBUTES.calls]: sum(({ calls }) => calls),
    [ATTRIBUTES.costUsd]: sum(({ costUsd }) => costUsd),
    [ATTRIBUTES.cachedTokens]: sum(({ usage }) => usage?.cacheReadTokens),
  };
}

function describeBoundary(event: ObservedBoundary): Child["attributes"] {
  const { index, confidence, detector } = event;
  const { detector: by, confidence: sure, found } = ATTRIBUTES;
  return { [by]: detector, [sure]: confidence, [found]: index !== undefined, ...describeAsked(event) };
}

function describeAttempt(attempt: ObservedAttempt): Child["attributes"] {
  const { outcome, rule, strategy, cutResults } = attempt;
  const answer = { [ATTRIBUTES.outcome]: outcome, [ATTRIBUTES.rule]: rule, [ATTRIBUTES.strategy]: strategy };
  return { ...answer, [ATTRIBUTES.cutResults]: cutResults, ...describeAsked(attempt) };
}

function describeAsked({ model, calls, usage, costUsd, durationMs }: Asked): Child["attributes"] {
  return {
    [ATTRIBUTES.model]: model,
    [ATTRIBUTES.calls]: calls,
    [ATTRIBUTES.costUsd]: costUsd,
    [ATTRIBUTES.durationMs]: durationMs,
    [ATTRIBUTES.inputTokens]: usage?.inputTokens,
    [ATTRIBUTES.outputTokens]: usage?.outputTokens,
    [ATTRIBUTES.cacheReadTokens]: usage?.cacheReadTokens,
    [ATTRIBUTES.cacheWriteTokens]: usage?.cacheWriteTokens,
  };
}

function withValues(attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
