/**
 * The tool calls of a LangChain AI message. LangChain repeats them up to three times: in `tool_calls`, as content
 * blocks, and as the provider wrote them in `additional_kwargs`. Here each is one part, at the place of its block if it
 * has one, with a note of its sources.
 */

import {
  type Fields,
  findString,
  isObject,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { findWireExtras, noteExtras, takeExtras, toJsonObject, toJsonValue, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Extras, Part, ToolCallPart } from "../message.ts";
import { decodeModelBlock, encodeBlock } from "./langchain-block.ts";
import { extrasField, field, readArguments } from "./wire-item.ts";

const NAME = "langchain";
const ENTRY_KEYS = ["name", "args", "id", "type"];

/** A call that is being read. The notes are kept under `args`, which is never a carried field. */
interface CallDraft {
  readonly call: Omit<ToolCallPart, "extras">;
  readonly fields: Extras | undefined;
  readonly notes: Record<string, JsonValue | undefined>;
}

interface Place {
  /** The path of the object with the message's fields. */
  readonly path: string;
  /** The message's id, for calls without one. */
  readonly id: string;
}

/** Decodes the parts of an AI message from its content and its calls. */
export function decodeModelParts(fields: Fields, place: Place): readonly Part[] {
  const entries = readEntries(fields, place);
  // Next to calls, an empty text only means that there is none.
  const content = fields.content === "" && entries.length > 0 ? undefined : fields.content;
  const unplaced = new Set(entries);
  const byId = new Map(entries.toReversed().map((entry) => [entry.call.callId, entry] as const));
  const drafts = readBlocks(content, pathOf(place.path, "content")).map(({ value, path }): Part | CallDraft => {
    const block = findCallBlock(value, path);
    if (block === undefined) return decodeModelBlock(value, path);
    const entry = byId.get(block.call.callId);
    if (entry === undefined || !unplaced.delete(entry)) return block;
    entry.notes.block = describeBlock(entry.call, block.source);
    return entry;
  });
  const all = [...drafts, ...unplaced];
  noteOrder(entries, all);
  return all.map((draft) => ("call" in draft ? finishCall(draft) : draft));
}

interface Block {
  readonly value: unknown;
  readonly path: string;
}

function readBlocks(content: unknown, path: string): readonly Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ value: { type: "text", text: content }, path }];
  return requireArray(content, path).map((value, index) => ({ value, path: pathOf(path, index) }));
}

function readEntries(fields: Fields, { path, id }: Place): readonly CallDraft[] {
  const { tool_calls: calls, additional_kwargs: additional } = fields;
  if (calls !== undefined && calls !== null) {
    const place = pathOf(path, "tool_calls");
    return readList(requireArray(calls, place), { path: place, id });
  }
  return isObject(additional) ? readAdditional(additional, { path: pathOf(path, "additional_kwargs"), id }) : [];
}

/** Reads the provider's own calls that older packages leave next to the content. Other fields there are carried. */
function readAdditional(additional: Fields, { path, id }: Place): readonly CallDraft[] {
  const { tool_calls: calls, function_call: legacy } = additional;
  const entries = Array.isArray(calls)
    ? readList(calls.filter(isProviderCall), { path: pathOf(path, "tool_calls"), id })
    : isProviderCall({ function: legacy })
      ? [readFunctionCall(requireObject(legacy, path), pathOf(path, "function_call"))]
      : [];
  return entries.map((entry) => ({ ...entry, notes: { from: "additional" } }));
}

function isProviderCall(entry: unknown): boolean {
  if (!isObject(entry) || !isObject(entry.function)) return false;
  return typeof entry.function.name === "string" && typeof entry.function.arguments === "string";
}

function readFunctionCall(legacy: Fields, path: string): CallDraft {
  const id = functionCallId(requireString(legacy.name, pathOf(path, "name")));
  return readProviderEntry({ function: legacy }, { path, id });
}

function readList(entries: readonly unknown[], { path, id }: Place): readonly CallDraft[] {
  return entries.map((entry, index) => readEntry(entry, { path: pathOf(path, index), id: `${id}:${index}` }));
}

/** Function messages answer by name alone, so only the name can join them to their call. */
export function functionCallId(name: string): string {
  return `function:${name}`;
}

function readEntry(value: unknown, { path, id }: Place): CallDraft {
  const source = requireObject(value, path);
  const callId = findString(source.id, pathOf(path, "id")) || id;
  if (isObject(source.function)) return readProviderEntry(source, { path, id: callId });
  const input = source.args === undefined ? null : toJsonValue(source.args, pathOf(path, "args"));
  return {
    call: { type: "tool-call", callId, tool: requireString(source.name, pathOf(path, "name")), input },
    fields: takeExtras(source, { knownKeys: ENTRY_KEYS, name: NAME, path }),
    notes: {
      args: source.args === undefined ? "absent" : undefined,
      id: callId === source.id ? undefined : source.id === undefined ? "absent" : toJsonValue(source.id, path),
      type:
        source.type === "tool_call" ? undefined : source.type === undefined ? "absent" : toJsonValue(source.type, path),
    },
  };
}

