/**
 * The format of the workspace document: all sessions in one `history.jsonl`, messages of users and assistants as its
 * records. The key `palimpsest` contains what a record has no field for. Other lines have no role and no content, so
 * that other readers count and search only messages.
 */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import { hashMessage, toDocumentId } from "../../core/message/hash-message.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { Message, Part } from "../../core/message/message.ts";
import type { BlobReference } from "../blobs/blob.ts";
import { findMediaType } from "../blobs/folder-blob-box.ts";
import { decodeStoredLine, type EntryLine, type LineCodec, ownCodec } from "./stored-line.ts";

export const workspaceCodec: LineCodec = {
  needsSum: false,

  encode(line) {
    const record = line.kind === "entry" ? encodeMessageLine(line) : undefined;
    if (record !== undefined) return record;
    const { session, ...rest } = ownCodec.encode(line);
    return { session_id: session, type: line.kind === "entry" ? line.entry.type : line.kind, palimpsest: rest };
  },

  decode(value) {
    const { role, session_id: sessionId, palimpsest } = value;
    if (role !== undefined) return decodeMessageLine(value);
    if (!isJsonObject(palimpsest) || !("kind" in palimpsest)) return undefined;
    return decodeStoredLine(palimpsest, { kind: palimpsest.kind, sessionId });
  },
};

/** Key of a message's extras with `files`, `files_modified` and `edit_results`. */
const WORKSPACE_EXTRAS = "workspace";
const METADATA = ["files", "files_modified", "edit_results"] as const;

interface WorkspaceRecord {
  readonly id: string;
  readonly session_id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly image_refs?: readonly string[] | undefined;
  readonly images: number;
  readonly files?: readonly string[] | undefined;
  readonly files_modified?: readonly string[] | undefined;
  readonly edit_results?: readonly JsonObject[] | undefined;
}

/** Returns undefined for system messages and tool results, which have no record. */
function toWorkspaceRecord(
  entry: MessageEntry,
  { sessionId, blobs = [] }: { readonly sessionId: SessionId; readonly blobs?: readonly BlobReference[] | undefined },
): WorkspaceRecord | undefined {
  const { message } = entry;
  if (message.role !== "user" && message.role !== "assistant") return undefined;
  const images = message.parts.flatMap((part, index) => (part.type === "image" ? [index] : []));
  const names = blobs.flatMap(({ part, inner, name }) => (inner === undefined && images.includes(part) ? [name] : []));
  const metadata = message.extras?.[WORKSPACE_EXTRAS] ?? {};
  return {
    id: toDocumentId(message.id),
    session_id: sessionId,
    timestamp: isoTime(message.saidAt ?? entry.at),
    role: message.role,
    content: message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    ...(names.length > 0 ? { image_refs: names } : {}),
    images: images.length,
    ...(message.role === "user" ? { files: [] } : {}),
    ...Object.fromEntries(METADATA.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]]))),
  };
}

function encodeMessageLine({ sessionId, entry, blobs }: EntryLine): JsonObject | undefined {
  if (entry.type !== "message") return undefined;
  const record = toWorkspaceRecord(entry, { sessionId, blobs });
  if (record === undefined) return undefined;
  const { message, type: _, id: __, ...rest } = entry;
  const { id, role: ___, parts, extras, ...said } = message;
  const isPlain = canonicalJson(parts) === canonicalJson(partsOfRecord(record).parts);
  const { [WORKSPACE_EXTRAS]: metadata, ...others } = extras ?? {};
  const kept = {
    ...said,
    ...(id === record.id ? {} : { id }),
    ...(isPlain ? {} : { parts }),
    ...(Object.keys(others).length === 0 ? {} : { extras: others }),
    ...(metadata === undefined || matchesRecord(metadata, record) ? {} : { metadata }),
  };
  // Stored values are JSON by their types.
  return { ...record, palimpsest: { ...rest, message: kept, blobs } } as unknown as JsonObject;
}

