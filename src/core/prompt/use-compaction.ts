/**
 * Places a provider's compaction in a prompt. APIs ignore what comes before the newest compaction, so for its provider
 * it comes first: what it covers is left out, and everything else follows it. Other providers get our summary instead.
 */
import { findViewFloorSeq } from "../log/head.ts";
import type { View } from "../log/view.ts";
import { type Message, type Part, withParts } from "../message/message.ts";
import {
  type CompactionProvider,
  describeProviderCompaction,
  findCompactionIn,
  findProviderCompaction,
  hasProviderCompaction,
  isSignedCompaction,
  type ProviderCompaction,
  writeCompactionForAiSdk,
} from "../message/provider-compaction.ts";
import type { AssembledItem, AssembledPrompt } from "./assemble-prompt.ts";
import { createCoverMessages } from "./cover-message.ts";

export interface CompactionUse {
  /** The message with the newest compaction. */
  readonly message: Message;
  /** `first`: for its provider, it comes first. `in-place`: messages before it are sent too. */
  readonly place: "first" | "in-place";
  /** Messages that the compaction covers. They are left out for its provider. */
  readonly covered: ReadonlySet<Message>;
  /** Pinned notes of the covered messages. */
  readonly notes: readonly Message[];
  /** Whether our summary covers the same messages, so that other providers do not need the compaction. */
  readonly isSummarized: boolean;
  /** The provider of the model, for formats that serve several. */
  readonly modelProvider: string | undefined;
}

export interface UseOptions {
  readonly isAllowed: boolean;
  readonly modelProvider: string | undefined;
}

export function findCompactionUse(
  assembled: Pick<AssembledPrompt, "items" | "originOf">,
  { head }: Pick<View, "head">,
  { isAllowed, modelProvider }: UseOptions,
): CompactionUse | undefined {
  const { items } = assembled;
  const index = items.findLastIndex(({ message }) => hasProviderCompaction(message));
  const item = items[index];
  if (item === undefined) return undefined;
  const floor = findViewFloorSeq(head);
  const isHidden = ({ sources }: AssembledItem) =>
    sources.every((source) => (assembled.originOf(source)?.seq ?? 0) <= floor);
  const before = items.slice(0, index);
  const shared = { message: item.message, modelProvider };
  // A fold beyond the compaction keeps it, and our summary continues where it ends.
  if (isHidden(item)) return { ...shared, place: "first", covered: new Set(), notes: [], isSummarized: false };
  const isComplete = before.every((earlier) => earlier.section !== "history" || isHidden(earlier));
  if (!isAllowed || !isComplete) {
    return { ...shared, place: "in-place", covered: new Set(), notes: [], isSummarized: false };
  }
  const covered = before.filter(({ section }) => section === "summary" || section === "history");
  const notes = createCoverMessages({ ...head, summary: undefined, truncation: undefined });
  const isSummarized = head.summary !== undefined;
  return { ...shared, place: "first", covered: new Set(covered.map(({ message }) => message)), notes, isSummarized };
}

/** Describes the use for a report. */
export function describeCompactionUse(use: CompactionUse | undefined) {
  const found = use && findCompactionIn(use.message);
  return use && found && { by: found.by, messageId: use.message.id, place: use.place };
}

export type CompactionTarget = "openai" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk" | "langchain";

interface Arranged {
  readonly messages: readonly Message[];
  readonly breakpoints?: readonly number[] | undefined;
  readonly compaction?: CompactionUse | undefined;
}

/** Returns the messages as the target reads the compaction. The rest of the source is unchanged. */
export function arrangeCompaction<Source extends Arranged>(source: Source, target: CompactionTarget): Source {
  const { compaction: use } = source;
  const found = use && findCompactionIn(use.message);
  if (use === undefined || found === undefined || !source.messages.includes(use.message)) return source;
  if (found.by !== findReader(target, use) || !canCarry(found, use, target)) {
    return use.isSummarized ? changeMessage(source, use.message, removeCompactions(use.message)) : source;
  }
  if (use.place === "first") return putFirst(source, use);
  // Anthropic refuses a signed compaction that does not come first.
  const isRefused = target === "anthropic" && isSignedCompaction(found);
  return isRefused ? changeMessage(source, use.message, describeCompactions(use.message)) : source;
}

function findReader(target: CompactionTarget, { modelProvider }: CompactionUse): string | undefined {
  if (target === "ai-sdk" || target === "langchain") return modelProvider;
  return READERS[target];
}

const READERS: Readonly<Record<string, CompactionProvider>> = { "openai-responses": "openai", anthropic: "anthropic" };

function canCarry(found: ProviderCompaction, { message }: CompactionUse, target: CompactionTarget): boolean {
  if (target === "ai-sdk") return writeCompactionForAiSdk(found) !== undefined;
  if (target === "langchain") return found.by === "anthropic" || message.extras?.["wire:langchain"] !== undefined;
  return true;
}

function putFirst<Source extends Arranged>(source: Source, { message, covered, notes }: CompactionUse): Source {
  const { messages } = source;
  const start = messages.findIndex(({ role }) => role !== "system");
  const index = messages.indexOf(message);
  const end = index + 1 + countResults(messages.slice(index + 1));
  const isKept = (earlier: Message) => !covered.has(earlier);
  return reorder(source, [
    ...messages.slice(0, start).filter(isKept),
    ...messages.slice(index, end),
    ...notes,
    ...messages.slice(start, index).filter(isKept),
    ...messages.slice(end),
  ]);
}

/** The results of the message's calls stay next to it. */
function countResults(after: readonly Message[]): number {
  const first = after.findIndex(({ role }) => role !== "tool");
  return first === -1 ? after.length : first;
}

/** Moves the breakpoints with their messages. That of the system text is -1. */
function reorder<Source extends Arranged>(source: Source, messages: readonly Message[]): Source {
  const { breakpoints } = source;
  if (breakpoints === undefined) return { ...source, messages };
  const moved = breakpoints.flatMap((index) => {
    const marked = source.messages[index];
    const place = marked === undefined ? index : messages.indexOf(marked);
    return marked !== undefined && place === -1 ? [] : [place];
  });
  return { ...source, messages, breakpoints: moved.toSorted((left, right) => left - right) };
}

function changeMessage<Source extends Arranged>(source: Source, message: Message, changed: Message): Source {
  if (changed.parts.length > 0) {
    return { ...source, messages: source.messages.map((other) => (other === message ? changed : other)) };
  }
  return reorder(
    source,
    source.messages.filter((other) => other !== message),
  );
}

function removeCompactions(message: Message): Message {
  return withParts(
    message,
    message.parts.filter((part) => findProviderCompaction(part) === undefined),
  );
}

function describeCompactions(message: Message): Message {
  const describe = (part: Part): Part => {
    const found = findProviderCompaction(part);
    return found?.text === undefined ? part : describeProviderCompaction(found);
  };
  return withParts(message, message.parts.map(describe));
}
