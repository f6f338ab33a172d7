/** Reads one record of Claude Code: an Anthropic message with what the tool adds to it. */
import { type Fields, findText, invalidMessage, isObject, readFields } from "../../core/check-value.ts";
import { anthropicFormat } from "../../core/message/formats/anthropic.ts";
import type { MessageFacts } from "../shared/session-draft.ts";
import { asAmount, pickFields, readTime, readUsage } from "../shared/values.ts";
import type { ClaudeMessage } from "./open-round.ts";

/** The model that Claude Code names for messages that it wrote itself. */
const NO_MODEL = "<synthetic>";
const KEPT_FIELDS = ["parentUuid", "isMeta", "cwd", "gitBranch", "version", "sessionId", "isApiErrorMessage"] as const;

export function readClaudeMessage(record: Fields, place: string, waiting: UnnamedCalls): ClaudeMessage {
  const { message } = record;
  if (!isObject(message)) throw invalidMessage(`${place}.message`, "an object", message);
  const role = record.type === "assistant" ? "assistant" : "user";
  const id = findText(record.uuid);
  const item = { role, content: nameCalls(message.content, `${id ?? place}`, waiting) };
  const decoded = anthropicFormat.decode(item, { path: `${place}.message`, fallbackId: id ?? "" });
  const facts = readFacts(record, message, place);
  const named = (each: { readonly id: string }) => (id === undefined ? undefined : each.id);
  const messages = decoded.map((each): MessageFacts => ({ ...facts, ...each, id: named(each) }));
  return { providerId: role === "assistant" ? findText(message.id) : undefined, messages };
}

/** Ids of calls without one, until their results come. */
export type UnnamedCalls = string[];

/** Some versions leave out the ids of calls: then results answer the calls in their order. */
function nameCalls(content: unknown, place: string, waiting: UnnamedCalls): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown, index) => {
    if (!isObject(block)) return block;
    if (block.type === "tool_use" && block.id === undefined) {
      const id = `call-${place}-${index}`;
      waiting.push(id);
      return { ...block, id };
    }
    if (block.type !== "tool_result" || block.tool_use_id !== undefined) return block;
    return { ...block, tool_use_id: waiting.shift() ?? `unmatched-${place}-${index}` };
  });
}

function readFacts(record: Fields, message: Fields, place: string): Partial<MessageFacts> {
  const model = message.model === NO_MODEL ? undefined : findText(message.model);
  const isNotice = message.model === NO_MODEL;
  const usage = isObject(message.usage) && !isNotice ? readUsage({ model, ...pickUsage(message.usage) }) : undefined;
  const { id: messageId, stop_reason: stopReason } = message;
  const named = {
    ...{ messageId, requestId: record.requestId, model, stopReason, isNotice: isNotice ? true : undefined },
    // Tokens in the cache that lasts an hour, which costs more.
    longCacheWriteTokens: readFields(readFields(message.usage).cache_creation).ephemeral_1h_input_tokens || undefined,
  };
  const kept = { ...pickFields(record, KEPT_FIELDS, place), ...pickFields(named, Object.keys(named), place) };
  return {
    saidAt: readTime(record.timestamp),
    source: kept,
    usage,
    costUsd: asAmount(record.costUSD),
    parentId: findText(record.parentUuid),
    responseId: findText(record.requestId) ?? findText(message.id),
  };
}

function pickUsage(usage: Fields) {
  return {
    plain: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  };
}
