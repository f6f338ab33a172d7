/**
 * The notes that we write into shown messages: the placeholder of a prune and the marker of a cut. A host may send
 * messages back as a prompt showed them, so notes are also read. The log keeps such a message as it came; a summary is
 * made from the text that is left, without recalled passages, which repeat other messages.
 */
import { GAP } from "./failure-lines.ts";
import { FormCache } from "./known-forms.ts";
import { type Message, type Part, withParts } from "./message.ts";
import { isFallbackId } from "./message-ids.ts";
import { isRecallBlock } from "./recall-marks.ts";

export type OwnNote =
  | { readonly type: "placeholder"; readonly note: string; readonly rest: string }
  | ({ readonly type: "cut" } & ParsedCutMarker);

export function readOwnNote(part: Part): OwnNote | undefined {
  const text = readPartText(part);
  if (text === undefined) return undefined;
  const pruned = readPlaceholder(text);
  // In a person's message, a note with text below it is part of what the person wrote.
  if (pruned !== undefined && (part.type === "tool-result" || pruned.rest === "")) {
    return { type: "placeholder", ...pruned };
  }
  const cut = readCutMarker(text);
  return cut && { type: "cut", ...cut };
}

const cache = new FormCache<Message>();

export function removeOwnNotes(message: Message): Message {
  return cache.find(message, ({ parts }) => {
    return withParts(message, isEmptyNote(parts) ? EMPTY_PARTS : parts.map(withoutNote));
  });
}

/** Replaces a message without content, which providers refuse. */
export const EMPTY_MESSAGE_TEXT = "(empty message)";
const EMPTY_PARTS: readonly Part[] = [{ type: "text", text: "" }];

function isEmptyNote([only, ...others]: readonly Part[]): boolean {
  return others.length === 0 && only?.type === "text" && only.text === EMPTY_MESSAGE_TEXT;
}

function withoutNote(part: Part): Part {
  const quoted = readPartText(part);
  if (quoted !== undefined && isRecallBlock(quoted)) return withText(part, "");
  const read = readOwnNote(part);
  if (read === undefined) return part;
  return withText(part, read.type === "placeholder" ? read.rest : read.text);
}

function withText(part: Part, text: string): Part {
  return part.type === "tool-result" ? { ...part, output: { type: "text", text } } : { type: "text", text };
}

function readPartText(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}

/** The note in place of a pruned part: what it was, how long, why it was removed, and how to get it back. */
export interface Placeholder {
  readonly what: string;
  /** Whether some of it is shown below the note. */
  readonly isShortened: boolean;
  /** Why it is not needed. If absent, it was removed to save room. */
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
/** The longest text that we write below a placeholder. */
const MAX_REST_CHARACTERS = 2_000;

/** Splits a text into the note at its beginning and the rest. */
export function readPlaceholder(text: string): { readonly note: string; readonly rest: string } | undefined {
  const [found] = NOTE.exec(text) ?? [];
  if (found === undefined) return undefined;
  const rest = text.slice(found.length);
  const isOurs = rest.length <= MAX_REST_CHARACTERS && (rest !== "") === found.endsWith("\n");
  return isOurs ? { note: found.trimEnd(), rest } : undefined;
}

/** Replaced by the number of removed characters. */
export const CUT_COUNT = "{left-out}";

/** Texts in place of the middle: alone, after names, and before lines about a failure. */
export interface CutMarks {
  readonly marker: string;
  readonly tail: string;
  readonly beforeLines: string;
}

/** Used if little of the text is kept. */
export const SHORT_MARKS: CutMarks = {
  marker: `\n[… ${CUT_COUNT} characters cut …]\n`,
  tail: " …]\n",
  beforeLines: `\n[… ${CUT_COUNT} characters cut except lines about failures …]\n`,
};

export const NAMES_MARK = `\n[… ${CUT_COUNT} characters cut to save room, and with them the names `;

/** The longest id that a marker names. Hosts choose ids of any length. */
const MAX_ID_CHARACTERS = 48;

/** Creates marks that say how much is missing and where it is: `session.message` returns the original message. */
export function createLongMarks({ id }: Message): CutMarks {
  const where = describePlace(id);
  const cut = `\n[… ${CUT_COUNT} characters cut to save room`;
  const tail = `${where} …]\n`;
  return { marker: `${cut}${tail}`, tail, beforeLines: `${cut} except lines about failures${tail}` };
}

/** Names no id if the caller gave none, because a generated one would be useless to the caller. */
function describePlace(id: string): string {
  if (isFallbackId(id)) return "";
  return id.length <= MAX_ID_CHARACTERS && !/[\s\]]/u.test(id) ? `; message ${id} has them` : "; they can be recalled";
}

const MARKER =
  /\n\[… (\d{1,12}) characters cut(?: to save room)?( except lines about failures)?(?:, and with them the names ([^\n]{1,8000}?))?(?:; (?:message [^\s\]]{1,48} has them|they can be recalled))? …\]\n/u;

export interface ParsedCutMarker {
  /** The text with the marker replaced by the names in it. The words next to it are whole (`cutMiddle`) and stay. */
  readonly text: string;
  /** Where the marker is, and its text. */
  readonly place: { readonly start: number; readonly end: number; readonly text: string };
  readonly cutSpan: CutSpan;
}

/** Where something is missing in a text whose marker was removed. A later cut must cover it. */
export interface CutSpan {
  readonly start: number;
  readonly end: number;
  /** Missing characters, less those that were put in the marker's place. */
  readonly leftOut: number;
}

export function readCutMarker(given: string): ParsedCutMarker | undefined {
  const found = MARKER.exec(given);
  if (found === null) return undefined;
  const [marker, leftOut, exception, names = ""] = found;
  const [start, end] = [found.index, found.index + marker.length];
  const rest = given.slice(end);
  const after = exception === undefined ? rest : rest.replaceAll(GAP, "\n");
  const between = names === "" ? "\n" : `\n${names}\n`;
  const lines = exception === undefined ? "" : rest.slice(0, rest.lastIndexOf(GAP) + GAP.length);
  const gaps = lines.split(GAP).length - 1;
  const shown = gaps === 0 ? "" : lines.replaceAll(GAP, "\n");
  const missing = Number(leftOut) - between.length - gaps;
  const cutSpan = { start, end: start + between.length + shown.length, leftOut: missing };
  return { text: `${given.slice(0, start)}${between}${after}`, place: { start, end, text: marker }, cutSpan };
}

/** Removes the marker, so that a text is never cut with two markers. */
export function removeCutMarker(text: string): string {
  return readCutMarker(text)?.text ?? text;
}
