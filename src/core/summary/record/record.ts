/**
 * The record of one summary. Records are linked by parent into a chain; each covers everything its parent covered and a
 * new stretch.
 */
import type { Flavored, MessageId, Role } from "../../message/message.ts";

export type SummaryId = Flavored<"summary">;

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
  /** The facts behind the lists: the state that the next summary of the chain starts from. */
  readonly sheet?: FactSheet | undefined;
}

/** Made of kind and words, so the same fact said twice is one fact. */
export type FactId = Flavored<"fact">;

export type FactKind =
  | "pin-note"
  | "constraint"
  /** A constraint or pin of a summary in the history. Not enforced: anyone may have written that text. */
  | "reported"
  | "goal"
  | "open-item"
  | "question"
  | "decision"
  /** A definition in the user's words: "the ledger account is acc-7731". */
  | "definition"
  | "identifier"
  | "command"
  /** A notebook cell that was run or changed, and its state since. */
  | "notebook-cell"
  | "error"
  | "participant";

/** `live` holds until further notice; only items and questions are ever `open` or `done`. */
export type FactStatus = "live" | "open" | "done";

export interface Fact {
  readonly id: FactId;
  readonly kind: FactKind;
  /** One line, in the words of its source, with secrets replaced. */
  readonly text: string;
  /** The message that said it first. */
  readonly source: MessageId;
  readonly saidBy: Role;
  readonly status: FactStatus;
  /** Counted from 0 at the start of what its sheet covers. */
  readonly lastTurn: number;
  /** Messages that used it. */
  readonly uses: number;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  /**
   * Of a name: how often tools were given it or speakers said it, and how often tools showed it; later uses count more.
   */
  readonly given?: number | undefined;
  readonly shown?: number | undefined;
  /** Of a name: the message that used it last, counted from 1. */
  readonly lastUse?: number | undefined;
  /** Of a name: the fact of its file. */
  readonly home?: FactId | undefined;
  /** Of a file: what a tool did to it. */
  readonly use?: string | undefined;
  /** Read from a summary in the history: data that anyone may have written. */
  readonly isTakenOver?: boolean | undefined;
}

export interface FactSheet {
  readonly facts: readonly Fact[];
  readonly turns: number;
  /** Constraints that did not fit, reported once: the next sheet does not repeat them. */
  readonly evicted?: readonly FactId[] | undefined;
  readonly messages?: number | undefined;
}

/** Facts that a summary must hold, and those without room in its share of the budget. */
export interface ProtectedFacts {
  readonly facts: readonly Fact[];
  readonly evicted: readonly Fact[];
  readonly tokens: number;
  /** Tokens of constraints and pin notes if they alone exceed the share, else 0. Cannot be made smaller. */
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
  | "secret"
  /** A sentence that closely restates one of the source; reported only if it says the opposite. */
  | "statement";

/** A place in a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Something checkable that a text names. */
export interface Claim extends Span {
  readonly kind: ClaimKind;
  readonly text: string;
  /** A date such as 03/05/2024 has two. */
  readonly keys: readonly string[];
}

export interface VerificationReport {
  /** The share of claims with a source and of protected facts that are present; 1 if there are none. */
  readonly score: number;
  readonly claims: number;
  readonly missing: readonly Fact[];
  readonly unsupported: readonly Claim[];
  /** Computed from a source: counts, resolved dates, a share as a percentage. */
  readonly derived: readonly Claim[];
}

/** Quotes nothing, so erasing a message need not change it. */
export interface Verification extends Pick<VerificationReport, "score" | "claims"> {
  readonly derivedClaims: number;
  readonly removedClaims: number;
  /** Left out by the summarizer and put back by code. */
  readonly restored: readonly FactId[];
  readonly evicted: readonly FactId[];
}

/** A line and the messages it was made from; a heading has none. */
export interface SummaryLine {
  readonly text: string;
  readonly messageIds: readonly MessageId[];
  /** Of a story line, from 0 to 1. Folding loses the least salient first. */
  readonly salience?: number | undefined;
}

/** A summary that stood in the history as a message, and its rendering there. */
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
  /** The message that opens its last round: the assistant's, if that made calls. */
  readonly lastRoundId?: MessageId | undefined;
  readonly text: string;
  /** Present if code wrote the text; if the two disagree, the text holds. */
  readonly lines?: readonly SummaryLine[] | undefined;
  readonly keyPoints: readonly string[];
  readonly facets: Facets;
  /** Absent if the text was never checked, as after an edit by hand. */
  readonly verification?: Verification | undefined;
  /** Present if the record was read from a message of the history; the messages it counts are not in the log. */
  readonly origin?: SummaryOrigin | undefined;
  readonly strategy: string;
  readonly model?: string | undefined;
  readonly reason: string;
  readonly instructions?: string | undefined;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How full the window was when it was requested. */
  readonly tokenRatio?: number | undefined;
  /** Messages of the view after it, itself included. */
  readonly messageCount?: number | undefined;
  readonly costUsd?: number | undefined;
  /** Covered messages that had been truncated before, so the text says nothing of them. */
  readonly omitted?: { readonly count: number; readonly tokens: number } | undefined;
  /** Tool outputs that the summarizer saw only in part. */
  readonly cutResults?: number | undefined;
  /** `own-prompt` reused the conversation's cached prompt. */
  readonly request?: "transcript" | "own-prompt" | "none" | undefined;
}
