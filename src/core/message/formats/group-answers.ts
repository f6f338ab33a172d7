/**
 * Where a wire has no role for tool results they stand in the user's item, before anything else that the user says
 * there. This file only groups: adjacent tool messages, and the user message directly after them where it joins.
 */
import type { Message } from "../message.ts";

export type JoinsAnswers = (words: Message, answers: Message) => boolean;

export function groupAnswers(messages: readonly Message[], joins: JoinsAnswers): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const continues =
      before?.role === "tool" && (message.role === "tool" || (message.role === "user" && joins(message, before)));
    if (group !== undefined && continues) group.push(message);
    else groups.push([message]);
  }
  return groups;
}
