/**
 * Pairs results with calls in formats without call ids (Gemini, OpenAI's first functions), by name and order. Decoding
 * one item at a time cannot see the call, so such parts get generated ids, which are never written back. This step runs
 * over the whole list, changes only generated ids, and leaves a result without a call to `repair-messages.ts`.
 */
import { makePartIds } from "../decode-value.ts";
import type { CallId, Extras, Message, Part, ToolCallPart, ToolResultPart } from "../message.ts";

const CALL_ID = "wire:call-id";

/** Marks a call or result whose id is not in the source. */
export const GENERATED_CALL_ID: Extras = { [CALL_ID]: { made: true } };

export function hasGeneratedCallId(part: ToolCallPart | ToolResultPart): boolean {
  return part.extras?.[CALL_ID]?.made === true;
}

export function createCallId(messageId: string, position: number): CallId {
  return `${messageId}-call-${position}`;
}

/** Returns the id of an unmatched result: the tool's name and its number in the item. */
export function createUnmatchedResultId(tool: string, occurrence: number): CallId {
  return `${tool}#${occurrence}`;
}

export function matchCallsByName(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.parts.some(isResultWithGeneratedId))) return messages;
  const waiting = new Map<string, CallId[]>();
  let previousRole: Message["role"] | undefined;
  return messages.map((message) => {
    // A call that is unanswered when the model continues stays unanswered: its result can no longer arrive.
    if (message.role === "assistant" && previousRole !== "assistant") waiting.clear();
    previousRole = message.role;
    for (const part of message.parts)
      if (isCallWithGeneratedId(part)) listForName(waiting, part.tool).push(part.callId);
    return withMatchedResults(message, waiting);
  });
}

function withMatchedResults(message: Message, waiting: ReadonlyMap<string, CallId[]>): Message {
  if (!message.parts.some(isResultWithGeneratedId)) return message;
  const parts = message.parts.map((part) => {
    const callId = isResultWithGeneratedId(part) ? waiting.get(part.tool ?? "")?.shift() : undefined;
    return isResultWithGeneratedId(part) && callId !== undefined ? { ...part, callId } : part;
  });
  return { ...message, parts };
}

function isCallWithGeneratedId(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.byProvider !== true && hasGeneratedCallId(part);
}

function isResultWithGeneratedId(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && part.byProvider !== true && hasGeneratedCallId(part);
}

function listForName(lists: Map<string, CallId[]>, name: string): CallId[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

// Formats without a role for tool results put them into the user's item, before the user's own content.

/** Splits a user's item with tool results into a tool message and a user message. */
export function splitAnswers(message: Message): readonly Message[] {
  const { id, role, parts } = message;
  const results = parts.filter((part) => part.type === "tool-result");
  if (role !== "user" || results.length === 0) return [message];
  const words = parts.filter((part) => part.type !== "tool-result");
  if (words.length === 0) return [{ ...message, role: "tool" }];
  const [first = id, second = id] = makePartIds(id, 2);
  return [
    { ...message, id: first, role: "tool", parts: results },
    { id: second, role: "user", parts: words },
  ];
}

/** Groups adjacent tool messages, and the user message after them if it joins. */
export function groupAnswers(
  messages: readonly Message[],
  joins: (words: Message, answers: Message) => boolean,
): readonly (readonly Message[])[] {
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
