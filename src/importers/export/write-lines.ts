/** Writes a session as the JSON Lines of Claude Code, Codex or pi. */

import { findText, readFields } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import { anthropicFormat } from "../../core/message/formats/anthropic.ts";
import { openAiResponsesFormat } from "../../core/message/formats/openai-responses.ts";
import type { TranscriptMessage, TranscriptSummary } from "../../ports/transcript.ts";
import { type ExportedSession, findSourceId, readSource, toIsoTime, writeLine } from "./export-format.ts";

export async function* writeClaudeCode({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const written = new Set<string>();
  let [last, named]: [string | undefined, string | undefined] = [undefined, undefined];
  for await (const event of events) {
    const sessionId: string = named ?? findSourceId(facts, "claude-code");
    if (event.type === "summary") {
      yield* writeCompaction(event, { sessionId, last });
      last = event.id;
      continue;
    }
    const { message } = event;
    const [item] = anthropicFormat.encode([message]);
    if (message.role === "system" || item === undefined) continue;
    const source = readSource(message, "claude-code");
    // A fork has messages of another session, and is one session in its own file.
    named ??= findText(source.sessionId) ?? sessionId;
    const parent = findText(source.parentUuid);
    const parentUuid = parent !== undefined && written.has(parent) ? parent : (last ?? null);
    yield writeLine({
      ...describeClaude(event),
      parentUuid,
      sessionId: named,
      message: writeClaudeMessage(event, readFields(item)),
    });
    written.add(message.id);
    last = message.id;
  }
  if (facts.title !== undefined) yield writeLine({ type: "summary", summary: facts.title, leafUuid: last });
}

function describeClaude({ message, costUsd }: TranscriptMessage) {
  const { cwd, gitBranch, version, isMeta, requestId, isApiErrorMessage } = readSource(message, "claude-code");
  const type = message.role === "assistant" ? "assistant" : "user";
  const timestamp = toIsoTime(message.saidAt);
  const known = { cwd, gitBranch, version, isMeta, requestId, isApiErrorMessage, costUSD: costUsd };
  return { type, uuid: message.id, isSidechain: false, timestamp, ...known };
}

function writeClaudeMessage(
  { message, usage }: TranscriptMessage,
  { role, content }: { readonly role?: unknown; readonly content?: unknown },
) {
  if (message.role !== "assistant") return { role, content };
  const { messageId, model, stopReason, isNotice } = readSource(message, "claude-code");
  const named = isNotice === true ? "<synthetic>" : (model ?? usage?.model);
  return {
    id: messageId ?? message.id,
    type: "message",
    role,
    model: named,
    content,
    stop_reason: stopReason ?? null,
    usage: usage && writeAnthropicUsage(usage),
  };
}

function writeAnthropicUsage({ inputTokens = 0, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}

function* writeCompaction(
  { id, text, at, trigger, tokensBefore }: TranscriptSummary,
  { sessionId, last }: { readonly sessionId: string; readonly last: string | undefined },
): Generator<string> {
  const shared = { isSidechain: false, sessionId, timestamp: toIsoTime(at) };
  const boundary = `${id}-boundary`;
  const compactMetadata = { trigger, preTokens: tokensBefore };
  const edge = { type: "system", subtype: "compact_boundary", content: "Conversation compacted", compactMetadata };
  yield writeLine({ ...shared, ...edge, uuid: boundary, parentUuid: null, logicalParentUuid: last });
  const summary = { type: "user", isCompactSummary: true, message: { role: "user", content: text } };
  yield writeLine({ ...shared, ...summary, uuid: id, parentUuid: boundary });
}

export async function* writeCodex({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const id = findSourceId(facts, "codex");
  const startedAt = toIsoTime(facts.startedAt) ?? toIsoTime(0);
  yield writeLine({
    timestamp: startedAt,
    type: "session_meta",
    payload: { id, timestamp: startedAt, cwd: facts.folder ?? "" },
  });
  let model: string | undefined;
  for await (const event of events) {
    const timestamp = toIsoTime(event.type === "summary" ? event.at : event.message.saidAt);
    if (event.type === "summary") {
      yield writeLine({ timestamp, type: "compacted", payload: { message: event.text, window_id: event.id } });
      continue;
    }
    const { message, usage } = event;
    const named = findText(readSource(message, "codex").model) ?? usage?.model;
    if (named !== undefined && named !== model) {
      model = named;
      yield writeLine({ timestamp, type: "turn_context", payload: { model } });
    }
    for (const item of openAiResponsesFormat.encode([message])) {
      const payload = { ...readFields(item), id: findText(readSource(message, "codex").id) };
      yield writeLine({ timestamp, type: "response_item", payload });
    }
    if (usage !== undefined) yield writeLine({ timestamp, type: "event_msg", payload: writeCodexUsage(usage) });
  }
}

function writeCodexUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  const figures = {
    input_tokens: inputTokens,
    cached_input_tokens: cacheReadTokens,
    cache_write_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
  return { type: "token_count", info: { last_token_usage: figures } };
}
