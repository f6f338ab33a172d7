/** The record of one summary, and the hash by which it is found. It covers everything that its parent covered and a new stretch. */

import { hashMessage, hashText } from "../../message/hash-message.ts";
import type { Flavored, Message, MessageId, Role } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";

export type SummaryId = Flavored<"summary">;

/** The messages that a summary or truncation replaces, from the first to the last. */
export interface Coverage {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Number of covered messages, including the parent's. */
  readonly count: number;
}

export interface ActionItem {
  readonly task: string;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  readonly status: "open" | "done";
}

/** The lists of a summary: goal, constraints, decisions, action items and more. */
export interface Facets {
  readonly goal?: string | undefined;
  readonly constraints: readonly string[];
  readonly decisions: readonly string[];
  readonly actionItems: readonly ActionItem[];
  readonly unresolved: readonly string[];
  readonly entities: readonly string[];
  readonly participants: readonly string[];
  /** Finished work that must not be repeated. */
  readonly done: readonly string[];
  /** The facts that the lists are made from. The next summary of the chain starts with them. */
  readonly sheet?: FactSheet | undefined;
}

export const EMPTY_FACETS: Facets = {
  constraints: [],
  decisions: [],
  actionItems: [],
  unresolved: [],
  entities: [],
  participants: [],
  done: [],
};

/** Made from the kind and the words of a fact, so that two equal statements are one fact. */
export type FactId = Flavored<"fact">;

export type FactKind =
  | "pin-note"
  | "constraint"
  /** A constraint or pin in a summary of the history. Not enforced, because that text is untrusted. */
  | "reported"
  | "goal"
  /** The text that the user typed in one message, on one line. Not protected; the newest come first. */
  | "user-message"
  | "open-item"
  | "question"
  | "decision"
  /** A definition in the user's words: "the ledger account is acc-7731". */
  | "definition"
  | "identifier"
  | "command"
  /** A notebook cell that was run or edited, with its state. */
  | "notebook-cell"
  | "error"
  | "participant";

/** Only items and questions are `open` or `done`; other facts are `live`. */
export type FactStatus = "live" | "open" | "done";

export interface Fact {
  readonly id: FactId;
  readonly kind: FactKind;
  /** One line, in the words of its source, with secrets replaced. */
  readonly text: string;
  /** The first message with this fact. */
  readonly source: MessageId;
  readonly saidBy: Role;
  readonly status: FactStatus;
  /** Turn of the last use, counted from 0 at the first message that the sheet covers. */
  readonly lastTurn: number;
  /** Number of messages that use it. */
  readonly uses: number;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  /** Weighted uses of a name: `given` by messages and tool inputs, `shown` by tool outputs; later ones weigh more. */
  readonly given?: number | undefined;
  readonly shown?: number | undefined;
  /** The message of a name's last use, counted from 1. */
  readonly lastUse?: number | undefined;
  /** The file that a name belongs to. */
  readonly home?: FactId | undefined;
  /** The use of a file by tools, such as `edited`. */
  readonly use?: string | undefined;
  /** True for a goal that several tasks serve. Finishing a task does not close it. */
  readonly isStanding?: boolean | undefined;
  /** True for the first words of a chat, if they are not a request. Those of later stretches are added to them. */
  readonly isGuess?: boolean | undefined;
  /** True if read from a summary in the history, which is untrusted. */
  readonly isTakenOver?: boolean | undefined;
}

/** The changes by a stretch to the goals of the chain before it. */
export interface GoalChanges {
  /** Number of earlier tasks that it finishes or gives up, the newest first. */
  readonly closed: number;
  /** True if its first task leaves the earlier ones open. */
  readonly isNested?: boolean | undefined;
  /** The sentence in which the user gives up a task by its name. */
  readonly dropped?: string | undefined;
  /** The sentence in which the user returns to an earlier task. */
  readonly returnsTo?: string | undefined;
  /** True if the user states another aim, which replaces all earlier goals. */
  readonly replacesAll?: boolean | undefined;
  /** True if its first goal is only its first words, which count if there is no earlier goal. */
  readonly isGuess?: boolean | undefined;
}

export interface FactSheet {
  readonly facts: readonly Fact[];
  readonly turns: number;
  /** Constraints that did not fit. The next sheet does not report them again. */
  readonly evicted?: readonly FactId[] | undefined;
  readonly messages?: number | undefined;
}

/** The facts of new messages, before they are merged with those of the chain. */
export interface StretchSheet extends FactSheet {
  readonly goalChanges?: GoalChanges | undefined;
  /** Sentences that count only if an earlier statement has the same words: they replace a decision or close an item. */
  readonly hints?: readonly Fact[] | undefined;
}

