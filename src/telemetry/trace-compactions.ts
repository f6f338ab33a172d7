/** Creates a span for each compaction, and one below it for each model call. Attributes hold no message content. */
import type { Attributes, AttributeValue, Context, ContextAPI, Span, TraceAPI, Tracer } from "@opentelemetry/api";
import { ATTRIBUTES, SPANS } from "./names.ts";
import type {
  ObservedAttempt,
  ObservedBoundary,
  ObservedCall,
  ObservedCompaction,
  ObservedEnd,
  ObservedStart,
  SessionEvent,
} from "./observed-engine.ts";

/** The part of `@opentelemetry/api` that is used; it is loaded only for tracing. */
export interface TracingApi {
  readonly trace: Pick<TraceAPI, "setSpan">;
  readonly context: Pick<ContextAPI, "active">;
  readonly errorCode: number;
}

export interface Tracing {
  start(event: ObservedStart): void;
  addBoundary(event: ObservedBoundary): void;
  addAttempt(event: ObservedAttempt & SessionEvent): void;
  /** Returns the policy of the compaction, or undefined if its start was not seen. */
  finishWritten(event: ObservedCompaction): string | undefined;
  finishEnded(event: ObservedEnd): string | undefined;
  close(): void;
}

interface OpenCompaction {
  readonly sessionId: string;
  readonly policy: string;
  readonly phase: string;
  readonly span: Span;
  readonly context: Context;
  readonly startedAt: number;
  answeredAt: number;
  readonly detecting: ObservedBoundary[];
}

/** Phases in which a compaction may be applied long after its work was done. */
const APPLIED_LATER: readonly string[] = ["background", "manual", "post-response"];

export function traceCompactions(tracer: Tracer, api: TracingApi): Tracing {
  const open = new Map<string, OpenCompaction>();
  const findNewest = (sessionId: string) => [...open.values()].findLast((each) => each.sessionId === sessionId);
  const finish = (event: ObservedCompaction | ObservedEnd, { outcome, more }: FinishDetails): string | undefined => {
    const key = buildKey(event);
    const opened = open.get(key);
    open.delete(key);
    if (opened === undefined) return undefined;
    opened.span.setAttributes({
      [ATTRIBUTES.outcome]: outcome,
      ...sumCalls([...event.attempts, ...opened.detecting]),
      ...more,
    });
    opened.span.setAttribute(ATTRIBUTES.durationMs, event.durationMs);
    if (outcome === "failed") opened.span.setStatus({ code: api.errorCode });
    endSpan(opened, event.durationMs);
    return opened.policy;
  };
  const addChildSpan = (name: string, { sessionId, durationMs, attributes, failed }: ChildSpan) => {
    const parent = findNewest(sessionId);
    const now = Date.now();
    const startTime = Math.max(parent?.startedAt ?? 0, now - durationMs);
    const options = { startTime, attributes: dropUndefined({ [ATTRIBUTES.sessionId]: sessionId, ...attributes }) };
    const span = tracer.startSpan(name, options, parent?.context ?? api.context.active());
    if (failed) span.setStatus({ code: api.errorCode });
    span.end(now);
    if (parent !== undefined) parent.answeredAt = now;
  };
  return {
    start(event) {
      const key = buildKey(event);
      abandonSpan(open.get(key));
      open.delete(key);
      open.set(key, startCompaction(event, { tracer, api }));
    },
    addBoundary(event) {
      const { sessionId, durationMs } = event;
      findNewest(sessionId)?.detecting.push(event);
      addChildSpan(SPANS.boundary, { sessionId, durationMs, attributes: describeBoundary(event), failed: false });
    },
    addAttempt(event) {
      const { sessionId, durationMs, outcome } = event;
      const failed = outcome === "failed" || outcome === "rejected";
      addChildSpan(SPANS.summary, { sessionId, durationMs, attributes: describeAttempt(event), failed });
    },
    finishWritten(event) {
      const { steps, tokensBefore, tokensAfter, ratio, compressedMessages, record } = event;
      const sizes = { [ATTRIBUTES.tokensBefore]: tokensBefore, [ATTRIBUTES.tokensAfter]: tokensAfter };
      const done = { [ATTRIBUTES.steps]: [...steps], [ATTRIBUTES.messages]: compressedMessages };
      const chain = { [ATTRIBUTES.ratio]: ratio, [ATTRIBUTES.depth]: record?.depth };
      return finish(event, { outcome: "written", more: dropUndefined({ ...sizes, ...done, ...chain }) });
    },
    finishEnded: (event) => finish(event, { outcome: event.outcome, more: {} }),
    close() {
      for (const opened of open.values()) abandonSpan(opened);
      open.clear();
    },
  };
}

