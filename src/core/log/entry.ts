/**
 * The records of the log. Entries are only appended and, on request, erased. The view of a session is their fold. An
 * entry that changes the past of the view refers to seqs that its writer had read, so entries that are appended in the
 * meantime do not affect it.
 */
import type { JsonObject } from "../message/json.ts";
import type { Flavored, Message, MessageId } from "../message/message.ts";
import type { SectionName } from "../sections/section.ts";
import type { TierDelta } from "../sections/tier.ts";
import type { Coverage, SummaryId, SummaryRecord } from "../summary/record/record.ts";
import type { CounterId } from "../tokens/counter.ts";
import type { Prune } from "./prune.ts";

/** Messages, summaries and requests have their own ids, which are entry ids too. */
export type EntryId = Flavored<"entry" | "message" | "summary" | "prompt">;
export type SessionId = Flavored<"session">;
export type PromptId = Flavored<"prompt">;

/** Fields that the store and the clock add to every entry. */
export interface EntryStamp {
  readonly id: EntryId;
  /** Place in the log, without gaps, assigned by the store. */
  readonly seq: number;
  /** Epoch milliseconds by the engine's clock, for display. Order is by seq. */
  readonly at: number;
}

/** Fields of entries that change the past of the view. `epoch` is the session's epoch after the entry. */
export interface EpochStamp {
  readonly epoch: number;
  /** The first entry of the batch, if it is not this one. An undo reverts the whole batch. */
  readonly batch?: EntryId | undefined;
}

