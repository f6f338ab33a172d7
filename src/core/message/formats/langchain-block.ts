/**
 * LangChain's content blocks except the host's tool calls: text, reasoning in LangChain's and Anthropic's spelling,
 * media, and tools that a provider ran. Other blocks are carried unchanged.
 */

import { type Fields, pathOf, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, noteExtras, takeExtras, toJsonValue, withExtras } from "../decode-value.ts";
import type { Extras, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from "../message.ts";
import { encodeMediaBlock, findMediaBlock } from "./langchain-media.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "langchain";
const TEXT_BLOCKS: readonly unknown[] = ["text", "text-plain", "input_text", "output_text"];
const TEXT_KEYS = ["type", "text"];
const SERVER_CALL_KEYS = ["type", "id", "name", "args"];
const SERVER_RESULT_KEYS = ["type", "toolCallId", "status", "output"];

export type OutputPart = Extract<Part, { type: "text" | "image" | "file" | "unknown" }>;

/** Decodes a block of any message or tool output. */
export function decodeBlock(value: unknown, path: string): OutputPart {
  if (typeof value === "string")
    return { type: "text", text: value, ...extrasField(noteExtras(NAME, { type: "bare" })) };
  const block = requireObject(value, path);
  if (TEXT_BLOCKS.includes(block.type) && (block.type === "text" || typeof block.text === "string")) {
    return decodeText(block, path);
  }
  return findMediaBlock(block, path) ?? { type: "unknown", format: NAME, value: toJsonValue(block, path) };
}

/** Decodes a block of a model's message. */
export function decodeModelBlock(value: unknown, path: string): Part {
  if (typeof value === "string") return decodeBlock(value, path);
  const block = requireObject(value, path);
  switch (block.type) {
    case "thinking":
      return decodeThinking(block, path);
    case "redacted_thinking":
      return decodeRedacted(block, path);
    case "reasoning":
      return typeof block.reasoning === "string" ? decodeReasoning(block, path) : decodeBlock(block, path);
    case "server_tool_call":
      return decodeServerCall(block, path);
    case "server_tool_call_result":
      return decodeServerResult(block, path);
    default:
      return decodeBlock(block, path);
  }
}

function decodeText(block: Fields, path: string): TextPart {
  const notes = noteExtras(NAME, { type: block.type === "text" ? undefined : String(block.type) });
  const extras = extrasField(takeExtras(block, { knownKeys: TEXT_KEYS, name: NAME, path }), notes);
  return { type: "text", text: requireString(block.text, pathOf(path, "text")), ...extras };
}

function decodeThinking(block: Fields, path: string): ReasoningPart {
  const isSigned = typeof block.signature === "string";
  const knownKeys = ["type", "thinking", ...(isSigned ? ["signature"] : [])];
  const signature = isSigned ? { anthropic: { signature: String(block.signature) } } : undefined;
  const notes = noteExtras(NAME, { type: isSigned ? undefined : "thinking" });
  const extras = extrasField(signature, takeExtras(block, { knownKeys, name: NAME, path }), notes);
  return { type: "reasoning", text: requireString(block.thinking, pathOf(path, "thinking")), ...extras };
}

function decodeRedacted(block: Fields, path: string): ReasoningPart {
  const redactedData = requireString(block.data, pathOf(path, "data"));
  const others = takeExtras(block, { knownKeys: ["type", "data"], name: NAME, path });
  return { type: "reasoning", text: "", ...extrasField({ anthropic: { redactedData } }, others) };
}

function decodeReasoning(block: Fields, path: string): ReasoningPart {
  const extras = extrasField(takeExtras(block, { knownKeys: ["type", "reasoning"], name: NAME, path }));
  return { type: "reasoning", text: requireString(block.reasoning, pathOf(path, "reasoning")), ...extras };
}

function decodeServerCall(block: Fields, path: string): Part {
  if (typeof block.id !== "string" || typeof block.name !== "string" || block.args === undefined) {
    return decodeBlock(block, path);
  }
  const input = toJsonValue(block.args, pathOf(path, "args"));
  const extras = extrasField(takeExtras(block, { knownKeys: SERVER_CALL_KEYS, name: NAME, path }));
  return { type: "tool-call", callId: block.id, tool: block.name, input, byProvider: true, ...extras };
}

function decodeServerResult(block: Fields, path: string): Part {
  const isKnown = (block.status === "success" || block.status === "error") && block.output !== undefined;
  if (typeof block.toolCallId !== "string" || !isKnown) return decodeBlock(block, path);
  return {
    type: "tool-result",
    callId: block.toolCallId,
    output: { type: "json", value: toJsonValue(block.output, pathOf(path, "output")) },
    failed: block.status === "error",
    byProvider: true,
    ...extrasField(takeExtras(block, { knownKeys: SERVER_RESULT_KEYS, name: NAME, path })),
  };
}

/** Returns the part as a block, or nothing: the host's calls are written elsewhere, and cited sources have no block. */
export function encodeBlock(part: Part): readonly unknown[] {
  switch (part.type) {
    case "text":
      return [encodeText(part)];
    case "reasoning":
      return [encodeReasoning(part)];
    case "image":
    case "file":
      return [encodeMediaBlock(part)];
    case "tool-call":
      return part.byProvider === true ? [encodeServerCall(part)] : [];
    case "tool-result":
      return part.byProvider === true ? [encodeServerResult(part)] : [];
    case "source":
      return [];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

function encodeText({ text, extras }: TextPart): unknown {
  const type = findWireExtras(extras, NAME)?.type;
  if (type === "bare") return text;
  return withExtras({ type: type ?? "text", text }, { extras, name: NAME, knownKeys: TEXT_KEYS });
}

function encodeReasoning({ text, extras }: ReasoningPart): Fields {
  const { signature, redactedData } = extras?.anthropic ?? {};
  if (redactedData !== undefined) {
    return giveFields({ type: "redacted_thinking", data: redactedData }, extras);
  }
  const isThinking = signature !== undefined || findWireExtras(extras, NAME)?.type === "thinking";
  return isThinking
    ? giveFields({ type: "thinking", thinking: text, ...field("signature", signature) }, extras)
    : giveFields({ type: "reasoning", reasoning: text }, extras);
}

function encodeServerCall({ callId, tool, input, extras }: ToolCallPart): Fields {
  return giveFields({ type: "server_tool_call", id: callId, name: tool, args: input }, extras);
}

function encodeServerResult({ callId, output, failed, extras }: ToolResultPart): Fields {
  const status = failed ? "error" : "success";
  const value =
    output.type === "json" ? output.value : output.type === "text" ? output.text : output.parts.flatMap(encodeBlock);
  return giveFields({ type: "server_tool_call_result", toolCallId: callId, status, output: value }, extras);
}

function giveFields(item: Fields, extras: Extras | undefined): Fields {
  return withExtras(item, { extras, name: NAME });
}