/** Facts that a summary must contain, and those that did not fit in their share of the budget. */
export interface ProtectedFacts {
  readonly facts: readonly Fact[];
  readonly evicted: readonly Fact[];
  readonly tokens: number;
  /** Tokens of constraints and pin notes if they alone exceed the share, else 0. */
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
  /** A sentence that restates one of the source. Reported only if it contradicts the source. */
  | "statement";

/** A range of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A name, number or date in a text that can be looked up in a source. */
export interface Claim extends Span {
  readonly kind: ClaimKind;
  readonly text: string;
  /** Keys for comparison. A date such as 03/05/2024 has two. */
  readonly keys: readonly string[];
}

/** The result of checking a summary against the messages that it covers. */
export interface VerificationReport {
  /** Share of supported claims and present protected facts; 1 if there are none. */
  readonly score: number;
  readonly claims: number;
  readonly missing: readonly Fact[];
  readonly unsupported: readonly Claim[];
  /** Claims computed from the source: counts, resolved dates, percentages. */
  readonly derived: readonly Claim[];
}

/** Contains no text of messages, so that erasing a message need not change it. */
export interface Verification extends Pick<VerificationReport, "score" | "claims"> {
  readonly derivedClaims: number;
  readonly removedClaims: number;
  /** Facts that the summarizer omitted and code restored. */
  readonly restored: readonly FactId[];
  readonly evicted: readonly FactId[];
  /** Number of lines that code added to a model's text, because they are important and the text did not cover them. */
  readonly addedLines?: number | undefined;
}

/** A line and the messages that it was made from; a heading has none. */
export interface SummaryLine {
  readonly text: string;
  readonly messageIds: readonly MessageId[];
  /** Salience of a story line, from 0 to 1. Folding drops the least salient first. */
  readonly salience?: number | undefined;
}

/** Where a summary comes from that we did not write: a message of the history, or another tool's session file. */
export interface HistoryOrigin {
  readonly type: "history" | "imported";
  /** Its rendering there. */
  readonly renderer: "data" | "policy";
}

/** A summary as the log stores it: text, facets, coverage, sizes, and how it was written and checked. */
export interface SummaryRecord {
  readonly id: SummaryId;
  readonly at: number;
  /** 0 for the first summary of a chain. */
  readonly depth: number;
  readonly parentId?: SummaryId | undefined;
  readonly coverage: Coverage & {
    /** Hash of the parent's `chainHash` and the new stretch; see `chain-hash.ts`. */
    readonly chainHash: string;
  };
  /** Ids of the messages of the new stretch. */
  readonly messageIds: readonly MessageId[];
  /** First message of the last covered round. */
  readonly lastRoundId?: MessageId | undefined;
  readonly text: string;
  /**
   * The lines that code wrote: all lines of a summary by code, or those that code added at the end of a model's text.
   * If the text does not have them, the text takes precedence.
   */
  readonly lines?: readonly SummaryLine[] | undefined;
  readonly keyPoints: readonly string[];
  readonly facets: Facets;
  /** Absent if the text was not verified, such as after a manual edit. */
  readonly verification?: Verification | undefined;
  /** Present if the text is not ours. The messages that it covers are not in the log. */
  readonly origin?: HistoryOrigin | undefined;
  readonly strategy: string;
  readonly model?: string | undefined;
  /** The rule or failure that made code write the text. Contains no text of a provider, which may quote messages. */
  readonly rejected?: { readonly model?: string | undefined; readonly rule: string } | undefined;
  /** Present if the answer lacks the requested lists, so that code made them: it is prose, or its lists are invalid. */
  readonly answeredWith?: "prose" | "invalid-lists" | undefined;
  readonly reason: string;
  readonly instructions?: string | undefined;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Used share of the window when the summary was requested. */
  readonly tokenRatio?: number | undefined;
  /** Number of messages in the view afterwards, including the summary. */
  readonly messageCount?: number | undefined;
  readonly costUsd?: number | undefined;
  /** Covered messages that were truncated before, and so are not in the text. */
  readonly omitted?: { readonly count: number; readonly tokens: number } | undefined;
  /** Tool outputs that the summarizer saw only in part. */
  readonly cutResults?: number | undefined;
  /** `own-prompt` reused the conversation's cached prompt. */
  readonly request?: "transcript" | "own-prompt" | "none" | undefined;
}

/** `previous` is the parent's hash. Hashing messages one by one gives the same result as all at once. */
export function chainHash(previous: string | undefined, messages: readonly Message[]): string {
  return runSteps(chainHashInSteps(previous, messages));
}

export function* chainHashInSteps(
  previous: string | undefined,
  messages: readonly Message[],
): Generator<undefined, string> {
  let hash = previous ?? CHAIN_START;
  for (const [index, message] of messages.entries()) {
    hash = hashText(`${hash}\n${hashMessage(message)}`);
    if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) yield undefined;
  }
  return hash;
}

const HASHED_AT_ONCE = 100;

const CHAIN_START = hashText("");
