/** Compactions that a provider wrote into a history. Anthropic's are readable; only OpenAI can read its own. */
import { isJsonObject } from "./json.ts";
import { FormCache } from "./known-forms.ts";
import { type Message, type Part, type TextPart, withParts } from "./message.ts";

export interface ProviderCompaction {
  /** Undefined if the compaction is sealed: only its provider can read it. */
  readonly text: string | undefined;
}

/** Replaces a sealed compaction that cannot be sent. */
export const SEALED_COMPACTION_TEXT = "[A compaction by the provider, which only the provider can read.]";

const COMPACTION_TYPES: readonly unknown[] = ["compaction", "compaction_summary"];

/** Returns undefined for a failed compaction, which has neither text nor sealed content. */
export function findProviderCompaction(part: Part): ProviderCompaction | undefined {
  if (part.type !== "unknown" || !isJsonObject(part.value)) return undefined;
  const { type, content, encrypted_content: sealed } = part.value;
  if (!COMPACTION_TYPES.includes(type)) return undefined;
  if (typeof content === "string" && content.trim() !== "") return { text: content };
  return typeof sealed === "string" && sealed !== "" ? { text: undefined } : undefined;
}

/** Returns the text of a compaction for other providers. */
export function describeProviderCompaction({ text }: ProviderCompaction): TextPart {
  return { type: "text", text: text === undefined ? SEALED_COMPACTION_TEXT : `[Summary by the provider]\n${text}` };
}

export function hasProviderCompaction({ parts }: Message): boolean {
  return parts.some((part) => findProviderCompaction(part) !== undefined);
}

export function hasSealedCompaction({ parts }: Message): boolean {
  return parts.map(findProviderCompaction).some((found) => found !== undefined && found.text === undefined);
}

const cache = new FormCache<Message>();

/** Returns the message with the text of its compactions as plain text, for summaries. */
export function inlineProviderCompactions(message: Message): Message {
  return cache.find(message, ({ parts }) => withParts(message, parts.map(inlineCompaction)));
}

function inlineCompaction(part: Part): Part {
  const text = findProviderCompaction(part)?.text;
  return text === undefined ? part : { type: "text", text };
}
