/** Breaks a conversation in one named way. Each breakage applies to any history; `at`, from 0 to below 1, is the place. */
import { listAnsweredIds, listCallIds, type Message, type Part, type ToolResultPart } from "../core/message/message.ts";
import { textPart, toolResultPart } from "./builders.ts";

export type BreakageName = keyof typeof APPLY;

export interface Breakage {
  readonly name: BreakageName;
  apply(history: readonly Message[], at: number): readonly Message[];
}

const APPLY = {
  "orphan-result": (history, at) =>
    insert(history, placeIn(history, at), [
      { id: freshId(history), role: "tool", parts: [toolResultPart(freshCallId(history), "nobody asked")] },
    ]),

  "unanswered-call": (history, at) => {
    const { messages, result } = findResult(history, at);
    const silent = messages.flatMap((message) => withoutResults(message, result.part.callId));
    // Without a later message the round would only be unfinished.
    const last = silent.at(-1);
    const isOver = last !== undefined && (isPlain(last, "user") || isPlain(last, "assistant"));
    return isOver ? silent : [...silent, newMessage(messages, "user", "Never mind.")];
  },

  "repeated-message": (history, at) => {
    const { messages, index, message } = findMessage(history, at);
    return insert(messages, placeAfter(messages, index, at), [message]);
  },

  "conflicting-message": (history, at) => {
    const { messages, index, message } = findMessage(history, at);
    return insert(messages, placeAfter(messages, index, at), [{ ...message, parts: [textPart("Something else.")] }]);
  },

  "repeated-result": (history, at) => {
    const { messages, result } = findResult(history, at);
    const again: Part = { ...result.part, output: { type: "text", text: "the same, again" } };
    return insert(messages, result.index + 1, [{ id: freshId(messages), role: "tool", parts: [again] }]);
  },

  "repeated-call-id": (history, at) => {
    const { messages, call } = findResult(history, at);
    const ids = listCallIds(call.message);
    const round = messages.filter(
      (message, index) => index === call.index || listAnsweredIds(message).some((id) => ids.includes(id)),
    );
    const taken = [...messages];
    const copies = round.map((message) => {
      const copy = { ...message, id: freshId(taken) };
      taken.push(copy);
      return copy;
    });
    return [...messages, newMessage(taken, "user", "Do that again."), ...copies];
  },

  "empty-message": (history, at) =>
    insert(history, placeIn(history, at), [{ id: freshId(history), role: at < 0.5 ? "assistant" : "user", parts: [] }]),

  "blank-message": (history, at) =>
    insert(history, placeIn(history, at), [
      newMessage(history, at < 0.5 ? "user" : "assistant", at < 0.3 ? "" : " \n\t"),
    ]),

  "blank-part": (history, at) => {
    const { messages, index, message } = findUserMessage(history, at);
    return messages.with(index, { ...message, parts: [textPart(at < 0.5 ? "" : "\n"), ...message.parts] });
  },

  "two-users": (history, at) => addSecond(history, at, "user"),

  "two-assistants": (history, at) => addSecond(history, at, "assistant"),

  "result-before-call": (history, at) => {
    const { messages, call, result } = findResult(history, at);
    return insert(messages.toSpliced(result.index, 1), call.index, [result.message]);
  },

  "result-after-user": (history, at) => {
    const { messages, result } = findResult(history, at);
    const rest = messages.toSpliced(result.index, 1);
    const later = rest.findIndex((message, index) => index >= result.index && message.role === "user");
    if (later !== -1) return insert(rest, later + 1, [result.message]);
    return [...rest, newMessage(messages, "user", "Are you still there?"), result.message];
  },

  "mixed-results": (history, at) => {
    const { messages, result } = findResult(history, at);
    const orphan = toolResultPart(freshCallId(messages), "nobody asked");
    const parts = at < 0.5 ? [orphan, ...result.message.parts] : [...result.message.parts, orphan];
    return messages.with(result.index, { ...result.message, parts });
  },

  "system-in-middle": (history, at) => {
    const { messages, index } = findUserMessage(history, at);
    return insert(messages, index + 1, [newMessage(messages, "system", "From now on answer in French.")]);
  },

  "misplaced-part": (history, at) => {
    const { messages, index, message } = findMessage(history, at);
    return messages.with(index, { ...message, parts: [...message.parts, foreignPart(message, messages)] });
  },
} satisfies Record<string, Breakage["apply"]>;

export const BREAKAGE_NAMES = Object.keys(APPLY) as readonly BreakageName[];

export const BREAKAGES: readonly Breakage[] = BREAKAGE_NAMES.map((name) => ({ name, apply: APPLY[name] }));

/** Returns a part that a message of this role must not have. */
function foreignPart({ role }: Message, messages: readonly Message[]): Part {
  const callId = freshCallId(messages);
  switch (role) {
    case "user":
      return { type: "tool-call", callId, tool: "read_file", input: {} };
    case "assistant":
      return toolResultPart(callId, "the host answered in the wrong place");
    case "system":
      return { type: "image", source: { type: "url", url: "https://example.com/logo.png" } };
    case "tool":
      return { type: "reasoning", text: "A tool does not think." };
    default:
      return role satisfies never;
  }
}

