/**
 * Reads one input item of OpenAI's Responses API. Each item becomes one message: parallel calls are several items,
 * which `repair-messages.ts` joins. Fields of a call, a result or a thought are kept on its part, because messages may
 * be joined later.
 */
import { invalidMessage } from "../../check-value.ts";
import { noteExtras, parseDataUrl, toJsonObject } from "../decode-value.ts";
import type { JsonValue } from "../json.ts";
import type {
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  ReasoningPart,
  Role,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { extrasField, itemId, optionalField, readArguments, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { WireObject } from "./wire-object.ts";

const NAME = "openai-responses";

/** Tools that the host runs and that have their own kinds of items: a call with a `call_id`, and an output. */
const HOST_TOOLS: ReadonlySet<string> = new Set(["computer", "local_shell", "shell", "apply_patch"]);

export function decodeOpenAiResponses(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, path);
  const { type: given, role } = source.fields;
  const id = given === "item_reference" ? fallbackId : itemId(source.fields, fallbackId);
  const type = source.findText("type") ?? (role === undefined ? "item_reference" : "message");
  if (type === "message") return [{ id, ...decodeMessage(source) }];
  if (type === "reasoning") return [{ id, role: "assistant", parts: readReasoning(source) }];
  const call = readCall(source, type);
  if (call !== undefined) return [{ id, role: "assistant", parts: [call] }];
  const result = readResult(source, type);
  if (result !== undefined) return [{ id, role: "tool", parts: [result] }];
  if (type === "item_reference" && typeof source.fields.id !== "string") {
    throw invalidMessage(path, "an item with a type or a role", item);
  }
  const speaker = type === "mcp_approval_response" ? "user" : "assistant";
  return [{ id: type === "item_reference" ? fallbackId : id, role: speaker, parts: [source.toUnknown()] }];
}

/** Returns the default text type of a role: only the model's text is output. */
export function plainTextType(role: Role): "input_text" | "output_text" {
  return role === "assistant" ? "output_text" : "input_text";
}

function decodeMessage(source: WireObject): Omit<Message, "id"> {
  const { content } = source.fields;
  const { role, note } = requireRole(source);
  const parts: readonly ContentPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : source.list("content", (part) => readContentPart(part, role));
  const shape = typeof content === "string" ? "string" : undefined;
  const notes = { type: source.describeMissing("type"), role: note, content: shape };
  return { role, parts, ...source.extras(["type", "role", "content"], notes) };
}

function requireRole(source: WireObject): { readonly role: Role; readonly note?: string } {
  const { role } = source.fields;
  if (role === "user" || role === "assistant" || role === "system") return { role };
  if (role === "developer") return { role: "system", note: role };
  throw invalidMessage(source.pathOf("role"), "user, assistant, system or developer", role);
}

function readContentPart(source: WireObject, role: Role): ContentPart {
  const type = source.text("type");
  switch (type) {
    case "input_text":
    case "output_text":
    case "refusal": {
      const key = type === "refusal" ? "refusal" : "text";
      const notes = { type: type === plainTextType(role) ? undefined : type };
      return { type: "text", text: source.text(key), ...source.extras(["type", key], notes) };
    }
    case "input_image":
      return readImage(source) ?? wrapContentPart(source);
    case "input_file":
      return readFile(source) ?? wrapContentPart(source);
    default:
      return wrapContentPart(source);
  }
}

function readImage(source: WireObject): ImagePart | undefined {
  const [url, id] = [source.findText("image_url"), source.findText("file_id")];
  const data = url === undefined ? undefined : parseDataUrl(url);
  const read = (key: string, media: MediaSource): ImagePart => {
    const detail = source.findText("detail");
    const openai = detail === undefined ? undefined : { openai: { imageDetail: detail } };
    const extras = source.extras(["type", key, ...source.filledKeys("detail")], {}, openai);
    return { type: "image", source: media, ...optionalField("mediaType", data?.mediaType), ...extras };
  };
  if (data !== undefined) return read("image_url", { type: "data", base64: data.base64 });
  if (url !== undefined) return read("image_url", { type: "url", url });
  return id === undefined ? undefined : read("file_id", { type: "reference", id });
}

/** A file whose bytes are not a data URL has no known type; it is kept unchanged. */
function readFile(source: WireObject): FilePart | undefined {
  const { file_data: bytes, file_url: url, file_id: id } = source.fields;
  const data = typeof bytes === "string" ? parseDataUrl(bytes) : undefined;
  const mediaType = data?.mediaType ?? UNKNOWN_MEDIA_TYPE;
  const read = (key: string, media: MediaSource): FilePart => {
    const name = optionalField("name", source.findText("filename"));
    const notes = { type: mediaType.startsWith("image/") ? "input_file" : undefined };
    const extras = source.extras(["type", key, ...source.filledKeys("filename")], notes);
    return { type: "file", source: media, mediaType, ...name, ...extras };
  };
  if (data !== undefined) return read("file_data", { type: "data", base64: data.base64 });
  if (typeof url === "string") return read("file_url", { type: "url", url });
  return typeof id === "string" ? read("file_id", { type: "reference", id }) : undefined;
}

/** Reads one part for each piece of the summary; later ones are marked as belonging to the same item. */
function readReasoning(source: WireObject): readonly ReasoningPart[] {
  const thoughts = source.list("summary", readThought);
  const named = {
    ...optionalField("itemId", source.findText("id")),
    ...optionalField("reasoningEncryptedContent", source.findText("encrypted_content")),
  };
  const shared = Object.keys(named).length === 0 ? undefined : { openai: named };
  const knownKeys = ["type", "summary", ...source.filledKeys("id", "encrypted_content")];
  return (thoughts.length === 0 ? [{ text: "" }] : thoughts).map(({ text, note }, index) => {
    const notes = { type: index === 0 ? "reasoning" : "more", summary: note };
    const extras = index === 0 ? source.extras(knownKeys, notes, shared) : extrasField(noteExtras(NAME, notes), shared);
    return { type: "reasoning", text, ...extras };
  });
}

interface Thought {
  readonly text: string;
  /** Distinguishes an empty text from a missing summary, and keeps the entry's other fields. */
  readonly note?: JsonValue;
}

function readThought(entry: WireObject): Thought {
  const { text: _, ...fields } = toJsonObject(entry.fields, entry.path);
  const text = entry.text("text");
  const plain = text !== "" && fields.type === "summary_text" && Object.keys(fields).length === 1;
  return plain ? { text } : { text, note: fields };
}

function readCall(source: WireObject, type: string): ToolCallPart | undefined {
  if (type !== "function_call" && type !== "custom_tool_call") return readHostCall(source, type);
  const isCustom = type === "custom_tool_call";
  const key = isCustom ? "input" : "arguments";
  const text = source.text(key);
  return {
    type: "tool-call",
    callId: source.text("call_id"),
    tool: source.text("name"),
    ...(isCustom ? { input: text } : readArguments(text, source.pathOf(key))),
    ...source.extras(["type", "call_id", "name", key], { type: isCustom ? type : undefined }),
  };
}

/** The tool's own fields are its input; the other fields are kept as extras. */
function readHostCall(source: WireObject, type: string): ToolCallPart | undefined {
  const tool = type.endsWith("_call") ? type.slice(0, -"_call".length) : "";
  if (!HOST_TOOLS.has(tool)) return undefined;
  const { type: _type, call_id: _, id, status, ...input } = toJsonObject(source.fields, source.path);
  const extras = extrasField(noteExtras(NAME, { type, id, status }));
  return { type: "tool-call", callId: source.text("call_id"), tool, input, ...extras };
}

function readResult(source: WireObject, type: string): ToolResultPart | undefined {
  const tool = type.endsWith("_call_output") ? type.slice(0, -"_call_output".length) : "";
  const isHostTool = HOST_TOOLS.has(tool);
  if (tool !== "function" && tool !== "custom_tool" && !isHostTool) return undefined;
  const idKey = tool === "local_shell" && source.fields.call_id === undefined ? "id" : "call_id";
  const notes = {
    type: tool === "function" ? undefined : type,
    call_id: idKey === "id" ? "absent" : undefined,
    output: source.describeMissing("output"),
  };
  return {
    type: "tool-result",
    callId: source.text(idKey),
    ...optionalField("tool", isHostTool ? tool : undefined),
    output: readOutput(source, isHostTool),
    failed: source.fields.status === "failed",
    ...source.extras(["type", idKey, "output"], notes),
  };
}

function readOutput(source: WireObject, isHostTool: boolean): ToolOutput {
  const output = source.fields.output ?? "";
  if (typeof output === "string") return { type: "text", text: output };
  if (isHostTool) return { type: "json", value: source.json("output") };
  return { type: "parts", parts: source.list("output", (part) => readContentPart(part, "tool")) };
}

/** Wraps unknown content, so that it is not mistaken for an item of the list. */
function wrapContentPart(source: WireObject): UnknownPart {
  return { type: "unknown", format: NAME, value: { content_part: source.toUnknown().value } };
}
