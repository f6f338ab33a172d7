/**
 * Notes of ours inside a message that was handed in: the placeholder for what was pruned, and the marker of a cut. A
 * prompt had shown the message so. The log keeps it as it came; a summary is made of the words that are left.
 */

import { GAP } from "./failure-lines.ts";
import { KnownForms } from "./known-forms.ts";
import type { Message, Part } from "./message.ts";
import { isFallbackId } from "./message-ids.ts";

export type OwnNote =
  | { readonly type: "placeholder"; readonly note: string; readonly rest: string }
  | ({ readonly type: "cut" } & ReadMarker);

export function readOwnNote(part: Part): OwnNote | undefined {
  const text = textOf(part);
  if (text === undefined) return undefined;
  const pruned = readPlaceholder(text);
  // Above words of a person a note is a part of them.
  if (pruned !== undefined && (part.type === "tool-result" || pruned.rest === "")) {
    return { type: "placeholder", ...pruned };
  }
  const cut = readCutMarker(text);
  return cut && { type: "cut", ...cut };
}

const known = new KnownForms<Message>();

/** The message without notes of ours, for those who read it for a summary. */
export function withoutOwnNotes(message: Message): Message {
  const before = known.get(message);
  if (before !== undefined) return before;
  const parts = message.parts.map(withoutNote);
  const isSame = parts.every((part, index) => part === message.parts[index]);
  const form = isSame ? message : { ...message, parts };
  known.set(message, form);
  return form;
}

function withoutNote(part: Part): Part {
  const read = readOwnNote(part);
  if (read === undefined) return part;
  const text = read.type === "placeholder" ? read.rest : read.text;
  return part.type === "tool-result" ? { ...part, output: { type: "text", text } } : { type: "text", text };
}

function textOf(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}

// The note that stands for what was pruned, written and read back: what was there, how long it was, why it went, and
// how to get it back. A host that keeps the messages of a prompt gives such notes back; they are no words of the
// tool's.
export interface Placeholder {
  readonly what: string;
  /** True when some of it is shown below the note. */
  readonly isShortened: boolean;
  /** Why it is not needed; without it, to save room. */
  readonly why: string | undefined;
  readonly sizes: readonly string[];
  readonly messageId: string;
}

export function writePlaceholder({ what, isShortened, why, sizes, messageId }: Placeholder): string {
  const reason = why === undefined ? "to save room" : `because ${why}`;
  const went = `${what} ${isShortened ? "shortened" : "removed"} ${reason}`;
  return `[${went}: ${sizes.join(", ")}. Recall message ${messageId} to read it.]`;
}

const NOTE =
  /^\[(?:Output of|An image|An attached file)[^\n]{0,250} (?:removed to save room|shortened to save room|(?:removed|shortened) because message [^\n]{1,250}): \d{1,12} tokens[^\n]{0,150}\. Recall message [^\n]{1,250} to read it\.\](?:\n|$)/;
/** Longest placeholder of a prune. A longer text is the tool's own, whatever it begins with. */
const LONGEST_REST = 2_000;

/** The note at the beginning of a text and what stands below it. */
export function readPlaceholder(text: string): { readonly note: string; readonly rest: string } | undefined {
  const [found] = NOTE.exec(text) ?? [];
  if (found === undefined) return undefined;
  const rest = text.slice(found.length);
  const isOurs = rest.length <= LONGEST_REST && (rest !== "") === found.endsWith("\n");
  return isOurs ? { note: found.trimEnd(), rest } : undefined;
}

// The marker that stands in the middle of a text that was cut, written and read back: how much is missing, names of
// what went, and where all of it is.
/** Stands in a marker for the number of characters that it takes the place of. */
export const LEFT_OUT = "{left-out}";

/** Texts in place of the middle: alone, after names, and before lines about a failure that stay. */
export interface CutMarks {
  readonly marker: string;
  readonly tail: string;
  readonly beforeLines: string;
}

/** Where little stays the marker is short. */
export const SHORT_MARKS: CutMarks = {
  marker: `\n[… ${LEFT_OUT} characters cut …]\n`,
  tail: " …]\n",
  beforeLines: `\n[… ${LEFT_OUT} characters cut except lines about failures …]\n`,
};

/** Stands before the names. */
export const NAMES_MARK = `\n[… ${LEFT_OUT} characters cut to save room, and with them the names `;

/** Ids are mostly the host's, and may be of any length. */
const LONGEST_ID = 48;

/** How much is missing, and where all of it is: `session.message` gives a message as it was said. */
export function longMarks({ id }: Message): CutMarks {
  const where = whereIs(id);
  const cut = `\n[… ${LEFT_OUT} characters cut to save room`;
  const tail = `${where} …]\n`;
  return { marker: `${cut}${tail}`, tail, beforeLines: `${cut} except lines about failures${tail}` };
}

/** A caller that gave no id could find nothing by the one that a message was given here. */
function whereIs(id: string): string {
  if (isFallbackId(id)) return "";
  return id.length <= LONGEST_ID && !/[\s\]]/u.test(id) ? `; message ${id} has them` : "; they can be recalled";
}

const MARKER =
  /\n\[… \d{1,12} characters cut(?: to save room)?( except lines about failures)?(?:, and with them the names ([^\n]{1,8000}?))?(?:; (?:message [^\s\]]{1,48} has them|they can be recalled))? …\]\n/u;

export interface ReadMarker {
  /** The text with the names of the marker in its place. The words beside it are whole (`cutMiddle`), and stay. */
  readonly text: string;
  /** Where the marker stands, with what it says. */
  readonly place: { readonly start: number; readonly end: number; readonly text: string };
}

export function readCutMarker(given: string): ReadMarker | undefined {
  const found = MARKER.exec(given);
  if (found === null) return undefined;
  const [marker, exception, names = ""] = found;
  const [start, end] = [found.index, found.index + marker.length];
  const rest = given.slice(end);
  const after = exception === undefined ? rest : rest.replaceAll(GAP, "\n");
  const between = names === "" ? "\n" : `\n${names}\n`;
  return { text: `${given.slice(0, start)}${between}${after}`, place: { start, end, text: marker } };
}

/** The text as it is read on, so that a text is never cut to two markers. */
export function withoutCutMarker(text: string): string {
  return readCutMarker(text)?.text ?? text;
}
