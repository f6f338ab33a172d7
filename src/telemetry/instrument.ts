/** Adds OpenTelemetry spans and metrics for compactions and recall. Without an SDK in the host, nothing is exported. */
import type { Meter, Tracer } from "@opentelemetry/api";
import { checkArgument, checkOptions, RECORD, withMethods } from "../core/check-options.ts";
import { PalimpsestError } from "../core/errors.ts";
import { createInstruments } from "./create-instruments.ts";
import { SCOPE } from "./names.ts";
import type { ObservedEngine } from "./observed-engine.ts";
import { traceCompactions } from "./trace-compactions.ts";

/** The tracer and meter to use instead of the global ones. */
export interface InstrumentOptions {
  /** Default: the tracer registered by the host. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter registered by the host. */
  readonly meter?: Meter | undefined;
}

/** Policy of a compaction that started before `instrument` was called. */
const UNKNOWN_POLICY = "unknown";

/**
 * Resolves to a function that stops measuring. Rejects if `@opentelemetry/api` is not installed.
 *
 * @example
 * ```ts
 * const stop = await instrument(palimpsest);
 * stop();
 * ```
 */
export async function instrument(engine: ObservedEngine, options: InstrumentOptions = {}): Promise<() => void> {
  checkArgument(engine, withMethods("on"), "instrument: engine");
  checkOptions(options, { tracer: RECORD, meter: RECORD }, "instrument");
  const api = await loadApi();
  const { trace, context, metrics, SpanStatusCode } = api;
  const tracer = options.tracer ?? trace.getTracer(SCOPE);
  const instruments = createInstruments(options.meter ?? metrics.getMeter(SCOPE));
  const tracing = traceCompactions(tracer, { trace, context, errorCode: SpanStatusCode.ERROR });
  const stops = [
    engine.on("compaction-start", (event) => tracing.start(event)),
    engine.on("topic-boundary", (event) => {
      tracing.addBoundary(event);
      if (event.calls > 0) instruments.countAttempt({ ...event, strategy: "boundary", outcome: "answered" });
    }),
    engine.on("summary", (event) => {
      tracing.addAttempt(event);
      instruments.countAttempt(event);
    }),
    engine.on("compaction", (event) => {
      const policy = tracing.finishWritten(event) ?? UNKNOWN_POLICY;
      const { phase, durationMs, tokensBefore, tokensAfter } = event;
      const savedTokens = tokensBefore - tokensAfter;
      instruments.countCompaction({ policy, phase, outcome: "written", savedTokens, durationMs });
    }),
    engine.on("compaction-end", (event) => {
      const policy = tracing.finishEnded(event) ?? UNKNOWN_POLICY;
      const { phase, outcome, durationMs } = event;
      instruments.countCompaction({ policy, phase, outcome, savedTokens: 0, durationMs });
    }),
    engine.on("cache", (event) => instruments.countCacheUse(event)),
    engine.on("recall", (event) => instruments.countRecall(event)),
    engine.on("arguments-drift", (event) => instruments.countDrift(event)),
  ];
  return () => {
    for (const stop of stops) stop();
    tracing.close();
  };
}

async function loadApi(): Promise<typeof import("@opentelemetry/api")> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    const text = "Telemetry needs @opentelemetry/api, which is not installed. Run: npm install @opentelemetry/api";
    throw new PalimpsestError("config-invalid", text, { cause });
  }
}
