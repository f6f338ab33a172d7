/**
 * Summaries that a client keeps beside its messages and resends with them: `metadata.summary` of a reply, as a chat's
 * answer and a prompt's report give it. Only the shape is read here; a client may send anything.
 */
import { isJsonObject } from "../../message/formats/decode-value.ts";
import type { JsonObject, JsonValue } from "../../message/json.ts";
import type { Message, MessageId } from "../../message/message.ts";
import type { RoundSummary } from "./group-recorded-turns.ts";

export interface KeptSummary extends RoundSummary {
  /** The depth of its chain, where it is told. */
  readonly depth: number;
}

/** In the order of the messages that carry them; one that several messages carry is one. */
export function findKeptSummaries(messages: readonly Message[]): readonly KeptSummary[] {
  const found = new Map<MessageId, KeptSummary>();
  for (const { role, extras } of messages) {
    if (role === "user" || role === "system") continue;
    for (const [name, fields] of Object.entries(extras ?? {})) {
      const summary = name.startsWith("wire:") ? readKeptSummary(fields) : undefined;
      if (summary !== undefined) found.set(summary.toolCallRoundId, summary);
    }
  }
  return [...found.values()];
}

/** Longer than any summary. */
const LONGEST_TEXT = 200_000;
const DEEPEST = 10_000;

function readKeptSummary(fields: JsonObject): KeptSummary | undefined {
  const { metadata } = isJsonObject(fields.result) ? fields.result : fields;
  const summary = isJsonObject(metadata) ? metadata.summary : undefined;
  if (!isJsonObject(summary)) return undefined;
  const { toolCallRoundId, text, depth } = summary;
  if (typeof toolCallRoundId !== "string" || typeof text !== "string") return undefined;
  if (text.trim() === "" || text.length > LONGEST_TEXT) return undefined;
  return { toolCallRoundId, text, depth: toDepth(depth) };
}

function toDepth(value: JsonValue | undefined): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= DEEPEST ? value : 0;
}
