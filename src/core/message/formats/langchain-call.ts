/**
 * The tool calls of a LangChain AI message. LangChain repeats them up to three times: in `tool_calls`, as content
 * blocks, and as the provider wrote them in `additional_kwargs`. Here each is one part, at the place of its block if it
 * has one, with a note of its sources.
 */
import { type Fields, isObject, pathOf, requireArray } from "../../check-value.ts";
import { noteExtras, toJsonObject, toJsonValue } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Extras, Part, ToolCallPart } from "../message.ts";
import { decodeModelBlock, encodeBlock } from "./langchain-block.ts";
import { isHidden, readHiddenParts } from "./langchain-hidden.ts";
import { extrasField, optionalField, readArguments } from "./wire-item.ts";
import { WireObject, WireWriter } from "./wire-object.ts";

const NAME = "langchain";
const writer = new WireWriter(NAME);
const ENTRY_KEYS = ["name", "args", "id", "type"];

/** A call that is being read. The notes are kept under `args`, which is never an unknown field. */
interface CallDraft {
  readonly call: Omit<ToolCallPart, "extras">;
  readonly fields?: Extras | undefined;
  readonly notes: Record<string, JsonValue | undefined>;
}

interface Place {
  /** The path of the object with the message's fields. */
  readonly path: string;
  readonly id: string;
}

export function decodeModelParts(fields: Fields, place: Place): readonly Part[] {
  const entries = readEntries(fields, place);
  // An empty text next to calls means that there is no text.
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
  const all = [...readHiddenParts(fields, place.path), ...drafts, ...unplaced];
  noteOrder(entries, all);
  return all.map((draft) => ("call" in draft ? finishCall(draft) : draft));
}

function readBlocks(content: unknown, path: string): readonly { readonly value: unknown; readonly path: string }[] {
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

/**
 * Reads the provider's own calls that older packages put next to the content. Other fields there are kept unchanged.
 */
function readAdditional(additional: Fields, { path, id }: Place): readonly CallDraft[] {
  const { tool_calls: calls, function_call: legacy } = additional;
  const entries = Array.isArray(calls)
    ? readList(calls.filter(isProviderCall), { path: pathOf(path, "tool_calls"), id })
    : [{ function: legacy }].filter(isProviderCall).map((entry) => {
        const source = new WireObject(NAME, entry, pathOf(path, "function_call"));
        return readProviderEntry(source, functionCallId(entry.function.name));
      });
  return entries.map((entry) => ({ ...entry, notes: { from: "additional" } }));
}

function isProviderCall(entry: unknown): entry is { readonly function: { readonly name: string } } {
  if (!isObject(entry) || !isObject(entry.function)) return false;
  return typeof entry.function.name === "string" && typeof entry.function.arguments === "string";
}

function readList(entries: readonly unknown[], { path, id }: Place): readonly CallDraft[] {
  return entries.map((entry, index) => readEntry(entry, { path: pathOf(path, index), id: `${id}:${index}` }));
}

/** Function messages answer by name alone, so only the name can join them to their call. */
export function functionCallId(name: string): string {
  return `function:${name}`;
}

function readEntry(value: unknown, { path, id }: Place): CallDraft {
  const source = new WireObject(NAME, value, path);
  const callId = source.findText("id") || id;
  const { function: byProvider, args, id: ownId, type } = source.fields;
  if (isObject(byProvider)) return readProviderEntry(source, callId);
  const input = args === undefined ? null : source.json("args");
  return {
    call: { type: "tool-call", callId, tool: source.text("name"), input },
    fields: source.extras(ENTRY_KEYS).extras,
    notes: {
      args: args === undefined ? "absent" : undefined,
      id: callId === ownId ? undefined : describeField(source, "id"),
      type: type === "tool_call" ? undefined : describeField(source, "type"),
    },
  };
}

function describeField(source: WireObject, key: string): JsonValue {
  return source.fields[key] === undefined ? "absent" : source.json(key);
}

function readProviderEntry(source: WireObject, callId: string): CallDraft {
  const inner = source.object("function");
  const input = readArguments(inner.text("arguments"), inner.path);
  const call = { type: "tool-call", callId, tool: inner.text("name"), ...input } as const;
  return { call, notes: { entry: toJsonObject(source.fields, source.path) } };
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
  return { call, source, notes: { only: true, block: describeBlock(call, source) } };
}

/** Returns the block's type if the call contains all its fields, or else the block. */
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
  const args = kept.length === 0 ? undefined : Object.fromEntries(kept);
  return { ...call, ...extrasField(fields, noteExtras(NAME, { args })) };
}

export function encodeModelBlocks(parts: readonly Part[]): readonly unknown[] {
  const own = parts.filter((part) => !isHidden(part));
  return own.flatMap((part) => (isHostCall(part) ? encodeCallBlock(part) : encodeBlock(part)));
}

function encodeCallBlock(call: ToolCallPart): readonly unknown[] {
  const { block } = writer.noteFieldsOf(call, "args");
  if (block === undefined) return [];
  return [typeof block === "string" ? writeBlock(call, block) : block];
}

/** Encodes the entries of `tool_calls` in their original order. */
export function encodeToolCalls(parts: readonly Part[]): readonly unknown[] {
  return parts
    .filter(isHostCall)
    .map((call) => ({ call, notes: writer.noteFieldsOf(call, "args") }))
    .filter(({ notes }) => notes.only !== true && notes.from === undefined)
    .sort((left, right) => indexOf(left.notes) - indexOf(right.notes))
    .map(({ call, notes }) => encodeEntry(call, notes));
}

function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

function encodeEntry(call: ToolCallPart, notes: JsonObject): unknown {
  if (isJsonObject(notes.entry)) return notes.entry;
  const item = {
    name: call.tool,
    ...(notes.args === "absent" ? {} : { args: call.input }),
    ...restoreField("id", { note: notes.id, usual: call.callId }),
    ...restoreField("type", { note: notes.type, usual: "tool_call" }),
  };
  return writer.complete(item, call, ENTRY_KEYS);
}

/** Returns the field as the note describes it, or with its usual value if there is no note. */
function restoreField(key: string, { note, usual }: { note: JsonValue | undefined; usual: string }): JsonObject {
  return note === "absent" ? {} : optionalField(key, note === undefined ? usual : note);
}

function isHostCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.byProvider !== true;
}
