/** A line that could stand in the story of a summary, with what its score is computed from. */
import type { Message, MessageId } from "../../message/message.ts";
import type { Fact, FactKind, SummaryRecord } from "../record/record.ts";

export interface Candidate {
  /** The line with its speaker, without bullet and date. */
  readonly body: string;
  /** Write the line in more of its words, then in all of them. */
  readonly fuller?: readonly (() => string)[] | undefined;
  /** Its source, with secrets replaced: its names must be found there. */
  readonly raw: string;
  readonly date?: string | undefined;
  readonly order: number;
  /** Undefined if an earlier summary said it. */
  readonly messageId?: MessageId | undefined;
  /** All messages it was made from, if not only its own. */
  readonly messageIds?: readonly MessageId[] | undefined;
  /** In a talk, the number of its message. */
  readonly turn?: number | undefined;
  readonly salience?: number | undefined;
  /** The factor of its words, by who said it and what it does. */
  readonly weight: number;
}

export function sourcesOf({ messageId, messageIds }: Candidate): readonly MessageId[] {
  return messageIds === undefined ? (messageId === undefined ? [] : [messageId]) : [...new Set(messageIds)];
}

export type ConversationKind = "talk" | "work";

const OF_WORK: ReadonlySet<FactKind> = new Set(["command", "notebook-cell", "error"]);

/** A summary read back from its text has only names: those that tools were given or that have a file. */
function isOfWork({ kind, isTakenOver, saidBy, use }: Fact): boolean {
  return OF_WORK.has(kind) || (isTakenOver === true && (use !== undefined || saidBy === "assistant"));
}

/** Decides whether people talk or an agent works, by its tool calls. Once work, a conversation stays work. */
export function findConversationKind(
  messages: readonly Message[],
  previous?: Pick<SummaryRecord, "facets"> | undefined,
): ConversationKind {
  const hasCalls = messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const hasWorked = previous?.facets.sheet?.facts.some(isOfWork) === true;
  return hasCalls || hasWorked ? "work" : "talk";
}
