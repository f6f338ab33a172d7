/** Spans of requests, with the real SDK and its exporter in memory. */
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createRequestTracing } from "../../src/telemetry/trace-requests.ts";
import { startTestServer } from "../support/start-server.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

test("each request to the server becomes a span with its route, without message text", async () => {
  await using server = await startTestServer();
  await server.ask("POST", "/api/sessions", { id: "s", title: "Something private" });
  await server.ask("GET", "/api/sessions/none");
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name, kind, attributes, status }) => [name, kind, attributes, status.code])).toEqual([
    [
      "palimpsest.request",
      SpanKind.SERVER,
      { "http.request.method": "POST", "palimpsest.route": "createSession" },
      SpanStatusCode.UNSET,
    ],
    [
      "palimpsest.request",
      SpanKind.SERVER,
      { "http.request.method": "GET", "palimpsest.route": "readSession" },
      SpanStatusCode.UNSET,
    ],
  ]);
});

test("the span of a request that fails in the server has the status error", async () => {
  const tracing = await createRequestTracing({ isFailure: () => true });
  const failing = async () => {
    throw new Error("out of order");
  };
  await expect(tracing?.({ route: "r", method: "GET" }, failing)).rejects.toThrow("out of order");
  expect(exporter.getFinishedSpans()[0]?.status.code).toBe(SpanStatusCode.ERROR);
});
