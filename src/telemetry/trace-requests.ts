/**
 * A span around each request that a server handles, so that what happens in it (a compaction, a summary) is found under
 * it. It holds the name of the route and nothing of what was asked or answered.
 */
import type { Tracer } from "@opentelemetry/api";
import { ATTRIBUTES, SCOPE, SPANS } from "./names.ts";

export interface RequestTracingOptions {
  /** Without one, the tracer that the host has registered. */
  readonly tracer?: Tracer | undefined;
  /** Whether what was thrown is a failure of the server, and no refusal. */
  readonly isFailure: (error: unknown) => boolean;
}

export type TraceRequest = <Result>(
  request: { readonly route: string; readonly method: string },
  work: () => Promise<Result>,
) => Promise<Result>;

/** Undefined where `@opentelemetry/api` is not installed. */
export async function createRequestTracing(options: RequestTracingOptions): Promise<TraceRequest | undefined> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return undefined;
  const { trace, SpanKind, SpanStatusCode } = api;
  return ({ route, method }, work) => {
    // Asked each time: a host may register its SDK after the server was started.
    const tracer = options.tracer ?? trace.getTracer(SCOPE);
    const attributes = { [ATTRIBUTES.method]: method, [ATTRIBUTES.route]: route };
    return tracer.startActiveSpan(SPANS.request, { kind: SpanKind.SERVER, attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        if (options.isFailure(error)) span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}
