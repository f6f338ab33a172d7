/** A line that could stand in the story of a summary, with what its score is computed from. */
import type { Message, MessageId } from "../../message/message.ts";
import type { Fact, FactKind, SummaryRecord } from "../record/record.ts";

export interface Candidate {
  /** The line with who said it before it, without the mark of the list and without its date. */
  readonly body: string;
  /** Writes the same in more of the words in which it was said, and in all of them. */
  readonly fuller?: readonly (() => string)[] | undefined;
  /** Its source, with secrets replaced: its names must be found there. */
  readonly raw: string;
  /** The day it was said, where the source knows. */
  readonly date?: string | undefined;
  /** Its place in the story. */
  readonly order: number;
  /** Its message, or undefined where an earlier summary said it. */
  readonly messageId?: MessageId | undefined;
  /** All messages that it was made from, where they are others than its own. */
  readonly messageIds?: readonly MessageId[] | undefined;
  /** The number of its message, where people talk: what is near belongs together. */
  readonly turn?: number | undefined;
  /** Its salience in an earlier summary, from 0 to 1. */
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

/**
 * Decides whether people talk or an agent works. Tool calls make the difference: of a talk a summary keeps who said
 * what and when, of work what was done to what and how it ended. A conversation in which an agent has worked before
 * stays work, even while it only talks.
 */
export function findConversationKind(
  messages: readonly Message[],
  previous?: Pick<SummaryRecord, "facets"> | undefined,
): ConversationKind {
  const hasCalls = messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const hasWorked = previous?.facets.sheet?.facts.some(isOfWork) === true;
  return hasCalls || hasWorked ? "work" : "talk";
}
