/**
 * Decodes and encodes tool output of the AI SDK: text, JSON, errors of both, parts, or a denial. Unknown kinds of
 * output are carried whole.
 */
import type { Fields } from "../../check-value.ts";
import { findWireExtras, toJsonObject } from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ContentPart, ReasoningPart, TextPart, ToolOutput, ToolResultPart } from "../message.ts";
import { completeModelItem, encodeMediaPart, findMediaPart, takeModelExtras } from "./ai-sdk-media.ts";
import type { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-model";
const TEXT_KEYS = ["type", "text"];

/** Shown to the model if a call was denied without a reason. */
export const DENIED_TEXT = "Tool call execution denied.";

export interface DecodedOutput {
  readonly output: ToolOutput;
  readonly failed: boolean;
  /** The kind of output if ours cannot express it, and the fields next to the value. */
  readonly note: JsonObject | undefined;
}

export function decodeOutput(source: WireObject): DecodedOutput {
  const { type: _type, value: _, ...others } = source.fields;
  const fields = toJsonObject(others, source.path);
  const note = Object.keys(fields).length === 0 ? undefined : { fields };
  const type = source.text("type");
  switch (type) {
    case "text":
    case "error-text":
      return { output: { type: "text", text: source.text("value") }, failed: type === "error-text", note };
    case "json":
    case "error-json":
      return { output: { type: "json", value: source.json("value") }, failed: type === "error-json", note };
    case "content":
      return { output: { type: "parts", parts: source.list("value", decodeContentPart) }, failed: false, note };
    case "execution-denied": {
      const text = source.findText("reason") ?? DENIED_TEXT;
      return { output: { type: "text", text }, failed: true, note: { ...note, type } };
    }
    default:
      return { output: { type: "parts", parts: [source.carry()] }, failed: false, note: { type: "unknown" } };
  }
}

/** Writes the result's output for the AI SDK. Ignores notes that no longer match the part. */
export function encodeOutput(part: ToolResultPart): unknown {
  const notes = findWireExtras(part.extras, NAME)?.output;
  const { type, fields } = isJsonObject(notes) ? notes : {};
  const others = isJsonObject(fields) ? fields : {};
  const carried = part.output.type === "parts" ? part.output.parts[0] : undefined;
  if (type === "unknown" && carried?.type === "unknown") return carried.value;
  if (type === "execution-denied" && saysDenied(part, others)) return { type, ...others };
  const written = part.failed ? encodeFailure(part.output) : encodeSuccess(part.output);
  return type === undefined ? { ...others, ...written } : written;
}

function saysDenied({ output, failed }: ToolResultPart, { reason }: JsonObject): boolean {
  return failed && output.type === "text" && output.text === (reason ?? DENIED_TEXT);
}

function decodeContentPart(source: WireObject): ContentPart {
  if (source.text("type") === "text") return { type: "text", ...decodeText(source) };
  return findMediaPart(source) ?? source.carry();
}

export function decodeText(source: WireObject): Omit<TextPart, "type"> {
  const extras = takeModelExtras(source, TEXT_KEYS);
  return { text: source.text("text"), ...extras };
}

export function encodeText(part: TextPart | ReasoningPart): Fields {
  return completeModelItem({ type: part.type, text: part.text }, part, TEXT_KEYS);
}

function encodeSuccess(output: ToolOutput): Fields {
  switch (output.type) {
    case "text":
      return { type: "text", value: output.text };
    case "json":
      return { type: "json", value: output.value };
    case "parts":
      return { type: "content", value: output.parts.flatMap(encodeContentPart) };
    default:
      return output satisfies never;
  }
}

/** The AI SDK has no failed parts: if all of them are text, the failure is kept; otherwise the parts are. */
function encodeFailure(output: ToolOutput): Fields {
  if (output.type === "json") return { type: "error-json", value: output.value };
  if (output.type === "text") return { type: "error-text", value: output.text };
  const texts = output.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === output.parts.length ? { type: "error-text", value: texts.join("\n") } : encodeSuccess(output);
}

function encodeContentPart(part: ContentPart): readonly unknown[] {
  switch (part.type) {
    case "text":
      return [encodeText(part)];
    case "image":
    case "file":
      return [encodeMediaPart(part)];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}
