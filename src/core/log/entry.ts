/**
 * The log's records. Entries are appended and never edited: what a conversation looks like to a model is the fold of
 * its entries. An entry that changes the past of the view says by its own fields what it changes, in seqs that its
 * writer had read, so that it means the same whatever was appended meanwhile.
 *
 * The type of an entry is its whole behaviour; folding is `fold-entry.ts`, storing is a port.
 */
import type { JsonObject } from "../message/json.ts";
import type { Flavoured, Message, MessageId } from "../message/message.ts";
import type { SectionName } from "../sections/section.ts";
import type { TierDelta } from "../sections/tier.ts";
import type { Coverage, SummaryId, SummaryRecord } from "../summary/record/record.ts";
import type { CounterId } from "../tokens/counter.ts";
import type { Prune } from "./prune.ts";

/** Messages, summaries and requests are known by their own ids, which are ids of entries too. */
export type EntryId = Flavoured<"entry" | "message" | "summary" | "prompt">;
export type SessionId = Flavoured<"session">;
export type PromptId = Flavoured<"prompt">;

/** What the store and the clock put on every entry. */
export interface EntryStamp {
  readonly id: EntryId;
  /** Position in the log, gap-free, given by the store. */
  readonly seq: number;
  /** Epoch milliseconds by the engine's clock. For people; order is by seq. */
  readonly at: number;
}

/** On entries that change the past of the view: the session's epoch after them. */
export interface EpochStamp {
  readonly epoch: number;
  /** The first entry of the batch that it was written in, where that is another. An undo takes back the whole batch. */
  readonly batch?: EntryId | undefined;
}

