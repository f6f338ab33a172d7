/**
 * The identity of what was said, without the id it was said under. Two messages with one hash are the same words; the
 * log uses that to answer a repeated append and to refuse another text under a used id. What only a wire needs is no
 * part of it: a client that adds a timing to a message it sends again has not said anything else.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "./json.ts";
import type { Message, Part } from "./message.ts";

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

/** One (role, part) unit of a prompt, chained to everything before it: equal chains mean equal prefixes. */
export function chainUnit(previous: string, role: string, part: Part): string {
  return hashText(`${previous}\n${role}\n${canonicalJson(part)}`);
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

// The id of a message in the form of the workspace document, `{epoch_ms}-{8 hex}`. A reply that was streamed is stored
// in pieces `id#0`, `id#1`, …: the first has the id of the reply there, each other one of its own, made of the two. An
// id that a caller gave is the caller's, and stays.
const PIECE = /^(\d+)-([0-9a-f]{8})#(\d+)$/;

export function documentId(id: string): string {
  const [, at, hex, piece] = PIECE.exec(id) ?? [];
  if (at === undefined) return id;
  return `${at}-${piece === "0" ? hex : hashText(id).slice(0, 8)}`;
}