interface FinishDetails {
  readonly outcome: string;
  readonly more: Attributes;
}

interface ChildSpan {
  readonly sessionId: string;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  readonly failed: boolean;
}

function buildKey({ sessionId, phase }: SessionEvent & { readonly phase: string }): string {
  return JSON.stringify([sessionId, phase]);
}

function startCompaction(
  event: ObservedStart,
  { tracer, api }: { readonly tracer: Tracer; readonly api: TracingApi },
): OpenCompaction {
  const { sessionId, policy, phase, need, triggers, reason, tokensBefore, ratio } = event;
  const parent = api.context.active();
  const startedAt = Date.now();
  const why = { [ATTRIBUTES.need]: need, [ATTRIBUTES.triggers]: [...triggers], [ATTRIBUTES.reason]: reason };
  const sizes = { [ATTRIBUTES.tokensBefore]: tokensBefore, [ATTRIBUTES.ratio]: ratio };
  const whose = { [ATTRIBUTES.sessionId]: sessionId, [ATTRIBUTES.policy]: policy, [ATTRIBUTES.phase]: phase };
  const options = { startTime: startedAt, attributes: { ...whose, ...why, ...sizes } };
  const span = tracer.startSpan(SPANS.compaction, options, parent);
  const context = api.trace.setSpan(parent, span);
  return { sessionId, policy, phase, span, context, startedAt, answeredAt: startedAt, detecting: [] };
}

function endSpan({ span, phase, startedAt, answeredAt }: OpenCompaction, durationMs: number): void {
  if (APPLIED_LATER.includes(phase)) span.end(Math.max(startedAt + durationMs, answeredAt));
  else span.end();
}

function abandonSpan(opened: OpenCompaction | undefined): void {
  opened?.span.setAttribute(ATTRIBUTES.outcome, "abandoned");
  opened?.span.end(opened.answeredAt);
}

function sumCalls(calledModels: readonly ObservedCall[]): Attributes {
  const sum = (read: (one: ObservedCall) => number | undefined) =>
    calledModels.reduce((total, one) => total + (read(one) ?? 0), 0);
  return {
    [ATTRIBUTES.calls]: sum(({ calls }) => calls),
    [ATTRIBUTES.costUsd]: sum(({ costUsd }) => costUsd),
    [ATTRIBUTES.cachedTokens]: sum(({ usage }) => usage?.cacheReadTokens),
  };
}

function describeBoundary(event: ObservedBoundary): ChildSpan["attributes"] {
  const { index, confidence, detector } = event;
  const { detector: by, confidence: sure, found } = ATTRIBUTES;
  return { [by]: detector, [sure]: confidence, [found]: index !== undefined, ...describeCall(event) };
}

function describeAttempt(attempt: ObservedAttempt): ChildSpan["attributes"] {
  const { outcome, rule, strategy, cutResults } = attempt;
  const answer = { [ATTRIBUTES.outcome]: outcome, [ATTRIBUTES.rule]: rule, [ATTRIBUTES.strategy]: strategy };
  return { ...answer, [ATTRIBUTES.cutResults]: cutResults, ...describeCall(attempt) };
}

function describeCall({ model, calls, usage, costUsd, durationMs }: ObservedCall): ChildSpan["attributes"] {
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

function dropUndefined(attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
