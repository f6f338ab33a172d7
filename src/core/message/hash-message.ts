/**
 * Hashes a message's content without its id. Equal hashes mean equal content; the log uses that to answer a repeated
 * append and to refuse other content under a used id. Fields that only a wire format needs are left out: a client that
 * adds a timing to a resent message has not changed it.
 */
import { sha256 } from "#sha256";
import { canonicalJson } from "./json.ts";
import type { Message, Part } from "./message.ts";

/**
 * Returns the SHA-256 hash of a message, without its id. Equal messages have equal hashes on every platform.
 *
 * @example
 * ```ts
 * const isRepeated = new Set(messages.map(hashMessage)).size < messages.length;
 * ```
 */
export function hashMessage(message: Message): string {
  const { role, parts, name } = message;
  return hashText(canonicalJson({ role, parts: parts.map(withoutWireExtras), name }));
}

function withoutWireExtras(part: Part): unknown {
  if (part.type === "unknown") return part;
  const kept = Object.entries(part.extras ?? {}).filter(([name]) => !name.startsWith("wire:"));
  const bare = { ...part, extras: kept.length === 0 ? undefined : Object.fromEntries(kept) };
  if (bare.type !== "tool-result" || bare.output.type !== "parts") return bare;
  return { ...bare, output: { ...bare.output, parts: bare.output.parts.map(withoutWireExtras) } };
}

/** Chains one (role, part) unit of a prompt to everything before it: equal chains mean equal prefixes. */
export function chainUnit(previous: string, role: string, part: Part): string {
  return hashText(`${previous}\n${role}\n${canonicalJson(part)}`);
}

export function hashText(text: string): string {
  return sha256(text);
}

// Message ids of the workspace preset, `{epoch_ms}-{8 hex}`. A streamed reply is stored in pieces `id#0`, `id#1`, …:
// the first gets the reply's id, the others ids derived from both. Ids given by a caller stay.
const PIECE = /^(\d+)-([0-9a-f]{8})#(\d+)$/;

export function toDocumentId(id: string): string {
  const [, at, hex, piece] = PIECE.exec(id) ?? [];
  if (at === undefined) return id;
  return `${at}-${piece === "0" ? hex : hashText(id).slice(0, 8)}`;
}
