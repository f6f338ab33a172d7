/**
 * Reads what a prompt should recall passages for: the newest request of the user. Inside a tool loop, also the paths,
 * names and failures that the last round touched.
 */
import { splitWords } from "../language/words.ts";
import type { JsonValue } from "../message/json.ts";
import type { Message, Part } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { isRecallBlock } from "../message/recall-marks.ts";
import { takeHead, takeTail } from "../message/whole-text.ts";

/** In a long message the request is before or after pasted text. */
const MAX_END_CHARACTERS = 1_000;
const MAX_VALUE_CHARACTERS = 200;
const MAX_LINES = 6;

export interface RecallRequest {
  readonly text: string;
  /** False inside a tool loop. */
  readonly startsTurn: boolean;
}

/**
 * Expects the newest messages in order. `follows` tells for a place whether no message is hidden before it. Returns
 * undefined without a request, and if it was answered.
 */
export function readRecallRequest(
  messages: readonly Message[],
  follows: (place: number) => boolean,
): RecallRequest | undefined {
  const last = messages.at(-1);
  if (last?.role === "assistant" && !last.parts.some(({ type }) => type === "tool-call")) return undefined;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  if (asked === -1) return undefined;
  let first = asked;
  while (first > 0 && messages[first - 1]?.role === "user" && follows(first)) first -= 1;
  const said = messages
    .slice(first, asked + 1)
    .map(ownTextOf)
    .join("\n")
    .trim();
  const startsTurn = asked === messages.length - 1;
  const touched = startsTurn ? [] : readTouched(messages.slice(asked + 1));
  const text = [takeEnds(said), ...touched].join("\n").trim();
  return text === "" ? undefined : { text, startsTurn };
}

function ownTextOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" && !isRecallBlock(part.text) ? [part.text] : [])).join("\n");
}

function takeEnds(text: string): string {
  return text.length <= 2 * MAX_END_CHARACTERS
    ? text
    : `${takeHead(text, MAX_END_CHARACTERS)}\n${takeTail(text, MAX_END_CHARACTERS)}`;
}

/** Returns the values of the newest calls and the lines about failures in their results. */
function readTouched(messages: readonly Message[]): readonly string[] {
  const last = messages.findLastIndex(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const lines = messages.slice(Math.max(0, last)).flatMap(({ parts }) => parts.flatMap(readPartValues));
  return [...new Set(lines)].slice(0, MAX_LINES);
}

function readPartValues(part: Part): readonly string[] {
  if (part.type === "tool-call") return valuesIn(part.input).filter((value) => splitWords(value).length > 0);
  if (part.type !== "tool-result") return [];
  return outputText(part.output)
    .split("\n")
    .filter((line) => FAILURE.test(line))
    .map((line) => takeHead(line.trim(), MAX_VALUE_CHARACTERS))
    .slice(0, 2);
}

const FAILURE = /\b(?:error|exception|failed|failure|cannot|not found|denied|undefined)\b/iu;

function valuesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return value.length <= MAX_VALUE_CHARACTERS ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((field) => (typeof field === "string" ? valuesIn(field) : []));
}
