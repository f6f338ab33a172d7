/** Our own format: one file a session, every entry as it is, every line under a checksum. */
import type { Entry } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { JsonObject, JsonValue } from "../../core/message/json.ts";
import type { SessionHeader } from "../../ports/store.ts";
import type { BlobReference } from "../blobs/blob.ts";
import { type CountsLine, type LeaseLine, LINE_KINDS, type LineCodec, type StoredLine } from "./stored-line.ts";

export const ownCodec: LineCodec = {
  needsSum: true,

  encode(line) {
    const { kind, sessionId: session, ...rest } = line;
    // What is stored is JSON by its types; fields that are undefined are left out, as they came.
    return { kind, session, ...rest } as unknown as JsonObject;
  },

  decode(value) {
    return decodeStoredLine(value, { kind: value.kind, sessionId: value.session });
  },
};

const ENTRY_TYPES: ReadonlySet<unknown> = new Set(LINE_KINDS);

/** The lines that are the same in every format. The checksum vouches for what is deeper inside. */
export function decodeStoredLine(
  value: JsonObject,
  { kind, sessionId }: { readonly kind: JsonValue | undefined; readonly sessionId: JsonValue | undefined },
): StoredLine | undefined {
  if (typeof sessionId !== "string") return undefined;
  const { header, head, entry, fence, granted, counts, counterId, format, inheritedMessages, turn, blobs } = value;
  if (kind === "session" && isObject(header) && typeof format === "number") {
    const inherited = typeof inheritedMessages === "number" ? inheritedMessages : 0;
    return { kind, sessionId, format, header: header as unknown as SessionHeader, inheritedMessages: inherited };
  }
  if (kind === "head" && isObject(head)) return { kind, sessionId, head: head as unknown as Head };
  if (kind === "lease" && typeof fence === "number") {
    return { kind, sessionId, fence, granted: granted as unknown as LeaseLine["granted"] };
  }
  if (kind === "counts" && typeof counterId === "string" && Array.isArray(counts)) {
    return { kind, sessionId, counterId, counts: counts as unknown as CountsLine["counts"] };
  }
  if (kind !== "entry" || !isEntry(entry)) return undefined;
  return {
    kind,
    sessionId,
    entry,
    turn: typeof turn === "number" ? turn : undefined,
    blobs: isReferences(blobs) ? blobs : undefined,
  };
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isReferences(value: unknown): value is readonly BlobReference[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && typeof item.name === "string");
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { id, seq, at, type } = value as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof seq === "number" && typeof at === "number" && ENTRY_TYPES.has(type);
}
