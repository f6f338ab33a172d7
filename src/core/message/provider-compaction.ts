/**
 * Compactions that a provider wrote into a history, in every format. Anthropic's are readable; only OpenAI can read its
 * own. Both APIs ignore what comes before the newest one.
 */
import { isJsonObject, type JsonObject } from "./json.ts";
import { FormCache } from "./known-forms.ts";
import { type Message, type Part, type TextPart, withParts } from "./message.ts";

export type CompactionProvider = "anthropic" | "openai";

export interface ProviderCompaction {
  /** The provider that wrote it and takes it back. */
  readonly by: CompactionProvider;
  /** Undefined if the compaction is sealed: only its provider can read it. */
  readonly text: string | undefined;
  /** The block or item as the provider's API takes it back. */
  readonly block: JsonObject;
}

/** Replaces a sealed compaction that cannot be sent. */
export const SEALED_COMPACTION_TEXT = "[A compaction by the provider, which only the provider can read.]";

const COMPACTION_TYPES: readonly unknown[] = ["compaction", "compaction_summary"];

/** Returns undefined for a failed compaction, which has neither text nor sealed content. */
export function findProviderCompaction(part: Part): ProviderCompaction | undefined {
  if (part.type === "text") return readMarkedText(part);
  if (part.type !== "unknown" || !isJsonObject(part.value)) return undefined;
  return part.value.type === "custom" ? readCustomPart(part.value) : readBlock(part.value);
}

/** Blocks of Anthropic have a field for the text, which OpenAI's items lack. */
function readBlock(block: JsonObject): ProviderCompaction | undefined {
  const { type, content, encrypted_content: sealed } = block;
  if (!COMPACTION_TYPES.includes(type)) return undefined;
  const by = content === undefined ? "openai" : "anthropic";
  if (isFilled(content)) return { by, text: content, block };
  return isFilled(sealed) ? { by, text: undefined, block } : undefined;
}

/** The AI SDK reads Anthropic's blocks as texts with a mark. */
function readMarkedText({ text, extras }: TextPart): ProviderCompaction | undefined {
  const { type, signature } = extras?.anthropic ?? {};
  if (type !== "compaction" || text.trim() === "") return undefined;
  const proof = isFilled(signature) ? { signature } : {};
  return { by: "anthropic", text, block: { type: "compaction", content: text, ...proof } };
}

/** The AI SDK reads OpenAI's items as custom parts. Without content, OpenAI has stored the item under its id. */
function readCustomPart({ kind, providerOptions }: JsonObject): ProviderCompaction | undefined {
  if (kind !== "openai.compaction" || !isJsonObject(providerOptions)) return undefined;
  const [fields] = Object.values(providerOptions);
  if (!isJsonObject(fields)) return undefined;
  const { itemId: id, encryptedContent: sealed } = fields;
  const named = isFilled(id) ? { id } : {};
  if (isFilled(sealed)) {
    return { by: "openai", text: undefined, block: { type: "compaction", ...named, encrypted_content: sealed } };
  }
  return isFilled(id) ? { by: "openai", text: undefined, block: { type: "item_reference", id } } : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Writes a compaction for the AI SDK; undefined if the AI SDK cannot carry it. */
export function writeCompactionForAiSdk({ by, text, block }: ProviderCompaction): Part | undefined {
  if (by === "anthropic") {
    if (text === undefined) return undefined;
    const proof = isFilled(block.signature) ? { signature: block.signature } : {};
    return { type: "text", text, extras: { anthropic: { type: "compaction", ...proof } } };
  }
  const { id, encrypted_content: sealed } = block;
  const fields = { ...(isFilled(id) ? { itemId: id } : {}), ...(isFilled(sealed) ? { encryptedContent: sealed } : {}) };
  const value = { type: "custom", kind: "openai.compaction", providerOptions: { openai: fields } };
  return { type: "unknown", format: "ai-sdk-model", value };
}

/** Whether Anthropic takes the compaction only as the first block of a request. */
export function isSignedCompaction({ by, block }: ProviderCompaction): boolean {
  return by === "anthropic" && isFilled(block.signature);
}

/** Returns the text of a compaction for other providers. */
export function describeProviderCompaction({ text }: Pick<ProviderCompaction, "text">): TextPart {
  return { type: "text", text: text === undefined ? SEALED_COMPACTION_TEXT : `[Summary by the provider]\n${text}` };
}

export function hasProviderCompaction({ parts }: Message): boolean {
  return parts.some((part) => findProviderCompaction(part) !== undefined);
}

/** Returns the newest compaction in a message. */
export function findCompactionIn({ parts }: Message): ProviderCompaction | undefined {
  return parts.map(findProviderCompaction).findLast((found) => found !== undefined);
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
  return text === undefined || part.type === "text" ? part : { type: "text", text };
}