function addSecond(history: readonly Message[], at: number, role: "user" | "assistant"): readonly Message[] {
  const exists = history.some((message) => isPlain(message, role));
  const messages = exists ? history : [...history, newMessage(history, role, "Hello.")];
  const places = messages.flatMap((message, index) => (isPlain(message, role) ? [index] : []));
  const index = places[placeOf(places, at)] ?? messages.length - 1;
  return insert(messages, index + 1, [newMessage(messages, role, "One more thing.")]);
}

/** Returns whether a message has no calls, so that another message may follow it. */
function isPlain(message: Message, role: "user" | "assistant"): boolean {
  return message.role === role && listCallIds(message).length === 0;
}

interface FoundMessage {
  readonly messages: readonly Message[];
  readonly index: number;
  readonly message: Message;
}

function findMessage(history: readonly Message[], at: number): FoundMessage {
  const messages = history.length > 0 ? history : [newMessage(history, "user", "Hello.")];
  const index = placeOf(messages, at);
  return messageAt(messages, index);
}

/** Finds a message of the user, or adds one. */
function findUserMessage(history: readonly Message[], at: number): FoundMessage {
  const places = history.flatMap((message, index) => (isPlain(message, "user") ? [index] : []));
  const index = places[placeOf(places, at)];
  if (index !== undefined) return messageAt(history, index);
  return messageAt([...history, newMessage(history, "user", "Hello.")], history.length);
}

interface FoundResult {
  readonly messages: readonly Message[];
  readonly call: { readonly index: number; readonly message: Message };
  readonly result: { readonly index: number; readonly message: Message; readonly part: ToolResultPart };
}

/** Finds a result after its call. If there is none, adds a round at the end. */
function findResult(history: readonly Message[], at: number): FoundResult {
  const all = resultsOf(history);
  const chosen = all[placeOf(all, at)];
  return chosen ?? findResult([...history, ...newRound(history)], 0);
}

function resultsOf(messages: readonly Message[]): readonly FoundResult[] {
  const calls = new Map<string, number>();
  return messages.flatMap((message, index) => {
    for (const id of listCallIds(message)) calls.set(id, index);
    return message.parts.flatMap((part) => {
      const callIndex = part.type === "tool-result" && part.byProvider !== true ? calls.get(part.callId) : undefined;
      const call = callIndex === undefined ? undefined : messages[callIndex];
      if (part.type !== "tool-result" || callIndex === undefined || call === undefined || callIndex === index)
        return [];
      return [{ messages, call: { index: callIndex, message: call }, result: { index, message, part } }];
    });
  });
}

function newRound(history: readonly Message[]): readonly Message[] {
  const callId = freshCallId(history);
  const asked = newMessage(history, "user", "Look it up.");
  const call: Message = {
    id: freshId([...history, asked]),
    role: "assistant",
    parts: [{ type: "tool-call", callId, tool: "read_file", input: { path: "notes.md" } }],
  };
  const result: Message = {
    id: freshId([...history, asked, call]),
    role: "tool",
    parts: [toolResultPart(callId, "found")],
  };
  return [asked, call, result];
}

function newMessage(history: readonly Message[], role: "user" | "assistant" | "system", text: string): Message {
  return { id: freshId(history), role, parts: [textPart(text)] };
}

function messageAt(messages: readonly Message[], index: number): FoundMessage {
  const message = messages[index];
  if (message === undefined) throw new TypeError(`No message at ${index} of ${messages.length}.`);
  return { messages, index, message };
}

/** Returns the message without its results for this call, or none if nothing else is left. */
function withoutResults(message: Message, callId: string): readonly Message[] {
  if (!listAnsweredIds(message).includes(callId)) return [message];
  const parts = message.parts.filter((part) => part.type !== "tool-result" || part.callId !== callId);
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function insert(messages: readonly Message[], index: number, added: readonly Message[]): readonly Message[] {
  return messages.toSpliced(index, 0, ...added);
}

/** Returns the index of an item; 0 in an empty list. */
function placeOf(items: readonly unknown[], at: number): number {
  return Math.floor(at * items.length);
}

/** Returns an index between two messages or at either end. */
function placeIn(messages: readonly Message[], at: number): number {
  return Math.floor(at * (messages.length + 1));
}

/** Returns an index after the message. */
function placeAfter(messages: readonly Message[], index: number, at: number): number {
  const room = messages.length - index;
  return index + 1 + Math.floor(((at * 7) % 1) * room);
}

function freshId(messages: readonly Message[]): string {
  return makeUnique("x", new Set(messages.map((message) => message.id)));
}

function freshCallId(messages: readonly Message[]): string {
  const taken = messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-call" || part.type === "tool-result" ? [part.callId] : [])),
  );
  return makeUnique("lost-", new Set(taken));
}

function makeUnique(prefix: string, taken: ReadonlySet<string>): string {
  let count = 0;
  while (taken.has(`${prefix}${count}`)) count += 1;
  return `${prefix}${count}`;
}
