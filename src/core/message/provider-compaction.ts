/**
 * Compactions that a provider wrote itself and that stand in a history for what came before them. Anthropic's have
 * their text; OpenAI's are sealed, so that only OpenAI can read them.
 */
import { isJsonObject } from "./json.ts";
import type { Message, Part, TextPart } from "./message.ts";

export interface ProviderCompaction {
  /** Undefined where it is sealed. */
  readonly text: string | undefined;
}

/** Stands for a sealed compaction where it cannot be sent. */
export const SEALED_COMPACTION_TEXT = "[A compaction by the provider stands here, which only the provider can read.]";

const COMPACTION_TYPES: readonly unknown[] = ["compaction", "compaction_summary"];

/** A compaction that failed has neither text nor sealed content and is none. */
export function findCompaction(part: Part): ProviderCompaction | undefined {
  if (part.type !== "unknown" || !isJsonObject(part.value)) return undefined;
  const { type, content, encrypted_content: sealed } = part.value;
  if (!COMPACTION_TYPES.includes(type)) return undefined;
  if (typeof content === "string" && content.trim() !== "") return { text: content };
  return typeof sealed === "string" && sealed !== "" ? { text: undefined } : undefined;
}

/** The words of a compaction for a provider other than the one that wrote it. */
export function describeCompaction({ text }: ProviderCompaction): TextPart {
  return { type: "text", text: text === undefined ? SEALED_COMPACTION_TEXT : `[Summary by the provider]\n${text}` };
}

export function hasCompaction({ parts }: Message): boolean {
  return parts.some((part) => findCompaction(part) !== undefined);
}

export function hasSealedCompaction({ parts }: Message): boolean {
  return parts.some((part) => {
    const compaction = findCompaction(part);
    return compaction !== undefined && compaction.text === undefined;
  });
}

const spelled = new WeakMap<Message, Message>();

/** The message with the text of its compactions as something that was said, for those who read it for a summary. */
export function spellOutCompactions(message: Message): Message {
  if (!hasCompaction(message)) return message;
  const known = spelled.get(message);
  if (known !== undefined) return known;
  const parts = message.parts.map((part): Part => {
    const text = findCompaction(part)?.text;
    return text === undefined ? part : { type: "text", text };
  });
  const written = { ...message, parts };
  spelled.set(message, written);
  return written;
}
