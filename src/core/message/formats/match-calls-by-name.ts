/**
 * Wires without call ids (Gemini, OpenAI's first functions) tell a result's call by its name and its order. Decoding
 * one item at a time cannot see the call, so such parts get ids that are made here and never written back, and this
 * step, over the whole list, gives each result the id of the call that it answers.
 *
 * It touches only ids that were made. A result without a call keeps its own; mending that is `repair-messages.ts`.
 */
import type { CallId, Extras, Message, Part, ToolCallPart, ToolResultPart } from "../message.ts";

const CALL_ID = "wire:call-id";

/** The mark of a call or result whose id is not on the wire. */
export const MADE_CALL_ID: Extras = { [CALL_ID]: { made: true } };

export function hasMadeCallId(part: ToolCallPart | ToolResultPart): boolean {
  return part.extras?.[CALL_ID]?.made === true;
}

export function madeCallId(messageId: string, position: number): CallId {
  return `${messageId}-call-${position}`;
}

/** The id of a result until it is matched: the tool's name and which of that name it is in its item. */
export function unmatchedResultId(tool: string, occurrence: number): CallId {
  return `${tool}#${occurrence}`;
}

export function matchCallsByName(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.parts.some(isMadeResult))) return messages;
  const waiting = new Map<string, CallId[]>();
  let previousRole: Message["role"] | undefined;
  return messages.map((message) => {
    // What a new turn of the model leaves unanswered stays so: its answer can no longer come.
    if (message.role === "assistant" && previousRole !== "assistant") waiting.clear();
    previousRole = message.role;
    for (const part of message.parts) if (isMadeCall(part)) listOf(waiting, part.tool).push(part.callId);
    return withMatchedResults(message, waiting);
  });
}

function withMatchedResults(message: Message, waiting: ReadonlyMap<string, CallId[]>): Message {
  if (!message.parts.some(isMadeResult)) return message;
  const parts = message.parts.map((part) => {
    const callId = isMadeResult(part) ? waiting.get(part.tool ?? "")?.shift() : undefined;
    return isMadeResult(part) && callId !== undefined ? { ...part, callId } : part;
  });
  return { ...message, parts };
}

function isMadeCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.byProvider !== true && hasMadeCallId(part);
}

function isMadeResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && part.byProvider !== true && hasMadeCallId(part);
}

function listOf(lists: Map<string, CallId[]>, name: string): CallId[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

// Where a wire has no role for tool results they stand in the user's item, before anything else that the user says
// there. This file only groups: adjacent tool messages, and the user message directly after them where it joins.
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
