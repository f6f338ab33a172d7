/**
 * The record of one summary: what it says, what it stands for, and what is known of how it came about. Records are
 * linked by parent into a chain; each covers everything its parent covered and a new stretch.
 *
 * Only the shape is here. Who writes the text, and how it is checked, are other files of this room.
 */
import type { Flavoured, MessageId, Role } from "../../message/message.ts";

export type SummaryId = Flavoured<"summary">;

/** The stretch of the log that something stands for, from its first to its last message. */
export interface Coverage {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Messages covered, the parent's included. */
  readonly count: number;
}

export interface ActionItem {
  readonly task: string;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  readonly status: "open" | "done";
}

export interface Facets {
  readonly goal?: string | undefined;
  readonly constraints: readonly string[];
  readonly decisions: readonly string[];
  readonly actionItems: readonly ActionItem[];
  readonly unresolved: readonly string[];
  readonly entities: readonly string[];
  readonly participants: readonly string[];
  /** Finished work that must not be done again. */
  readonly done: readonly string[];
  /**
   * The facts behind the lists above, with ids and sources: the state that the next summary of the chain starts from.
   */
  readonly sheet?: FactSheet | undefined;
}

/** Made of the kind and the words, so that the same fact said twice is one fact. */
export type FactId = Flavoured<"fact">;

export type FactKind =
  | "pin-note"
  | "constraint"
  /** A constraint or pin of a summary that stood in the history. It is not enforced: anyone may have written that text. */
  | "reported"
  | "goal"
  /** Something to do; its status says whether it still is. */
  | "open-item"
  | "question"
  | "decision"
  /** A definition in the user's words: "the ledger account is acc-7731". */
  | "definition"
  | "identifier"
  | "command"
  /** A cell of a notebook that was run or changed, and how it stands since. */
  | "notebook-cell"
  | "error"
  | "participant";

/** `live` is what holds until further notice; only items and questions are ever `open` or `done`. */
export type FactStatus = "live" | "open" | "done";

export interface Fact {
  readonly id: FactId;
  readonly kind: FactKind;
  /** One line, in the words of its source, with secrets replaced. */
  readonly text: string;
  /** The message that said it first. */
  readonly source: MessageId;
  /** Who said it there. */
  readonly saidBy: Role;
  readonly status: FactStatus;
  /** The turn that used it last, counted from 0 at the start of what its sheet covers. */
  readonly lastTurn: number;
  /** How many messages used it. */
  readonly uses: number;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  /**
   * For a name: how often tools were given it or a speaker said it, and how often tools showed it; later uses count for
   * more.
   */
  readonly given?: number | undefined;
  readonly shown?: number | undefined;
  /** Of a name: the message that used it last, counted from 1 at the start of what its sheet covers. */
  readonly lastUse?: number | undefined;
  /** Of a name: the fact of the file that it was used on or stood in. */
  readonly home?: FactId | undefined;
  /** Of a file: what a tool did to it. */
  readonly use?: string | undefined;
  /** True when it was only read from a summary that stood in the history: data that anyone may have written. */
  readonly isTakenOver?: boolean | undefined;
}

export interface FactSheet {
  readonly facts: readonly Fact[];
  /** Turns that the sheet covers. */
  readonly turns: number;
  /** Constraints that did not fit into this sheet, reported once: the next sheet of the chain does not repeat them. */
  readonly evicted?: readonly FactId[] | undefined;
  /** Messages that it covers. */
  readonly messages?: number | undefined;
}

/** The facts that a summary has to hold, and those for which its share of the budget had no room. */
export interface ProtectedFacts {
  /** Most important first. */
  readonly facts: readonly Fact[];
  readonly evicted: readonly Fact[];
  readonly tokens: number;
  /** Tokens of constraints and pin notes if they alone exceed the share, else 0. This cannot be made smaller. */
  readonly floorTokens: number;
}

export type ClaimKind =
  | "path"
  | "url"
  | "number"
  | "date"
  | "time"
  | "version"
  | "hash"
  | "identifier"
  /** The token that stands for a secret. */
  | "secret"
  /** A sentence that closely restates one of the source. Only the opposite of what was said is ever found. */
  | "statement";

/** Something checkable that a text names. */
export interface Claim {
  readonly kind: ClaimKind;
  readonly text: string;
  /** Keys it is compared by. A date such as 03/05/2024 has two. */
  readonly keys: readonly string[];
  /** Where it stands in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface VerificationReport {
  /** The share of claims that have a source and of protected facts that are there. 1 where nothing can be wrong. */
  readonly score: number;
  /** Claims that were looked at. */
  readonly claims: number;
  /** Protected facts that the summary does not hold. */
  readonly missing: readonly Fact[];
  /** Claims that no source has. */
  readonly unsupported: readonly Claim[];
  /** Claims that code computed from a source: counts, resolved dates, a share as a percentage. */
  readonly derived: readonly Claim[];
}

/** The part of a verification that a record keeps. It quotes nothing, so erasing a message need not change it. */
export interface Verification {
  readonly score: number;
  readonly claims: number;
  readonly derivedClaims: number;
  /** Claims that lost their clause. */
  readonly removedClaims: number;
  /** Facts that the summarizer left out and code put back. */
  readonly restored: readonly FactId[];
  readonly evicted: readonly FactId[];
}

/** A line of a summary's text, and the messages that it was made from; a heading has none. */
export interface SummaryLine {
  readonly text: string;
  readonly messageIds: readonly MessageId[];
  /** Of a line of the story: how much it mattered among them, from 0 to 1. Folding loses what mattered least first. */
  readonly salience?: number | undefined;
}

/** A summary that stood in the history as a message, and how it was rendered there. */
export interface SummaryOrigin {
  readonly type: "history";
  readonly renderer: "data" | "policy";
}

export interface SummaryRecord {
  readonly id: SummaryId;
  readonly at: number;
  /** 0 for the first of a chain. */
  readonly depth: number;
  readonly parentId?: SummaryId | undefined;
  readonly coverage: Coverage & {
    /** H(the parent's chainHash, the new stretch): proves what was read without keeping it. */
    readonly chainHash: string;
  };
  /** Messages of the new stretch. */
  readonly messageIds: readonly MessageId[];
  /** The message that opens the last round it stands for: the assistant's, where that made calls. */
  readonly lastRoundId?: MessageId | undefined;
  /** The text as the model sees it. */
  readonly text: string;
  /** The lines of the text with their sources, where code wrote them; where the two disagree, the text holds. */
  readonly lines?: readonly SummaryLine[] | undefined;
  readonly keyPoints: readonly string[];
  readonly facets: Facets;
  /** Absent where the text was never checked, as after an edit by hand. */
  readonly verification?: Verification | undefined;
  /** Present where the record was read from a message of the history; the messages that it counts are not in the log. */
  readonly origin?: SummaryOrigin | undefined;
  readonly strategy: string;
  readonly model?: string | undefined;
  readonly reason: string;
  readonly instructions?: string | undefined;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How full the window was when it was asked for. */
  readonly tokenRatio?: number | undefined;
  /** Messages of the view that it left, itself included. */
  readonly messageCount?: number | undefined;
  readonly costUsd?: number | undefined;
  /** Covered messages of which the text says nothing: they had been truncated before. */
  readonly omitted?: { readonly count: number; readonly tokens: number } | undefined;
  /** Tool output that the summarizer saw only in part. */
  readonly cutResults?: number | undefined;
  /** True if the request reused the conversation's own cached prompt. */
  readonly request?: "transcript" | "own-prompt" | "none" | undefined;
}