function readProviderEntry(source: Fields, { path, id }: Place): CallDraft {
  const place = pathOf(path, "function");
  const { name, arguments: text } = requireObject(source.function, place);
  const tool = requireString(name, pathOf(place, "name"));
  const input = readArguments(requireString(text, pathOf(place, "arguments")), place);
  const call = { type: "tool-call", callId: id, tool, ...input } as const;
  return { call, fields: undefined, notes: { entry: toJsonObject(source, path) } };
}

function findCallBlock(value: unknown, path: string): (CallDraft & { readonly source: JsonObject }) | undefined {
  if (!isObject(value) || (value.type !== "tool_use" && value.type !== "tool_call")) return undefined;
  if (typeof value.id !== "string" || typeof value.name !== "string") return undefined;
  const key = value.type === "tool_use" ? "input" : "args";
  const given = value[key];
  // Streams leave the arguments as text.
  const input =
    typeof given === "string" && given !== ""
      ? readArguments(given, pathOf(path, key))
      : { input: given === undefined || given === "" ? {} : toJsonValue(given, pathOf(path, key)) };
  const call = { type: "tool-call", callId: value.id, tool: value.name, ...input } as const;
  const source = toJsonObject(value, path);
  return { call, source, fields: undefined, notes: { only: true, block: describeBlock(call, source) } };
}

/** Returns the block's type if the call says everything, or else the block. */
function describeBlock(call: Omit<ToolCallPart, "extras">, source: JsonObject): JsonValue {
  const written = writeBlock(call, String(source.type));
  return JSON.stringify(written) === JSON.stringify(source) ? String(source.type) : source;
}

function writeBlock({ callId, tool, input }: Omit<ToolCallPart, "extras">, type: string): JsonObject {
  return type === "tool_use" ? { type, id: callId, name: tool, input } : { type, id: callId, name: tool, args: input };
}

/** If blocks and calls differ in order, each call notes its place. */
function noteOrder(entries: readonly CallDraft[], all: readonly (Part | CallDraft)[]): void {
  const known = new Set<Part | CallDraft>(entries);
  const placed = all.filter((draft) => known.has(draft));
  if (entries.every((entry, index) => entry === placed[index])) return;
  for (const [index, entry] of entries.entries()) entry.notes.index = index;
}

function finishCall({ call, fields, notes }: CallDraft): ToolCallPart {
  const kept = Object.entries(notes).filter(([, value]) => value !== undefined);
  const note = kept.length === 0 ? undefined : noteExtras(NAME, { args: Object.fromEntries(kept) });
  return { ...call, ...extrasField(fields, note) };
}

/** Encodes a model's content blocks, with calls where they stood. */
export function encodeModelBlocks(parts: readonly Part[]): readonly unknown[] {
  return parts.flatMap((part) => (isHostCall(part) ? encodeCallBlock(part) : encodeBlock(part)));
}

function encodeCallBlock(call: ToolCallPart): readonly unknown[] {
  const { block } = callNotes(call);
  if (block === undefined) return [];
  return [typeof block === "string" ? writeBlock(call, block) : block];
}

/** Encodes the entries of `tool_calls` in their original order. */
export function encodeEntries(parts: readonly Part[]): readonly unknown[] {
  return parts
    .filter(isHostCall)
    .map((call) => ({ call, notes: callNotes(call) }))
    .filter(({ notes }) => notes.only !== true && notes.from === undefined)
    .sort((left, right) => indexOf(left.notes) - indexOf(right.notes))
    .map(({ call, notes }) => encodeEntry(call, notes));
}

function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

function encodeEntry({ callId, tool, input, extras }: ToolCallPart, notes: JsonObject): unknown {
  if (isJsonObject(notes.entry)) return notes.entry;
  const item = {
    name: tool,
    ...(notes.args === "absent" ? {} : { args: input }),
    ...noted("id", { note: notes.id, usual: callId }),
    ...noted("type", { note: notes.type, usual: "tool_call" }),
  };
  return withExtras(item, { extras, name: NAME, knownKeys: ENTRY_KEYS });
}

/** Returns a field as it was noted: absent, with another value, or as usual if nothing was noted. */
function noted(key: string, { note, usual }: { note: JsonValue | undefined; usual: string }): JsonObject {
  return note === "absent" ? {} : field(key, note === undefined ? usual : note);
}

function isHostCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.byProvider !== true;
}

function callNotes({ extras }: ToolCallPart): JsonObject {
  const notes = findWireExtras(extras, NAME)?.args;
  return isJsonObject(notes) ? notes : {};
}
