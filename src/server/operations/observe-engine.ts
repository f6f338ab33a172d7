/**
 * Reports the events of an engine to the server's operator: metrics, a log line for each compaction, and a warning for
 * each failed summary. Lines contain numbers, ids and reasons. Only at the level `debug` can a line contain text of a
 * model: the beginning of an answer that could not be parsed.
 */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Metrics } from "./metrics.ts";

export interface Observer {
  readonly tenantId: string;
  readonly metrics: Metrics;
  readonly log: RequestLog;
  /** Policies whose prompts and compactions are logged at every level but `silent`. */
  readonly recordedPolicies: ReadonlySet<string>;
}

export function observeEngine(engine: Palimpsest, observer: Observer): Palimpsest {
  countEvents(engine, observer.metrics);
  logPrompts(engine, observer);
  logCompactions(engine, observer);
  logFailures(engine, observer);
  logDetails(engine, observer);
  return engine;
}

function chooseWriter(engine: Palimpsest, { log, recordedPolicies }: Observer): RequestLog["note"] {
  return recordedPolicies.has(engine.settings().name) ? (log.record ?? log.note) : log.note;
}

function logPrompts(engine: Palimpsest, observer: Observer): void {
  const { tenantId } = observer;
  engine.on("prompt", ({ sessionId, promptId, tokens, limitTokens }) => {
    chooseWriter(engine, observer)?.("prompt", { tenantId, sessionId, promptId, tokens, limitTokens });
  });
}

function countEvents(engine: Palimpsest, metrics: Metrics): void {
  engine.on("append", ({ messageIds, tokens }) => {
    metrics.add("messages_appended_total", {}, messageIds.length);
    metrics.add("tokens_appended_total", {}, tokens);
  });
  engine.on("prompt", () => metrics.add("prompts_total"));
  engine.on("summary", ({ strategy, outcome, costUsd }) => {
    metrics.add("summaries_total", { strategy, outcome });
    metrics.add("summary_cost_usd_total", {}, costUsd);
  });
  engine.on("compaction", ({ phase, tokensBefore, tokensAfter }) => {
    metrics.add("compactions_total", { phase, policy: engine.settings().name });
    metrics.add("tokens_saved_total", {}, Math.max(0, tokensBefore - tokensAfter));
  });
  engine.on("compaction-end", ({ outcome }) => metrics.add("compactions_ended_total", { outcome }));
  engine.on("recall", ({ source, outcome, passages, tokens, durationMs }) => {
    metrics.add("recalls_total", { source, outcome });
    metrics.add("recalled_passages_total", { source }, passages);
    metrics.add("recalled_tokens_total", { source }, tokens);
    metrics.add("recall_seconds_total", { source }, durationMs / 1_000);
  });
  engine.on("job-end", ({ outcome }) => metrics.add("jobs_total", { outcome }));
  engine.on("warning", () => metrics.add("warnings_total"));
}

function logCompactions(engine: Palimpsest, observer: Observer): void {
  const { tenantId, log } = observer;
  engine.on("compaction", (event) => {
    const { sessionId, phase, steps, tokensBefore, tokensAfter, durationMs, attempts } = event;
    const summaryId = event.record?.id;
    const costUsd = attempts.reduce((sum, attempt) => sum + attempt.costUsd, 0);
    const figures = { phase, steps, tokensBefore, tokensAfter, costUsd, durationMs };
    const model = event.record?.model;
    const text = summaryId === undefined ? "compacted" : "summarised";
    chooseWriter(engine, observer)?.(text, { tenantId, sessionId, summaryId, model, ...figures });
  });
  engine.on("compaction-end", ({ sessionId, phase, outcome, durationMs }) => {
    if (outcome === "failed") log.note?.("not compacted", { tenantId, sessionId, phase, outcome, durationMs });
  });
  engine.on("warning", ({ sessionId, text, code }) => {
    if (code !== "summarizer-failed") (log.warn ?? log.note)?.("warning", { tenantId, sessionId, text });
  });
}

/** Logs a summarizer that fails, at the default level and under every policy. */
function logFailures(engine: Palimpsest, { tenantId, metrics, log }: Observer): void {
  engine.on("summary", ({ sessionId, outcome, rule: code, model, strategy, reason, calls, durationMs }) => {
    const isFailure = outcome === "failed" || outcome === "rejected";
    if (!isFailure || code === undefined || code === "aborted") return;
    metrics.add("summarizer_failures_total", { code, model: model ?? "none" });
    const line = { tenantId, sessionId, code, model, strategy, outcome, reason, calls, durationMs };
    (log.warn ?? log.note)?.("summary failed", line);
  });
}

function logDetails(engine: Palimpsest, { tenantId, log }: Observer): void {
  engine.on("compaction", ({ sessionId, record, reason, compressedMessages, ratio, tokensAfter: estimateAfter }) => {
    if (record === undefined) return;
    const { depth, tokenRatio: ratioBefore = ratio } = record;
    const figures = { depth, compressedMessages, ratioBefore, estimateAfter };
    log.debug?.("summary written", { tenantId, sessionId, summaryId: record.id, reason, ...figures });
  });
  engine.on("summary", ({ sessionId, rule: code, model, rawStart }) => {
    if (rawStart !== undefined)
      log.debug?.("summary answer unreadable", { tenantId, sessionId, code, model, rawStart });
  });
}