function decodeMessageLine(value: JsonObject): EntryLine | undefined {
  const record = readRecord(value);
  if (record === undefined) return undefined;
  const { session_id: sessionId } = record;
  const ours = value.palimpsest;
  if (!isJsonObject(ours)) return { kind: "entry", sessionId, ...readForeign(record) };
  const { message: kept, blobs, ...rest } = ours;
  const { parts, extras, metadata, ...said } = isJsonObject(kept) ? kept : {};
  const workspace = isJsonObject(metadata) ? metadata : metadataOf(record);
  const message = {
    id: record.id,
    role: record.role,
    parts: parts ?? partsOfRecord(record).parts,
    ...said,
    ...extrasOf(isJsonObject(extras) ? extras : {}, workspace),
  };
  // The checksum covers what `encodeMessageLine` wrote.
  const entry = { ...rest, type: "message", id: message.id, message } as unknown as MessageEntry;
  return { kind: "entry", sessionId, entry, blobs: (blobs ?? undefined) as EntryLine["blobs"] };
}

/** Reads another program's record: it gets the next seq and has no token counts. */
function readForeign(record: WorkspaceRecord): Pick<EntryLine, "entry" | "blobs"> {
  const { parts, blobs } = partsOfRecord(record);
  const at = Date.parse(record.timestamp);
  const message: Message = { id: record.id, role: record.role, parts, ...extrasOf({}, metadataOf(record)) };
  const stamp = { id: record.id, seq: 0, at: Number.isNaN(at) ? 0 : at };
  const entry: MessageEntry = { ...stamp, type: "message", message, hash: hashMessage(message), tokens: {} };
  return { entry, blobs: blobs.length === 0 ? undefined : blobs };
}

function partsOfRecord({ content, image_refs: names = [] }: WorkspaceRecord): {
  readonly parts: readonly Part[];
  readonly blobs: readonly BlobReference[];
} {
  const texts: readonly Part[] = content === "" ? [] : [{ type: "text", text: content }];
  const images = names.map((name) => ({
    type: "image" as const,
    source: { type: "data" as const, base64: "" },
    mediaType: findMediaType(name),
  }));
  const blobs = names.map((name, index) => ({ part: texts.length + index, name, as: "base64" as const }));
  return { parts: [...texts, ...images], blobs };
}

function readRecord(value: JsonObject): WorkspaceRecord | undefined {
  const { id, session_id, timestamp, role, content, image_refs } = value;
  if (typeof id !== "string" || typeof session_id !== "string" || typeof content !== "string") return undefined;
  if (role !== "user" && role !== "assistant") return undefined;
  const names = Array.isArray(image_refs) ? image_refs.filter((name) => typeof name === "string") : [];
  return {
    ...value,
    id,
    session_id,
    timestamp: typeof timestamp === "string" ? timestamp : "",
    role,
    content,
    image_refs: names.length === 0 ? undefined : names,
    images: names.length,
  } as WorkspaceRecord;
}

function metadataOf(record: WorkspaceRecord): JsonObject {
  const fields = METADATA.flatMap((key) => (hasContent(record[key]) ? [[key, record[key]] as const] : []));
  return Object.fromEntries(fields);
}

/** An empty list is the same as none. */
function hasContent(value: JsonValue | undefined): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function matchesRecord(metadata: JsonObject, record: WorkspaceRecord): boolean {
  return canonicalJson(metadata) === canonicalJson(metadataOf(record));
}

function extrasOf(others: JsonObject, workspace: JsonObject): { readonly extras?: Message["extras"] } {
  const isEmpty = Object.keys(workspace).length === 0;
  const extras = { ...others, ...(isEmpty ? {} : { [WORKSPACE_EXTRAS]: workspace }) };
  return Object.keys(extras).length === 0 ? {} : { extras: extras as NonNullable<Message["extras"]> };
}

/** The last time that a date can represent. */
const LAST_MS = 8.64e15;

function isoTime(epochMs: number): string {
  return Math.abs(epochMs) <= LAST_MS ? new Date(epochMs).toISOString() : "";
}
