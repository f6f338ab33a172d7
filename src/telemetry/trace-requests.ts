/** Creates a span around each request of the server. It contains the route's name and nothing of the request. */
import type { Tracer } from "@opentelemetry/api";
import { ATTRIBUTES, SCOPE, SPANS } from "./names.ts";

export interface RequestTracingOptions {
  /** Default: the tracer registered by the host. */
  readonly tracer?: Tracer | undefined;
  /** Returns whether an error is a failure of the server, not a refusal. */
  readonly isFailure: (error: unknown) => boolean;
}

export type TraceRequest = <Result>(
  request: { readonly route: string; readonly method: string },
  work: () => Promise<Result>,
) => Promise<Result>;

/** Returns undefined if `@opentelemetry/api` is not installed. */
export async function createRequestTracing(options: RequestTracingOptions): Promise<TraceRequest | undefined> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return undefined;
  const { trace, SpanKind, SpanStatusCode } = api;
  return ({ route, method }, work) => {
    // Looked up each time, because the host may register its SDK after the server has started.
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