/** Figures that a provider reported for one call. */
export interface Usage {
  /** The model that answered, if it is not the one that the prompt was made for. */
  readonly model?: string | undefined;
  /** Tokens of the whole prompt. A provider that leaves out cached tokens is recognized by its figures. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

export type TokenCounts = Readonly<Record<CounterId, number>>;

/** A message was appended. The entry's id is the message's. */
export interface MessageEntry extends EntryStamp {
  readonly type: "message";
  readonly id: MessageId;
  readonly message: Message;
  readonly hash: string;
  readonly tokens: TokenCounts;
  /** Counts by other counters, added when a view needed them. Not included in totals. */
  readonly recounts?: TokenCounts | undefined;
  readonly promptId?: PromptId | undefined;
  /** Set on messages with thinking whose prompt is known. */
  readonly producedUnder?: ProducingRequest | undefined;
  readonly usage?: Usage | undefined;
  /** Set on a system message that starts the conversation after a clear; see `ClearEntry`. */
  readonly opensConversation?: boolean | undefined;
  /** The text was erased. Id, role, counts, time and seq remain. A tombstone also keeps its hash. */
  readonly erased?: boolean | undefined;
  /** The stored hash of a damaged message. Set on its marker, whose own hash is empty. */
  readonly storedHash?: string | undefined;
}

/** Hashes of a whole prompt, for providers that bind thinking. */
export interface PrefixHashes {
  /** Hash of the whole request: instructions, tools and messages, with the thinking that was sent. */
  readonly hash: string;
  /** Hashes of the instructions and of the tools alone, so that a report can name which changed. */
  readonly instructions: string;
  readonly tools: string;
}

export interface ProducingRequest {
  readonly model: string;
  readonly viewEpoch: number;
  /** Set on a later step of a tool loop, which follows earlier steps and not the prompt itself. */
  readonly isLaterStep?: boolean | undefined;
  /** Absent if the model does not bind thinking. */
  readonly prefix?: PrefixHashes | undefined;
}

/** Seqs of the last requests, if they are covered. They stay verbatim. */
export type KeptRequests = readonly number[];

/** Field of compaction entries: the last seq that their writer had read. */
interface CompactionStamp {
  readonly readThroughSeq?: number | undefined;
}

export interface SummaryEntry extends EntryStamp, EpochStamp, CompactionStamp {
  readonly type: "summary";
  readonly id: SummaryId;
  readonly record: SummaryRecord;
  readonly keptRequests: KeptRequests;
  /** The covered text was erased in the same transaction, so this cannot be undone. */
  readonly erases?: boolean | undefined;
  readonly withheld?: WithheldText | undefined;
}

/** A range whose text is not erased before other sessions no longer need it. */
export interface WithheldText {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly retention: "tombstone" | "delete";
}

export interface PruneEntry extends EntryStamp, EpochStamp {
  readonly type: "prune";
  readonly prunes: readonly Prune[];
  readonly reason: string;
}

/** Hides older messages without a summary. One line in the prompt counts them. */
export interface TruncateEntry extends EntryStamp, EpochStamp, CompactionStamp {
  readonly type: "truncate";
  readonly coverage: Coverage;
  /** Whether the previous summary is dropped too. */
  readonly dropsSummary?: boolean | undefined;
  /** Tokens of the hidden messages, for the marker, by the counter that was in use. */
  readonly coveredTokens: number;
  readonly keptRequests: KeptRequests;
  readonly reason: string;
}

export interface ClearEntry extends EntryStamp, EpochStamp {
  readonly type: "clear";
  readonly throughSeq: number;
  /** `next-generation` ends when the next requested generation completes or fails. */
  readonly scope: "for-good" | "next-generation";
  /** For `next-generation`: whether the summary is dropped. A clear for good always drops it. */
  readonly dropsSummary?: boolean | undefined;
  /** Whether the preamble stays. With `next-generation` it always does. */
  readonly keepsPreamble: boolean;
}

export type PinTarget =
  | { readonly type: "messages"; readonly messageId: MessageId; readonly seqs: readonly number[] }
  /** `messageId`: the pinned message that this text was shortened from. */
  | { readonly type: "note"; readonly text: string; readonly messageId?: MessageId | undefined };

export interface PinEntry extends EntryStamp, EpochStamp {
  readonly type: "pin";
  readonly target: PinTarget;
}

export interface UnpinEntry extends EntryStamp, EpochStamp {
  readonly type: "unpin";
  readonly pinIds: readonly EntryId[];
  readonly reason: string;
}

/** Leaves a message out of recalled passages: of those in view, and of later ones. */
export interface DismissEntry extends EntryStamp, EpochStamp {
  readonly type: "dismiss";
  readonly messageId: MessageId;
  /** Seq of the message. */
  readonly messageSeq: number;
}

export interface UndoEntry extends EntryStamp, EpochStamp {
  readonly type: "undo";
  /** The entry to undo; for a redo, the undo entry. */
  readonly undoes: EntryId;
  /** The restored summary, read from the log, so that the head need not store older summaries. */
  readonly summary?: SummaryRecord | undefined;
  /** Holds soft triggers until the session has this many messages. */
  readonly holdThroughCount: number;
}

export interface DeleteEntry extends EntryStamp, EpochStamp {
  readonly type: "delete";
  readonly messageIds: readonly MessageId[];
  readonly seqs: readonly number[];
  /** Whether the live summary was dropped because it covers a deleted message. Its stretch then counts as truncated. */
  readonly dropsSummary: boolean;
}

export interface SectionHash {
  readonly name: SectionName;
  readonly hash: string;
  readonly tokens: number;
  /** Number of hashed units, if the section only grows at its end. */
  readonly units?: number | undefined;
  /** If stand-ins follow the last unit: how many, and the hash of the section with them. */
  readonly standIns?: { readonly units: number; readonly hash: string } | undefined;
}

/** Why a section's bytes differ from the previous prompt. */
export interface SectionChange {
  readonly section: SectionName;
  readonly reason: string;
  readonly entryId?: EntryId | undefined;
}

export interface RequestEntry extends EntryStamp {
  readonly type: "request";
  readonly promptId: PromptId;
  /** The epoch of the view that the prompt shows. */
  readonly viewEpoch: number;
  readonly counterId: CounterId;
  readonly model?: string | undefined;
  readonly provider: string;
  /** The counter's total, without the learned factor. */
  readonly countedTokens: number;
  /** The tokens of recalled passages among `countedTokens`; absent if there are none. */
  readonly recalledTokens?: number | undefined;
  readonly factor: number;
  /** Whether the counter is the model's own tokenizer. Usage may then raise the factor but never lower it. */
  readonly exact?: boolean | undefined;
  readonly armed?: boolean | undefined;
  readonly sections: readonly SectionHash[];
  readonly changes: readonly SectionChange[];
  /** Set if the model binds thinking. */
  readonly prefix?: PrefixHashes | undefined;
  /** Changes between the tiers, if a workspace is tracked. */
  readonly tiers?: TierDelta | undefined;
}

/**
 * Information for readers of the log: a warning, a generation that ended without a message, another session whose
 * recalled passages quote messages of this one, or the summary that another tool wrote when it compacted its context.
 */
export interface EventNoteEntry extends EntryStamp {
  readonly type: "note";
  readonly kind: "warning" | "generation-end" | "quoted" | "imported-summary";
  readonly text: string;
  readonly promptId?: PromptId | undefined;
  readonly details?: JsonObject | undefined;
}

/** Text that a caller gave with a prompt. Later prompts show it at the same place until a compaction covers it. */
export interface PromptNoteEntry extends EntryStamp {
  readonly type: "note";
  readonly kind: "prompt";
  readonly text: string;
  /** The note follows the message at this seq, or the newest one before it. */
  readonly afterSeq: number;
  readonly promptId?: PromptId | undefined;
  /** Set if the text describes workspace changes since that prompt. Shown while prompts show its older workspace. */
  readonly sincePromptId?: PromptId | undefined;
}

/** A message that a recall quotes, and why. */
export interface RecalledMessage {
  /** The session that has the message, if it is another one of the tenant. */
  readonly sessionId?: SessionId | undefined;
  readonly seq: number;
  readonly messageId: MessageId;
  /** Words of the request that the message contains. */
  readonly words: readonly string[];
  readonly tokens: number;
}

/** Passages of hidden messages, quoted for a prompt. Later prompts show them until a compaction covers their place. */
export interface RecallEntry extends EntryStamp {
  readonly type: "recall";
  /** The block as the model reads it; empty if it was erased. */
  readonly text: string;
  readonly passages: readonly RecalledMessage[];
  /** The block follows the message at this seq. */
  readonly afterSeq: number;
  readonly promptId: PromptId;
}

export type NoteEntry = EventNoteEntry | PromptNoteEntry;

export type EpochEntry =
  | SummaryEntry
  | PruneEntry
  | TruncateEntry
  | ClearEntry
  | PinEntry
  | UnpinEntry
  | DismissEntry
  | UndoEntry
  | DeleteEntry;

/** One immutable record of a session's log: a message, or a change of what the model sees. */
export type Entry = MessageEntry | RequestEntry | NoteEntry | RecallEntry | EpochEntry;

type WithoutSeq<Any> = Any extends unknown ? Omit<Any, "seq"> : never;
/** An entry that the store has not given a seq yet. */
export type EntryDraft = WithoutSeq<Entry>;
export type EpochDraft = WithoutSeq<EpochEntry>;
export type MessageDraft = WithoutSeq<MessageEntry>;

export function movesEpoch(entry: Entry): entry is EpochEntry {
  return "epoch" in entry;
}

export function isEpochDraft(draft: EntryDraft): draft is EpochDraft {
  return "epoch" in draft;
}

// Records instead of lists, so that the compiler reports a missing type.
const CHANGES: Readonly<Record<EpochEntry["type"], true>> = {
  summary: true,
  prune: true,
  truncate: true,
  clear: true,
  pin: true,
  unpin: true,
  dismiss: true,
  delete: true,
  undo: true,
};
const OTHERS: Readonly<Record<Exclude<Entry["type"], EpochEntry["type"]>, true>> = {
  message: true,
  request: true,
  note: true,
  recall: true,
};

export const EPOCH_TYPES = Object.keys(CHANGES) as readonly EpochEntry["type"][];
export const ENTRY_TYPES = Object.keys({ ...OTHERS, ...CHANGES }) as readonly Entry["type"][];

/** Whether entries of a type are part of a view, above its floor. */
export function isShownType(type: Entry["type"]): boolean {
  return type === "message" || type === "note" || type === "recall";
}