/** What a provider reported of one call. Zero or absent figures teach nothing. */
export interface Usage {
  /** Who answered, where that is not whom the prompt was made for. */
  readonly model?: string | undefined;
  /** All of the prompt, read from a cache or not. Providers that leave cached tokens out are recognised by the figures. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

/** Raw counts beside an entry, one per counter that has looked at it. */
export type TokenCounts = Readonly<Record<CounterId, number>>;

/** Somebody said something. The entry's id is the message's. */
export interface MessageEntry extends EntryStamp {
  readonly type: "message";
  readonly id: MessageId;
  readonly message: Message;
  readonly hash: string;
  /** As counted when it was appended. */
  readonly tokens: TokenCounts;
  /** Counts by other counters, added when a view needed them. They are no part of any total. */
  readonly recounts?: TokenCounts | undefined;
  /** The prompt that this message answers. */
  readonly promptId?: PromptId | undefined;
  /** On messages with thinking whose prompt is known. */
  readonly producedUnder?: ProducingRequest | undefined;
  readonly usage?: Usage | undefined;
  /** A system message that opens what took the place of an earlier conversation; see `ClearEntry`. */
  readonly opensConversation?: boolean | undefined;
  /** Its owner had the text removed: id, role, counts, time and place remain. With its hash it is a tombstone. */
  readonly erased?: boolean | undefined;
}

/** A whole prompt as a provider compares it that binds thinking to what stood before. Hashes of a fixed length. */
export interface PrefixPrint {
  /** Of everything that was sent: instructions, tools, and messages with the thinking that was sent among them. */
  readonly hash: string;
  /** Of the instructions and the tools alone, so that a report can say which of them changed. */
  readonly instructions: string;
  readonly tools: string;
}

/** The request that produced the thinking of a message. */
export interface ProducingRequest {
  readonly model: string;
  readonly viewEpoch: number;
  /** A later step of a tool loop that was appended as a whole: it follows the steps before it, not the prompt itself. */
  readonly isLaterStep?: boolean | undefined;
  /** Absent where the prompt was for a model that does not bind thinking. */
  readonly prefix?: PrefixPrint | undefined;
}

/** Seqs of what the user asked last, where that is covered: it stays word for word, so that the task is not lost. */
export type KeptRequests = readonly number[];

/** On what makes a view smaller: the last place of the log that whoever decided it had read. */
interface CompactionStamp {
  readonly readThroughSeq?: number | undefined;
}

/** The record's id is the entry's. */
export interface SummaryEntry extends EntryStamp, EpochStamp, CompactionStamp {
  readonly type: "summary";
  readonly id: SummaryId;
  readonly record: SummaryRecord;
  readonly keptRequests: KeptRequests;
  /** The text of what it stands for went in the same transaction, so that it cannot be taken back. */
  readonly erases?: boolean | undefined;
  readonly withheld?: Withheld | undefined;
}

/** Between these places is text that should have gone and stayed, because another session needs it; it goes later. */
export interface Withheld {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** How it goes. */
  readonly retention: "tombstone" | "delete";
}

export interface PruneEntry extends EntryStamp, EpochStamp {
  readonly type: "prune";
  readonly prunes: readonly Prune[];
  readonly reason: string;
}

/** Older messages leave the prompt without a summary; a one-line marker stands for them. */
export interface TruncateEntry extends EntryStamp, EpochStamp, CompactionStamp {
  readonly type: "truncate";
  readonly coverage: Coverage;
  /** The summary of what came before goes too: the conversation has turned to something else. */
  readonly dropsSummary?: boolean | undefined;
  /** Tokens of what is not shown, for the marker; by the counter in use when it was written. */
  readonly coveredTokens: number;
  readonly keptRequests: KeptRequests;
  readonly reason: string;
}

export interface ClearEntry extends EntryStamp, EpochStamp {
  readonly type: "clear";
  readonly throughSeq: number;
  /** `next-generation`: only until the generation that was asked for next has completed, well or badly. */
  readonly scope: "for-good" | "next-generation";
  /** For one generation: the summary does not come back with the rest. For good it never does. */
  readonly dropsSummary?: boolean | undefined;
  /** Whether the system messages at the start of the conversation stay. For one generation they always do. */
  readonly keepsPreamble: boolean;
}

export type PinTarget =
  | { readonly type: "messages"; readonly messageId: MessageId; readonly seqs: readonly number[] }
  /** `messageId`: the pinned message of which only these words are left. */
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

export interface UndoEntry extends EntryStamp, EpochStamp {
  readonly type: "undo";
  /** The entry taken back; for a redo the undo that is taken back. */
  readonly undoes: EntryId;
  /** The summary that is live again, where another one was: read back, so that the head keeps no chain of texts. */
  readonly summary?: SummaryRecord | undefined;
  /** Soft triggers hold until the session has so many messages. */
  readonly holdThroughCount: number;
}

export interface DeleteEntry extends EntryStamp, EpochStamp {
  readonly type: "delete";
  readonly messageIds: readonly MessageId[];
  readonly seqs: readonly number[];
  /** The live summary quoted a deleted message, so it went too; its stretch is then covered as truncated. */
  readonly dropsSummary: boolean;
}

export interface SectionPrint {
  readonly name: SectionName;
  readonly hash: string;
  readonly tokens: number;
  /** Units hashed, where the section grows by appending. */
  readonly units?: number | undefined;
  /** Stand-ins behind the last unit: how many units they are, and the hash of the section with them. */
  readonly standIns?: { readonly units: number; readonly hash: string } | undefined;
}

/** Why a section's bytes are not what they were in the prompt before. */
export interface SectionChange {
  readonly section: SectionName;
  readonly reason: string;
  readonly entryId?: EntryId | undefined;
}

/** A prompt was handed out. */
export interface RequestEntry extends EntryStamp {
  readonly type: "request";
  readonly promptId: PromptId;
  /** The epoch whose view it shows. */
  readonly viewEpoch: number;
  readonly counterId: CounterId;
  readonly model?: string | undefined;
  readonly provider: string;
  /** Raw sum by the counter, before the learned factor. */
  readonly countedTokens: number;
  /** The factor that was applied to it. */
  readonly factor: number;
  /** Whether the counter is the model's own tokenizer: then usage may raise the factor and never lower it. */
  readonly exact?: boolean | undefined;
  /** Whether a compaction by ratio could act again. */
  readonly armed?: boolean | undefined;
  readonly sections: readonly SectionPrint[];
  readonly changes: readonly SectionChange[];
  /** Where the model binds thinking to what stood before it. */
  readonly prefix?: PrefixPrint | undefined;
  /** What has moved between the tiers, where a workspace is tracked. */
  readonly tiers?: TierDelta | undefined;
}

/** Something a reader of the log should know: a warning, or a generation that ended without a message. */
export interface EventNoteEntry extends EntryStamp {
  readonly type: "note";
  readonly kind: "warning" | "generation-end";
  readonly text: string;
  readonly promptId?: PromptId | undefined;
  readonly details?: JsonObject | undefined;
}

/** Text that was given with a prompt. Later prompts show it at the same place, until a compaction covers that place. */
export interface PromptNoteEntry extends EntryStamp {
  readonly type: "note";
  readonly kind: "prompt";
  readonly text: string;
  /** It follows the message at this place, or the newest one before it. */
  readonly afterSeq: number;
  readonly promptId?: PromptId | undefined;
  /** It says what has changed in the workspace since this prompt, and is shown while the workspace stands as it did there. */
  readonly sincePromptId?: PromptId | undefined;
}

export type NoteEntry = EventNoteEntry | PromptNoteEntry;

export type EpochEntry =
  | SummaryEntry
  | PruneEntry
  | TruncateEntry
  | ClearEntry
  | PinEntry
  | UnpinEntry
  | UndoEntry
  | DeleteEntry;

export type Entry = MessageEntry | RequestEntry | NoteEntry | EpochEntry;

type WithoutSeq<Any> = Any extends unknown ? Omit<Any, "seq"> : never;
/** An entry before the store has given it its place. */
export type EntryDraft = WithoutSeq<Entry>;
export type EpochDraft = WithoutSeq<EpochEntry>;
export type MessageDraft = WithoutSeq<MessageEntry>;

export function movesEpoch(entry: Entry): entry is EpochEntry {
  return "epoch" in entry;
}

export function isEpochDraft(draft: EntryDraft): draft is EpochDraft {
  return "epoch" in draft;
}

// The names of every type of entry, for whoever reads them from outside. The compiler sees that none is forgotten.
const CHANGES: Readonly<Record<EpochEntry["type"], true>> = {
  summary: true,
  prune: true,
  truncate: true,
  clear: true,
  pin: true,
  unpin: true,
  delete: true,
  undo: true,
};
const OTHERS: Readonly<Record<Exclude<Entry["type"], EpochEntry["type"]>, true>> = {
  message: true,
  request: true,
  note: true,
};

/** Of entries that change the past. */
export const EPOCH_TYPES = Object.keys(CHANGES) as readonly EpochEntry["type"][];
export const ENTRY_TYPES: readonly Entry["type"][] = [
  ...(Object.keys(OTHERS) as readonly Entry["type"][]),
  ...EPOCH_TYPES,
];
