/**
 * Which bulky parts before the tail can be replaced by a placeholder. Failures stay, because what went wrong is what
 * a model needs; pinned messages stay; so does anything that a placeholder would not make smaller.
 */
import type { Prune } from "../log/prune.ts";
import { replacePart } from "../log/prune.ts";
import type { ViewMessage } from "../log/view.ts";
import type { Message, Part } from "../message/message.ts";
import { outputText } from "../message/output-text.ts";
import type { PruneSettings } from "./plan-settings.ts";

export interface FindPrunesOptions {
  /** Messages from here on are the tail and are left alone. */
  readonly tailStart: number;
  readonly settings: PruneSettings;
  readonly countPart: (part: Part, message: Message) => number;
}

export function findPrunes(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly Prune[] {
  const toolNames = new Map<string, string>();
  return messages.slice(0, options.tailStart).flatMap((item) => {
    for (const part of item.message.parts) if (part.type === "tool-call") toolNames.set(part.callId, part.tool);
    if (item.fate !== "verbatim" || item.tokens < options.settings.minimumTokens) return [];
    return prunesOf(item, { ...options, toolNames });
  });
}

type MessageOptions = FindPrunesOptions & { readonly toolNames: ReadonlyMap<string, string> };

function prunesOf(item: ViewMessage, options: MessageOptions): readonly Prune[] {
  return item.message.parts.flatMap((part, partIndex): Prune[] => {
    const tool = part.type === "tool-result" ? (part.tool ?? options.toolNames.get(part.callId) ?? "a tool") : "";
    if (!isBulky(part) || options.settings.exemptTools.includes(tool)) return [];
    const tokens = options.countPart(part, item.message);
    if (tokens < options.settings.minimumTokens) return [];
    const replacement = { type: "text", text: placeholder(part, { tool, tokens, id: item.message.id }) } as const;
    if (options.countPart(replacePart(part, replacement), item.message) >= tokens) return [];
    const base = { seq: item.seq, messageId: item.message.id, partIndex, fate: "pruned" as const };
    return [{ ...base, replacement, reason: `${describe(part, tool)} of ${tokens} tokens before the tail` }];
  });
}

function isBulky(part: Part): boolean {
  if (part.type === "tool-result") return !part.failed;
  return part.type === "image" || part.type === "file";
}

interface PlaceholderFacts {
  readonly tool: string;
  readonly tokens: number;
  readonly id: string;
}

/** What was there, how long it was, and how to get it back. */
function placeholder(part: Part, { tool, tokens, id }: PlaceholderFacts): string {
  const size = part.type === "tool-result" ? `, ${outputText(part.output).length} characters` : "";
  return `[${describe(part, tool)} removed to save room: ${tokens} tokens${size}. Recall message ${id} to read it.]`;
}

function describe(part: Part, tool: string): string {
  return part.type === "tool-result" ? `Output of ${tool}` : `An ${part.type === "image" ? "image" : "attached file"}`;
}
