/**
 * The identity of what was said, without the id it was said under. Two messages with one hash are the same words; the
 * log uses that to answer a repeated append and to refuse another text under a used id. What only a wire needs is no
 * part of it: a client that adds a timing to a message it sends again has not said anything else.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
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
