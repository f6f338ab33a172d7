/** Our own message format. It resembles a UI message, so it is never detected; the caller has to name it. */
import { invalidMessage, pathOf } from "../../check-value.ts";
import { toJsonObject } from "../decode-value.ts";
import type { JsonValue } from "../json.ts";
import {
  type ContentPart,
  type Extras,
  isRole,
  type MediaSource,
  type Message,
  type Part,
  ROLES,
  type ToolOutput,
} from "../message.ts";
import type { DecodeContext, Format } from "./format.ts";
import { WireObject } from "./wire-object.ts";

export const palimpsestFormat: Format = {
  name: "palimpsest",
  recognize: () => "no",
  decode: (item, context) => [decodeMessage(item, context)],
  encode: (messages) => messages,
};

function decodeMessage(item: unknown, { path, fallbackId }: DecodeContext): Message {
  const source = new WireObject("palimpsest", item, path);
  const { role } = source.fields;
  if (!isRole(role)) throw invalidMessage(source.pathOf("role"), `one of ${ROLES.join(", ")}`, role);
  return defined({
    id: source.findText("id") ?? fallbackId,
    role,
    parts: source.list("parts", decodePart),
    saidAt: findNumber(source, "saidAt"),
    name: source.findText("name"),
    extras: findExtras(source),
  });
}

const PART_TYPES = "text, reasoning, tool-call, tool-result, image, file, source, unknown";

function decodePart(source: WireObject): Part {
  const extras = findExtras(source);
  const { type } = source.fields;
  switch (type) {
    case "text":
    case "reasoning":
      return defined({ type, text: source.text("text"), extras });
    case "tool-call":
      return defined({
        type,
        callId: source.text("callId"),
        tool: source.text("tool"),
        inputText: source.findText("inputText"),
        input: readJson(source, "input"),
        byProvider: source.findFlag("byProvider"),
        extras,
      });
    case "tool-result":
      return defined({
        type,
        callId: source.text("callId"),
        tool: source.findText("tool"),
        output: decodeOutput(source.object("output")),
        failed: source.findFlag("failed") ?? false,
        byProvider: source.findFlag("byProvider"),
        extras,
      });
    case "image": {
      const [widthPixels, heightPixels] = [findNumber(source, "widthPixels"), findNumber(source, "heightPixels")];
      const mediaType = source.findText("mediaType");
      return defined({
        type,
        source: decodeSource(source.object("source")),
        mediaType,
        widthPixels,
        heightPixels,
        extras,
      });
    }
    case "file": {
      const [mediaType, name] = [source.text("mediaType"), source.findText("name")];
      return defined({ type, source: decodeSource(source.object("source")), mediaType, name, extras });
    }
    case "source": {
      const [url, title] = [source.findText("url"), source.findText("title")];
      const [mediaType, name] = [source.findText("mediaType"), source.findText("name")];
      return defined({ type, id: source.text("id"), url, title, mediaType, name, extras });
    }
    case "unknown":
      return { type, format: source.text("format"), value: readJson(source, "value") };
    default:
      throw invalidMessage(source.pathOf("type"), `one of ${PART_TYPES}`, type);
  }
}

function decodeOutput(source: WireObject): ToolOutput {
  const { type } = source.fields;
  if (type === "text") return { type, text: source.text("text") };
  if (type === "json") return { type, value: readJson(source, "value") };
  if (type === "parts") return { type, parts: source.list("parts", decodeContentPart) };
  throw invalidMessage(source.pathOf("type"), "text, json or parts", type);
}

function decodeContentPart(source: WireObject): ContentPart {
  const part = decodePart(source);
  if (part.type === "text" || part.type === "image" || part.type === "file" || part.type === "unknown") return part;
  throw invalidMessage(source.pathOf("type"), "text, image, file or unknown", part.type);
}

function decodeSource(source: WireObject): MediaSource {
  const { type } = source.fields;
  if (type === "data") return { type, base64: source.text("base64") };
  if (type === "url") return { type, url: source.text("url") };
  if (type === "reference") return { type, id: source.text("id") };
  throw invalidMessage(source.pathOf("type"), "data, url or reference", type);
}

function findExtras({ fields, path }: WireObject): Extras | undefined {
  if (fields.extras === undefined) return undefined;
  const place = pathOf(path, "extras");
  const extras = Object.entries(toJsonObject(fields.extras, place));
  return Object.fromEntries(extras.map(([name, value]) => [name, toJsonObject(value, pathOf(place, name))]));
}

function readJson(source: WireObject, key: string): JsonValue {
  return source.describeMissing(key) === undefined ? source.json(key) : null;
}

function findNumber({ fields, path }: WireObject, key: string): number | undefined {
  const value = fields[key];
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  throw invalidMessage(pathOf(path, key), "a number", value);
}

/** Removes keys without a value, so that a copy equals its original. */
function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}
