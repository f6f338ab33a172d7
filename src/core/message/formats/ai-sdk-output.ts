/**
 * Decodes and encodes tool output of the AI SDK: text, JSON, errors of both, parts, or a denial. Unknown kinds of
 * output are carried whole.
 */

import { type Fields, findString, pathOf, requireArray, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, takeExtras, toJsonObject, toJsonValue, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { TextPart, ToolOutput, ToolResultPart, UnknownPart } from "../message.ts";
import { encodeMediaPart, findMediaPart, giveOptions, takeOptions } from "./ai-sdk-media.ts";
import { extrasField } from "./wire-item.ts";

const NAME = "ai-sdk-model";
const OPTIONS = { key: "providerOptions", name: NAME } as const;
const TEXT_KEYS = ["type", "text", "providerOptions"];

/** What the model reads if a call was denied without a reason. */
export const DENIED_TEXT = "Tool call execution denied.";

export interface DecodedOutput {
  readonly output: ToolOutput;
  readonly failed: boolean;
  /** The kind of output if ours cannot express it, and the fields next to the value. */
  readonly note: JsonObject | undefined;
}

export function decodeOutput(value: unknown, path: string): DecodedOutput {
  const source = requireObject(value, path);
  const { type, value: _, ...others } = source;
  const fields = toJsonObject(others, path);
  const note = Object.keys(fields).length === 0 ? undefined : { fields };
  const valuePath = pathOf(path, "value");
  switch (requireString(type, pathOf(path, "type"))) {
    case "text":
      return { output: { type: "text", text: requireString(source.value, valuePath) }, failed: false, note };
    case "error-text":
      return { output: { type: "text", text: requireString(source.value, valuePath) }, failed: true, note };
    case "json":
      return { output: { type: "json", value: toJsonValue(source.value, valuePath) }, failed: false, note };
    case "error-json":
      return { output: { type: "json", value: toJsonValue(source.value, valuePath) }, failed: true, note };
    case "content":
      return { output: decodeContent(source.value, valuePath), failed: false, note };
    case "execution-denied":
      return { ...decodeDenied(source, path), note: { ...note, type: "execution-denied" } };
    default:
      return { output: carryOutput(source, path), failed: false, note: { type: "unknown" } };
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

function decodeDenied(source: Fields, path: string): Omit<DecodedOutput, "note"> {
  const reason = findString(source.reason, pathOf(path, "reason"));
  return { output: { type: "text", text: reason ?? DENIED_TEXT }, failed: true };
}

function saysDenied({ output, failed }: ToolResultPart, { reason }: JsonObject): boolean {
  return failed && output.type === "text" && output.text === (reason ?? DENIED_TEXT);
}

function carryOutput(source: Fields, path: string): ToolOutput {
  return { type: "parts", parts: [{ type: "unknown", format: NAME, value: toJsonValue(source, path) }] };
}

function decodeContent(value: unknown, path: string): ToolOutput {
  const parts = requireArray(value, path).map((element, index) => {
    const place = pathOf(path, index);
    const source = requireObject(element, place);
    const type = requireString(source.type, pathOf(place, "type"));
    return type === "text" ? decodeText(source, place) : (findMediaPart(source, place) ?? carryPart(source, place));
  });
  return { type: "parts", parts };
}

function decodeText(source: Fields, path: string): TextPart {
  const extras = extrasField(
    takeOptions(source, { ...OPTIONS, path }),
    takeExtras(source, { knownKeys: TEXT_KEYS, name: NAME, path }),
  );
  return { type: "text", text: requireString(source.text, pathOf(path, "text")), ...extras };
}

function carryPart(source: Fields, path: string): UnknownPart {
  return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
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
  return texts.length === output.parts.length
    ? { type: "error-text", value: texts.join("\n") }
    : { type: "content", value: output.parts.flatMap(encodeContentPart) };
}

type OutputPart = Extract<ToolOutput, { type: "parts" }>["parts"][number];

function encodeContentPart(part: OutputPart): readonly unknown[] {
  switch (part.type) {
    case "text":
      return [encodeTextPart(part)];
    case "image":
    case "file":
      return [encodeMediaPart(part)];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

function encodeTextPart({ text, extras }: TextPart): Fields {
  const item = { type: "text", text, ...giveOptions(extras, OPTIONS) };
  return withExtras(item, { extras, name: NAME, knownKeys: TEXT_KEYS });
}
