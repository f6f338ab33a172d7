/**
 * Where a wire has no role for tool results they stand in the user's item, before anything else that the user says
 * there. This file only groups: adjacent tool messages and the user message that directly follows them.
 */
import type { Message } from "../message.ts";

export function groupAnswers(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  let open: Message[] | undefined;
  for (const message of messages) {
    const answers = message.role === "tool";
    if (open !== undefined && (answers || message.role === "user")) open.push(message);
    else groups.push([message]);
    open = answers ? groups.at(-1) : undefined;
  }
  return groups;
}
