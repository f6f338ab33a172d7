/** A line that may become part of a summary, with the values that its score is computed from. */
import type { Message, MessageId } from "../../message/message.ts";
import type { StoryLine } from "../record/layout.ts";
import type { Fact, FactKind, SummaryRecord } from "../record/record.ts";

export interface Candidate extends StoryLine {
  /** Functions that write the line with more of its words, then with all of them. */
  readonly fuller?: readonly (() => string)[] | undefined;
  /** The source text, with secrets replaced. The names of the line must be in it. */
  readonly raw: string;
  readonly order: number;
  /** Undefined for a line of an earlier summary. */
  readonly messageId?: MessageId | undefined;
  /** Position of its message in a `talk` conversation. */
  readonly turn?: number | undefined;
  /** Factor of its score, by the speaker and the kind of sentence. */
  readonly weight: number;
}

export function sourcesOf({ messageId, messageIds }: Candidate): readonly MessageId[] {
  return messageIds === undefined ? (messageId === undefined ? [] : [messageId]) : [...new Set(messageIds)];
}

export type ConversationKind = "talk" | "work";

const OF_WORK: ReadonlySet<FactKind> = new Set(["command", "notebook-cell", "error"]);

/** Returns true for facts of an agent's work. In a parsed summary, names and the user's words are such facts. */
function isOfWork({ kind, isTakenOver, saidBy, use }: Fact): boolean {
  if (OF_WORK.has(kind)) return true;
  return isTakenOver === true && (use !== undefined || saidBy === "assistant" || kind === "user-message");
}

/** Returns `work` if the conversation has tool calls, now or in an earlier summary, else `talk`. */
export function findConversationKind(
  messages: readonly Message[],
  previous?: Pick<SummaryRecord, "facets"> | undefined,
): ConversationKind {
  const hasCalls = messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const hasWorked = previous?.facets.sheet?.facts.some(isOfWork) === true;
  return hasCalls || hasWorked ? "work" : "talk";
}
