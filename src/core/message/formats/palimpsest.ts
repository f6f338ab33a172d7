/**
 * Our own message format, from an export or a host that builds messages itself. The shape is checked and copied. It
 * resembles a UI message, so it is never detected; the caller has to name it.
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
import { toJsonObject, toJsonValue } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Extras, MediaSource, Message, Part, Role, ToolOutput } from "../message.ts";
import type { DecodeContext, Format } from "./format.ts";

export const palimpsestFormat: Format = {
  name: "palimpsest",
  recognise: () => "no",
  decode: (item, context) => [decodeMessage(item, context)],
  encode: (messages) => messages,
};

const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];

function decodeMessage(item: unknown, { path, fallbackId }: DecodeContext): Message {
  const source = requireObject(item, path);
  const role = ROLES.find((known) => known === source.role);
  if (role === undefined) throw invalidMessage(pathOf(path, "role"), `one of ${ROLES.join(", ")}`, source.role);
  const partsPath = pathOf(path, "parts");
  return defined({
    id: findString(source.id, pathOf(path, "id")) ?? fallbackId,
    role,
    parts: requireArray(source.parts, partsPath).map((part, index) => decodePart(part, pathOf(partsPath, index))),
    saidAt: findNumber(source.saidAt, pathOf(path, "saidAt")),
    name: findString(source.name, pathOf(path, "name")),
    extras: findExtras(source, path),
  });
}

function decodePart(value: unknown, path: string): Part {
  const source = requireObject(value, path);
  const at = (key: string) => pathOf(path, key);
  const text = (key: string) => requireString(source[key], at(key));
  const maybe = (key: string) => findString(source[key], at(key));
  const extras = findExtras(source, path);
  switch (source.type) {
    case "text":
    case "reasoning":
      return defined({ type: source.type, text: text("text"), extras });
    case "tool-call": {
      const input = toJsonValue(source.input ?? null, at("input"));
      const names = { callId: text("callId"), tool: text("tool"), inputText: maybe("inputText") };
      return defined({
        type: "tool-call",
        ...names,
        input,
        byProvider: findFlag(source.byProvider, at("byProvider")),
        extras,
      });
    }
    case "tool-result": {
      const names = { callId: text("callId"), tool: maybe("tool") };
      const failed = findFlag(source.failed, at("failed")) ?? false;
      const output = decodeOutput(source.output, at("output"));
      return defined({
        type: "tool-result",
        ...names,
        output,
        failed,
        byProvider: findFlag(source.byProvider, at("byProvider")),
        extras,
      });
    }
    case "image":
      return defined({
        type: "image",
        source: decodeSource(source.source, at("source")),
        mediaType: maybe("mediaType"),
        widthPixels: findNumber(source.widthPixels, at("widthPixels")),
        heightPixels: findNumber(source.heightPixels, at("heightPixels")),
        extras,
      });
    case "file":
      return defined({
        type: "file",
        source: decodeSource(source.source, at("source")),
        mediaType: text("mediaType"),
        name: maybe("name"),
        extras,
      });
    case "source": {
      const named = { url: maybe("url"), title: maybe("title"), mediaType: maybe("mediaType"), name: maybe("name") };
      return defined({ type: "source", id: text("id"), ...named, extras });
    }
    case "unknown":
      return { type: "unknown", format: text("format"), value: toJsonValue(source.value ?? null, at("value")) };
    default:
      throw invalidMessage(at("type"), "the type of a part", source.type);
  }
}

function decodeOutput(value: unknown, path: string): ToolOutput {
  const source = requireObject(value, path);
  if (source.type === "text") return { type: "text", text: requireString(source.text, pathOf(path, "text")) };
  if (source.type === "json") return { type: "json", value: toJsonValue(source.value ?? null, pathOf(path, "value")) };
  if (source.type !== "parts") throw invalidMessage(pathOf(path, "type"), "text, json or parts", source.type);
  const parts = requireArray(source.parts, pathOf(path, "parts")).map((item, index) => {
    const part = decodePart(item, pathOf(pathOf(path, "parts"), index));
    if (part.type === "text" || part.type === "image" || part.type === "file" || part.type === "unknown") return part;
    throw invalidMessage(
      pathOf(pathOf(pathOf(path, "parts"), index), "type"),
      "text, image, file or unknown",
      part.type,
    );
  });
  return { type: "parts", parts };
}

function decodeSource(value: unknown, path: string): MediaSource {
  const source = requireObject(value, path);
  if (source.type === "data") return { type: "data", base64: requireString(source.base64, pathOf(path, "base64")) };
  if (source.type === "url") return { type: "url", url: requireString(source.url, pathOf(path, "url")) };
  if (source.type === "reference") return { type: "reference", id: requireString(source.id, pathOf(path, "id")) };
  throw invalidMessage(pathOf(path, "type"), "data, url or reference", source.type);
}

function findExtras(source: Fields, path: string): Extras | undefined {
  if (source.extras === undefined) return undefined;
  const extras = toJsonObject(source.extras, pathOf(path, "extras"));
  const entries = Object.entries(extras).map(([name, fields]): [string, JsonObject] => [
    name,
    toJsonObject(fields, pathOf(pathOf(path, "extras"), name)),
  ]);
  return Object.fromEntries(entries);
}

function findFlag(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw invalidMessage(path, "true or false", value);
}

function findNumber(value: unknown, path: string): number | undefined {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  throw invalidMessage(path, "a number", value);
}

/** Removes keys without a value, so that a copy equals its original. */
function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}
