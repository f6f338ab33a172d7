/**
 * Sees from the messages whether people are talking or an agent is at work. Tools are what tells them apart: what is
 * worth keeping of talk is who said what and when, of work what was done to what and how it ended. A conversation in
 * which an agent has worked before stays work, also where it only talks for a while.
 */
import type { Message } from "../../message/message.ts";
import type { Fact, FactKind, SummaryRecord } from "../record/record.ts";

export type ConversationKind = "talk" | "work";

const OF_WORK: ReadonlySet<FactKind> = new Set(["command", "notebook-cell", "error"]);

/** Of a summary that was read from its text only names are left to tell: those that tools were given or had a file. */
function isOfWork({ kind, isTakenOver, saidBy, use }: Fact): boolean {
  return OF_WORK.has(kind) || (isTakenOver === true && (use !== undefined || saidBy === "assistant"));
}

export function seeKind(
  messages: readonly Message[],
  previous?: Pick<SummaryRecord, "facets"> | undefined,
): ConversationKind {
  const hasCalls = messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const hasWorked = previous?.facets.sheet?.facts.some(isOfWork) === true;
  return hasCalls || hasWorked ? "work" : "talk";
}
