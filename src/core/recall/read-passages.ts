/**
 * Splits messages and files into passages that can be quoted: text by sentence, tool output by line, structured output
 * by value. Omits reasoning, system text, recalled passages and earlier answers of the offline model.
 */
import { textPieces } from "../language/text-pieces.ts";
import type { JsonValue } from "../message/json.ts";
import type { Message, MessageId, Part, Role, ToolOutput } from "../message/message.ts";
import { isRecallBlock } from "../message/recall-marks.ts";
import { takeHead } from "../message/whole-text.ts";
import { isQuestion } from "../summary/read/find-demands.ts";
import { splitSentences } from "../summary/text/split-sentences.ts";
import { isOwnAnswer } from "./phrases.ts";

/** Yields pieces of a few kilobytes, so that the caller can yield to the event loop. */
export function* readPassages(message: Message): Generator<readonly Passage[], void> {
  const { id, role, name, saidAt, parts } = message;
  if (role === "system" || (role === "assistant" && isOwnAnswer(textOfPart(parts[0])))) return;
  for (const part of parts) {
    for (const lines of linesOf(part)) {
      yield lines.map((text) => ({ text, source: id, saidBy: role, name, saidAt, isQuestion: isAsking(text, role) }));
    }
  }
}

export function* readFilePassages({ path, text }: RecallFile): Generator<readonly Passage[], void> {
  for (const piece of textPieces(text)) {
    yield linesIn(piece).map((line) => ({ text: line, source: path, saidBy: "file", isQuestion: false }));
  }
}

function isAsking(text: string, role: Message["role"]): boolean {
  return role !== "tool" && ((isQuestion(text) && !TAG.test(text)) || REQUEST.test(text));
}

/** Matches a statement that ends in a tag question. */
const TAG =
  /,\s(?:right|correct|yes|no|okay|you know|isn't it|aren't (?:they|we|you)|don't you think|oder|nicht wahr|gell|verdad|no)\?$/i;

/** Matches a question without a question mark. */
const REQUEST =
  /^(?:what|who|when|where|why|how|which|can|could|would|will|do|does|did|is|are)\s(?:you|we|i|the|it|there|is|are|do|does|did|was|were|much|many)\b[^.!]*$|[吗呢][。]?$|(?:です|ます|でした|ました)か[。]?$/iu;

function textOfPart(part: Part | undefined): string {
  return part?.type === "text" ? part.text : "";
}

function* linesOf(part: Part): Generator<readonly string[], void> {
  if (part.type === "text") {
    if (isRecallBlock(part.text)) return;
    const state = { isFenced: false };
    for (const piece of textPieces(part.text)) yield splitSentences(piece, state).map(({ text }) => cutPassage(text));
  } else if (part.type === "tool-result") yield* outputLines(part.output);
}

function* outputLines(output: ToolOutput): Generator<readonly string[], void> {
  switch (output.type) {
    case "text":
      if (isRecallBlock(output.text)) return;
      for (const piece of textPieces(output.text)) yield linesIn(piece);
      return;
    case "json":
      yield valueLines(output.value);
      return;
    case "parts":
      for (const part of output.parts) if (part.type === "text") yield linesIn(part.text);
      return;
    default:
      output satisfies never;
  }
}

function linesIn(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((line) => {
    const trimmed = line.trim();
    return /[\p{L}\p{N}]/u.test(trimmed) ? [cutPassage(trimmed)] : [];
  });
}

/** Writes the scalar values of an object as one line, "name: …, price: …", and nested values as their own lines. */
function valueLines(root: JsonValue): readonly string[] {
  const lines: string[] = [];
  const open: JsonValue[] = [root];
  // Without recursion, because a deeply nested value would overflow the stack.
  for (let index = 0; index < open.length; index += 1) {
    const value = open[index];
    if (typeof value !== "object" || value === null) {
      if (value !== undefined && value !== null) lines.push(...linesIn(String(value)));
      continue;
    }
    const fields = Object.entries(value);
    const plain = fields.filter(([, field]) => typeof field !== "object" || field === null);
    if (plain.length > 0) lines.push(cutPassage(plain.map(([key, field]) => nameField(key, String(field))).join(", ")));
    for (const [, field] of fields) if (typeof field === "object" && field !== null) open.push(field);
  }
  return lines;
}

function nameField(key: string, text: string): string {
  return /^\d+$/.test(key) ? text : `${key}: ${text.replace(/\s+/g, " ")}`;
}

/** Longer lines are data; their start identifies them. */
const MAX_PASSAGE_CHARACTERS = 1_000;

function cutPassage(text: string): string {
  return takeHead(text, MAX_PASSAGE_CHARACTERS);
}

/** A sentence or line that can be quoted, and its source. */
export interface Passage {
  /** One line. */
  readonly text: string;
  /** Id of its message, or path of its file. */
  readonly source: MessageId;
  readonly saidBy: Role | "file";
  /** The speaker's name, if several share a role. */
  readonly name?: string | undefined;
  readonly saidAt?: number | undefined;
  /** Questions are never quoted as answers. */
  readonly isQuestion: boolean;
}

/** The part of a workspace file that may be quoted. */
export interface RecallFile {
  readonly path: string;
  readonly text: string;
}
