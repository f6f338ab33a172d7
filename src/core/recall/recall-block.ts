/**
 * Writes recalled passages as one closed block of text that the model reads as quotations. A passage is one line, so
 * that its text cannot imitate a turn or the end of the block. `recall-marks.ts` recognizes a block that is sent back.
 */
import { findCalendarDay, writeDay } from "../language/calendar-day.ts";
import type { MessageId, Role } from "../message/message.ts";
import { CONTINUATION, RECALL_END, RECALL_TITLE } from "../message/recall-marks.ts";
import { takeHead } from "../message/whole-text.ts";
import { escapeMarks } from "../summary/record/cover-text.ts";

/** A hidden message, or part of it, that a recalled block quotes. */
export interface RecalledPassage {
  readonly messageId: MessageId;
  /** Id of the session that has the message, if it is not the one that the block is for. */
  readonly otherSessionId?: string | undefined;
  readonly role: Role;
  /** The speaker's name, if the message has one. */
  readonly name?: string | undefined;
  readonly saidAt?: number | undefined;
  /** The message's sentences, or those around the best one. One line. */
  readonly text: string;
  /** False if the text is a part of the message. */
  readonly isWhole: boolean;
  /** Words of the query that the message or its neighbors have. */
  readonly words: readonly string[];
  readonly score: number;
}

interface BlockOptions {
  readonly write?: ((passage: RecalledPassage) => string) | undefined;
  /** Id of the message from which a later call can continue. */
  readonly nextId?: MessageId | undefined;
}

/** Writes passages in the given order. A date line precedes the passages of a day. */
export function writeRecallBlock(
  passages: readonly RecalledPassage[],
  { write = writePassage, nextId }: BlockOptions = {},
): string {
  const lines = [RECALL_TITLE];
  let lastDay: string | undefined;
  for (const passage of passages) {
    const day = dayOf(passage);
    if (day !== lastDay && day !== undefined) lines.push(`${day}:`);
    lastDay = day;
    lines.push(write(passage));
  }
  if (nextId !== undefined) lines.push(`${CONTINUATION}${cleanLabel(nextId)}]`);
  return [...lines, RECALL_END].join("\n");
}

/** Removes passages from a block by their place in it. Returns an empty text if none is left. */
export function omitPassages(text: string, isOmitted: readonly boolean[]): string {
  if (!isOmitted.includes(true)) return text;
  const [title = "", ...lines] = text.split("\n");
  const kept: string[] = [title];
  let day: string | undefined;
  let place = 0;
  for (const line of lines.slice(0, -1)) {
    if (!line.startsWith("- ")) day = line;
    else if (isOmitted[place++] !== true) {
      if (day !== undefined) kept.push(day);
      day = undefined;
      kept.push(line);
    }
  }
  return kept.length === 1 ? "" : [...kept, RECALL_END].join("\n");
}

export function writePassage(passage: RecalledPassage): string {
  const quoted = escapeText(passage.text);
  return `${writeSource(passage)}: ${passage.isWhole ? quoted : `… ${quoted} …`}`;
}

/** Writes a message with its lines, each marked as quoted. */
export function writeOriginal(passage: RecalledPassage): string {
  const lines = passage.text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u).map(escapeText);
  const head = `${writeSource(passage)}: ${passage.isWhole ? "the message" : "the beginning of the message"}`;
  return [head, ...lines.map((line) => `> ${line}`)].join("\n");
}

function writeSource({ messageId, otherSessionId, role, name }: RecalledPassage): string {
  const speaker = name === undefined || name.trim() === "" ? role : cleanLabel(name);
  const place = otherSessionId === undefined ? "" : ` in the conversation ${cleanLabel(otherSessionId)}`;
  return `- ${speaker} [${cleanLabel(messageId)}${place}]`;
}

/** Quoted text cannot look like the end of the block, a role's tag or a control token, and hides no characters. */
function escapeText(text: string): string {
  return escapeMarks(text.replaceAll(HIDDEN, ""))
    .replaceAll("<|", "<\\|")
    .replaceAll(TEMPLATE_MARK, "\\$&")
    .replaceAll(ROLE_TAG, "<\\")
    .replaceAll("［", "\\［");
}

/**
 * Control characters, zero-width spaces, marks that change the direction of writing, and tag characters that spell
 * hidden text, but no characters that join letters.
 */
const HIDDEN = /(?!\s)\p{Cc}|[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e01ef}]/gu;
/** Matches marks of roles in the templates of open models. */
const TEMPLATE_MARK = /\[\/?INST\]|<<\/?SYS>>/gi;
const ROLE_TAG =
  /<(?=\/?(?:system|developer|user|assistant|human|tools?|tool_\w+|function_\w+|invoke|(?:start|end)_of_turn|think|thinking|reasoning|instructions?|recalled|conversation-summary)\b)/gi;

export function dayOf({ saidAt }: RecalledPassage): string | undefined {
  const day = saidAt === undefined ? undefined : findCalendarDay(saidAt);
  return day && writeDay(day);
}

const MAX_LABEL_CHARACTERS = 64;

function cleanLabel(label: string): string {
  const line = label.slice(0, 4 * MAX_LABEL_CHARACTERS).replace(/[\p{C}\p{Z}[\]<>":]+/gu, " ");
  return takeHead(line.trim(), MAX_LABEL_CHARACTERS);
}
