/** Health, readiness, metrics, and the API as an OpenAPI document and as a page. */
import type { JsonObject } from "../../core/message/json.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { writeOpenApi } from "../../protocol/write-openapi.ts";
import type { Handlers } from "../app/handler.ts";
import type { StoreCapacity } from "../operations/store-capacity.ts";
import { API_STYLE, writeApiPage } from "../page/api-page.ts";
import type { ServerParts } from "./server-parts.ts";

const PROBE_MS = 2_000;

type Name = "health" | "ready" | "metrics" | "openApi" | "apiPage" | "apiStyle";

export function createOperationHandlers({ version, metrics, capacity }: ServerParts): Handlers<Name> {
  let written: JsonObject | undefined;
  // Written with the first request for it, to start faster.
  const document = (): JsonObject => {
    written ??= writeOpenApi({ version });
    return written;
  };
  return {
    health: async () => ({ status: "alive" }),
    ready: async ({ engine }) => answerReady(engine, capacity),
    metrics: async () => createTextResponse(metrics.write(), "text/plain; version=0.0.4; charset=utf-8"),
    openApi: async () => document(),
    apiPage: async () => createTextResponse(writeApiPage(document()), "text/html; charset=utf-8"),
    apiStyle: async () => createTextResponse(API_STYLE, "text/css; charset=utf-8"),
  };
}

async function answerReady(engine: Palimpsest, capacity: StoreCapacity): Promise<Response> {
  let deadLetters: number | undefined;
  const checks = await Promise.all([
    probe("store", async () => {
      await engine.sessions({ limit: 1 });
      if (capacity.isFull) throw new Error("The store is full.");
    }),
    probe("jobs", async () => {
      deadLetters = (await engine.deadLetters()).length;
    }),
  ]);
  const isReady = checks.every(({ status }) => status === "ready");
  const body = { status: isReady ? "ready" : "failed", checks, ...(deadLetters === undefined ? {} : { deadLetters }) };
  return Response.json(body, { status: isReady ? 200 : 503, headers: isReady ? {} : { "retry-after": "1" } });
}

async function probe(name: "store" | "jobs", work: () => Promise<unknown>) {
  const startedAt = performance.now();
  const timer = Promise.withResolvers<never>();
  const late = setTimeout(() => timer.reject(new Error(`No answer within ${PROBE_MS} ms.`)), PROBE_MS);
  const end = (): number => Math.round(performance.now() - startedAt);
  try {
    await Promise.race([work(), timer.promise]);
    return { name, status: "ready", durationMs: end() };
  } catch (error) {
    const reason = redactForDisplay(error instanceof Error ? error.message : String(error));
    return { name, status: "failed", durationMs: end(), reason };
  } finally {
    clearTimeout(late);
  }
}

function createTextResponse(text: string, type: string): Response {
  return new Response(text, { headers: { "content-type": type, "cache-control": "no-cache" } });
}
