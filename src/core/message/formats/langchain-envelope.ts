/**
 * The four forms of a LangChain message: an instance (recognized by its methods; LangChain is never imported), a
 * serialized constructor, a stored message, and a plain object. All hold the same fields; the wrapping is noted. An
 * instance is encoded as a plain object; `langchain-instance.ts` rebuilds it.
 */
import { type Fields, invalidMessage, isObject } from "../../check-value.ts";
import { listWords } from "../../language/list-words.ts";
import { toJsonObject } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { WireObject } from "./wire-object.ts";

/** LangChain's kinds of messages, by the names of their classes. */
const CLASSES = {
  HumanMessage: "human",
  AIMessage: "ai",
  SystemMessage: "system",
  ToolMessage: "tool",
  FunctionMessage: "function",
  RemoveMessage: "remove",
  ChatMessage: "generic",
} as const;

const KINDS = [...Object.values(CLASSES), "user", "assistant", "developer"] as const;

export type LangChainKind = (typeof KINDS)[number];

/** Fields to read from an instance. Its other properties are copies and internals. */
const INSTANCE_FIELDS = listWords(`content name id role additional_kwargs response_metadata tool_calls
  invalid_tool_calls usage_metadata tool_call_id status artifact metadata`);

export interface Envelope {
  readonly kind: LangChainKind;
  readonly source: WireObject;
  /** Undefined for a plain object, whose kind is one of its fields. */
  readonly wrapping?: JsonObject | undefined;
}

export function openEnvelope(whole: WireObject): Envelope {
  const { fields: item, path, format } = whole;
  if (isInstance(item)) {
    const kind = requireKind(typeOf(item), path);
    const entries = INSTANCE_FIELDS.map((key) => [key, item[key]] as const).filter(([, value]) => value !== undefined);
    return { kind, source: new WireObject(format, { ...Object.fromEntries(entries), type: kind }, path) };
  }
  if (isConstructor(item)) {
    const { kwargs: _, ...wrapping } = item;
    const kind = requireKind(findClass(item), whole.pathOf("id"));
    return { kind, source: whole.object("kwargs"), wrapping: toJsonObject(wrapping, path) };
  }
  if (isStored(item)) {
    const { data: _, ...wrapping } = item;
    const kind = requireKind(item.type, whole.pathOf("type"));
    return { kind, source: whole.object("data"), wrapping: toJsonObject(wrapping, path) };
  }
  const key = item.type === undefined && item.role !== undefined ? "role" : "type";
  return { kind: requireKind(item[key], whole.pathOf(key)), source: whole };
}

export function closeEnvelope(fields: Fields, wrapping: JsonValue | undefined): Fields {
  if (!isJsonObject(wrapping)) return fields;
  return wrapping.lc === undefined ? { ...wrapping, data: fields } : { ...wrapping, kwargs: fields };
}

export function isLangChainKind(value: unknown): value is LangChainKind {
  return KINDS.some((kind) => kind === value);
}

/** Whether only LangChain wraps messages like this. */
export function isWrapped(item: Fields): boolean {
  return (
    isInstance(item) ||
    (isConstructor(item) && findClass(item) !== undefined) ||
    (isStored(item) && isLangChainKind(item.type))
  );
}

function requireKind(value: unknown, path: string): LangChainKind {
  if (!isLangChainKind(value))
    throw invalidMessage(path, `a kind of LangChain message (${KINDS.slice(0, 7).join(", ")})`, value);
  return value;
}

export function isInstance(item: Fields): boolean {
  return typeof item._getType === "function" || typeof item.getType === "function";
}

/** Calls the methods on the instance itself, because they read its fields. */
export function typeOf(item: Fields): unknown {
  const { getType, _getType, type } = item;
  if (isLangChainKind(type)) return type;
  const read = typeof _getType === "function" ? _getType : getType;
  return typeof read === "function" ? read.call(item) : type;
}

function isConstructor(item: Fields): item is Fields & { readonly kwargs: Fields } {
  return item.lc === 1 && Array.isArray(item.id) && isObject(item.kwargs);
}

function findClass(item: Fields): LangChainKind | undefined {
  const name: unknown = Array.isArray(item.id) ? item.id.at(-1) : undefined;
  const known = typeof name === "string" ? name.replace(/Chunk$/, "") : "";
  return Object.hasOwn(CLASSES, known) ? CLASSES[known as keyof typeof CLASSES] : undefined;
}

function isStored(item: Fields): item is Fields & { readonly data: Fields } {
  return typeof item.type === "string" && isObject(item.data) && item.content === undefined;
}
