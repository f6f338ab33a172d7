/**
 * Reads one input item of OpenAI's Responses API. Each item becomes one message: parallel calls are several items,
 * which `repair-messages.ts` joins. Fields of a call, a result or a thought are kept on its part, because messages may
 * be joined later.
 */

import {
  type Fields,
  findString,
  invalidMessage,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { noteExtras, parseDataUrl, takeExtras, toJsonObject, toJsonValue } from "../decode-value.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type {
  FilePart,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { extrasField, field, filledKeys, itemId, readArguments } from "./wire-item.ts";

const NAME = "openai-responses";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

type ContentPart = TextPart | ImagePart | FilePart | UnknownPart;

/**
 * Tools that the host runs and that have their own kinds of items: a call has a `call_id`, and an output answers it.
 */
const HOST_TOOLS: ReadonlySet<string> = new Set(["computer", "local_shell", "shell", "apply_patch"]);

export function decodeOpenAiResponses(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = requireObject(item, path);
  const id = source.type === "item_reference" ? fallbackId : itemId(source, fallbackId);
  const type =
    findString(source.type, pathOf(path, "type")) ?? (source.role === undefined ? "item_reference" : "message");
  if (type === "message") return [decodeWords(source, { path, id })];
  if (type === "reasoning") return [{ id, role: "assistant", parts: readReasoning(source, path) }];
  const call = readCall(source, { type, path });
  if (call !== undefined) return [{ id, role: "assistant", parts: [call] }];
  const result = readResult(source, { type, path });
  if (result !== undefined) return [{ id, role: "tool", parts: [result] }];
  return [decodeUnknown(source, { type, path, id: type === "item_reference" ? fallbackId : id })];
}

/** Returns the default text type of a role: only the model's text is output. */
export function plainTextType(role: Message["role"]): "input_text" | "output_text" {
  return role === "assistant" ? "output_text" : "input_text";
}

function decodeWords(source: Fields, { path, id }: { readonly path: string; readonly id: string }): Message {
  const { role, note } = requireRole(source.role, pathOf(path, "role"));
  const contentPath = pathOf(path, "content");
  const asString = typeof source.content === "string";
  const parts: readonly ContentPart[] =
    typeof source.content === "string"
      ? [{ type: "text", text: source.content }]
      : requireArray(source.content, contentPath).map((part, index) =>
          readContentPart(part, { path: pathOf(contentPath, index), role }),
        );
  const type = source.type === undefined ? "absent" : source.type === null ? "null" : undefined;
  const notes = { type, role: note, content: asString ? "string" : undefined };
  const unknown = takeExtras(source, { knownKeys: ["type", "role", "content"], name: NAME, path });
  return { id, role, parts, ...extrasField(unknown, noteExtras(NAME, notes)) };
}

function requireRole(value: unknown, path: string): { readonly role: Message["role"]; readonly note?: string } {
  switch (value) {
    case "user":
    case "assistant":
    case "system":
      return { role: value };
    case "developer":
      return { role: "system", note: value };
    default:
      throw invalidMessage(path, "user, assistant, system or developer", value);
  }
}

function readContentPart(
  value: unknown,
  { path, role }: { readonly path: string; readonly role: Message["role"] },
): ContentPart {
  const source = requireObject(value, path);
  const type = requireString(source.type, pathOf(path, "type"));
  switch (type) {
    case "input_text":
    case "output_text":
    case "refusal": {
      const key = type === "refusal" ? "refusal" : "text";
      const text = requireString(source[key], pathOf(path, key));
      const unknown = takeExtras(source, { knownKeys: ["type", key], name: NAME, path });
      const note = noteExtras(NAME, { type: type === plainTextType(role) ? undefined : type });
      return { type: "text", text, ...extrasField(unknown, note) };
    }
    case "input_image":
      return readImage(source, path) ?? carryPart(source, path);
    case "input_file":
      return readFile(source, path) ?? carryPart(source, path);
    default:
      return carryPart(source, path);
  }
}

function readImage(source: Fields, path: string): ImagePart | undefined {
  const url = findString(source.image_url, pathOf(path, "image_url"));
  const id = findString(source.file_id, pathOf(path, "file_id"));
  if (url === undefined && id === undefined) return undefined;
  const data = url === undefined ? undefined : parseDataUrl(url);
  const detail = findString(source.detail, pathOf(path, "detail"));
  const knownKeys = ["type", url === undefined ? "file_id" : "image_url", ...filledKeys(source, ["detail"])];
  return {
    type: "image",
    source:
      data !== undefined
        ? { type: "data", base64: data.base64 }
        : url === undefined
          ? { type: "reference", id: id ?? "" }
          : { type: "url", url },
    ...field("mediaType", data?.mediaType),
    ...extrasField(
      takeExtras(source, { knownKeys, name: NAME, path }),
      detail === undefined ? undefined : { openai: { imageDetail: detail } },
    ),
  };
}

/** A file whose bytes are not a data URL has no known type; it is carried unchanged. */
function readFile(source: Fields, path: string): FilePart | undefined {
  const data = typeof source.file_data === "string" ? parseDataUrl(source.file_data) : undefined;
  const url = typeof source.file_url === "string" ? source.file_url : undefined;
  const id = typeof source.file_id === "string" ? source.file_id : undefined;
  const key = data !== undefined ? "file_data" : url !== undefined ? "file_url" : "file_id";
  if (data === undefined && url === undefined && id === undefined) return undefined;
  const knownKeys = ["type", key, ...filledKeys(source, ["filename"])];
  return {
    type: "file",
    source:
      data !== undefined
        ? { type: "data", base64: data.base64 }
        : url !== undefined
          ? { type: "url", url }
          : { type: "reference", id: id ?? "" },
    mediaType: data?.mediaType ?? UNKNOWN_MEDIA_TYPE,
    ...field("name", findString(source.filename, pathOf(path, "filename"))),
    ...extrasField(
      takeExtras(source, { knownKeys, name: NAME, path }),
      noteExtras(NAME, { type: data?.mediaType.startsWith("image/") ? "input_file" : undefined }),
    ),
  };
}

/**
 * Reads one part for each piece of the summary, each with the item's id and its encrypted reasoning under the AI SDK's
 * names; later parts are marked as belonging to the same item.
 */
function readReasoning(source: Fields, path: string): readonly ReasoningPart[] {
  const summaryPath = pathOf(path, "summary");
  const summary = requireArray(source.summary, summaryPath);
  const texts = summary.length === 0 ? [EMPTY_THOUGHT] : summary;
  const knownKeys = ["type", "summary", ...filledKeys(source, ["id", "encrypted_content"])];
  const unknown = takeExtras(source, { knownKeys, name: NAME, path });
  const named: JsonObject = {
    ...field("itemId", findString(source.id, pathOf(path, "id"))),
    ...field("reasoningEncryptedContent", findString(source.encrypted_content, pathOf(path, "encrypted_content"))),
  };
  const shared = Object.keys(named).length === 0 ? undefined : { openai: named };
  return texts.map((entry, index) => {
    const { text, note } = readThought(entry, pathOf(summaryPath, index));
    const notes = noteExtras(NAME, { type: index === 0 ? "reasoning" : "more", summary: note });
    return { type: "reasoning", text, ...extrasField(index === 0 ? unknown : undefined, shared, notes) };
  });
}

const EMPTY_THOUGHT = Symbol("no summary");

/** The note distinguishes an empty text from a missing summary, and keeps an entry's other fields. */
function readThought(entry: unknown, path: string): { readonly text: string; readonly note?: JsonValue } {
  if (entry === EMPTY_THOUGHT) return { text: "" };
  const { text, ...fields } = toJsonObject(entry, path);
  const words = requireString(text, pathOf(path, "text"));
  const plain = words !== "" && fields.type === "summary_text" && Object.keys(fields).length === 1;
  return plain ? { text: words } : { text: words, note: fields };
}

interface ItemPlace {
  readonly type: string;
  readonly path: string;
}

function readCall(source: Fields, { type, path }: ItemPlace): ToolCallPart | undefined {
  if (type === "function_call" || type === "custom_tool_call") {
    const key = type === "function_call" ? "arguments" : "input";
    const text = requireString(source[key], pathOf(path, key));
    const unknown = takeExtras(source, { knownKeys: ["type", "call_id", "name", key], name: NAME, path });
    return {
      type: "tool-call",
      callId: requireString(source.call_id, pathOf(path, "call_id")),
      tool: requireString(source.name, pathOf(path, "name")),
      ...(type === "function_call" ? readArguments(text, pathOf(path, key)) : { input: text }),
      ...extrasField(unknown, noteExtras(NAME, { type: type === "function_call" ? undefined : type })),
    };
  }
  return readHostCall(source, { type, path });
}

/** The tool's own fields are its input; the envelope is carried. */
function readHostCall(source: Fields, { type, path }: ItemPlace): ToolCallPart | undefined {
  const tool = type.endsWith("_call") ? type.slice(0, -"_call".length) : "";
  if (!HOST_TOOLS.has(tool)) return undefined;
  const { type: _type, call_id: callId, id, status, ...input } = toJsonObject(source, path);
  return {
    type: "tool-call",
    callId: requireString(callId, pathOf(path, "call_id")),
    tool,
    input,
    ...extrasField(noteExtras(NAME, { type, ...field("id", id), ...field("status", status) })),
  };
}

function readResult(source: Fields, { type, path }: ItemPlace): ToolResultPart | undefined {
  const tool = type.endsWith("_call_output") ? type.slice(0, -"_call_output".length) : "";
  const custom = tool === "custom_tool";
  if (tool !== "function" && !custom && !HOST_TOOLS.has(tool)) return undefined;
  const idKey = tool === "local_shell" && source.call_id === undefined ? "id" : "call_id";
  const unknown = takeExtras(source, { knownKeys: ["type", idKey, "output"], name: NAME, path });
  const missing = source.output === undefined ? "absent" : source.output === null ? "null" : undefined;
  return {
    type: "tool-result",
    callId: requireString(source[idKey], pathOf(path, idKey)),
    ...(tool === "function" || custom ? {} : { tool }),
    output: readOutput(source.output ?? "", { path: pathOf(path, "output"), asParts: tool === "function" || custom }),
    failed: source.status === "failed",
    ...extrasField(
      unknown,
      noteExtras(NAME, {
        type: tool === "function" ? undefined : type,
        call_id: idKey === "id" ? "absent" : undefined,
        output: missing,
      }),
    ),
  };
}

function readOutput(
  value: unknown,
  { path, asParts }: { readonly path: string; readonly asParts: boolean },
): ToolOutput {
  if (typeof value === "string") return { type: "text", text: value };
  if (!asParts) return { type: "json", value: toJsonValue(value, path) };
  const parts = requireArray(value, path).map((part, index) =>
    readContentPart(part, { path: pathOf(path, index), role: "tool" }),
  );
  return { type: "parts", parts };
}

function decodeUnknown(source: Fields, { type, path, id }: ItemPlace & { readonly id: string }): Message {
  if (type === "item_reference" && typeof source.id !== "string") {
    throw invalidMessage(path, "an item with a type or a role", source);
  }
  const part: Part = carry(source, path);
  return { id, role: type === "mcp_approval_response" ? "user" : "assistant", parts: [part] };
}

function carry(source: Fields, path: string): UnknownPart {
  return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
}

/** Wraps unknown content, so that it is not mistaken for an item of the list. */
function carryPart(source: Fields, path: string): UnknownPart {
  return { type: "unknown", format: NAME, value: { content_part: toJsonValue(source, path) } };
}
