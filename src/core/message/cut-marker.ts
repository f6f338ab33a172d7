/**
 * The marker that stands in the middle of a text that was cut, written and read back: how much is missing, names of what
 * went, and where all of it is.
 */
import { GAP } from "./failure-lines.ts";
import { isFallbackId } from "./fallback-id.ts";
import type { Message } from "./message.ts";

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
  /** The text with the names of the marker in its place, and without the halves of words beside it. */
  readonly text: string;
  /** Where the marker stands, with what it says. */
  readonly place: { readonly start: number; readonly end: number; readonly text: string };
}

export function readCutMarker(given: string): ReadMarker | undefined {
  const found = MARKER.exec(given);
  if (found === null) return undefined;
  const [marker, exception, names = ""] = found;
  const before = given.slice(0, found.index).replace(HALF_WORD_AT_END, "");
  const rest = given.slice(found.index + marker.length);
  const after = exception === undefined ? rest.replace(HALF_WORD_AT_START, "") : withoutGaps(rest);
  const between = names === "" ? "\n" : `\n${names}\n`;
  const end = found.index + marker.length;
  return { text: `${before}${between}${after}`, place: { start: found.index, end, text: marker } };
}

/** Lines that stayed are whole; the end of the text after the last gap may begin with half of a word. */
function withoutGaps(rest: string): string {
  const last = rest.lastIndexOf(GAP);
  if (last === -1) return rest;
  const end = rest.slice(last + GAP.length).replace(HALF_WORD_AT_START, "");
  return `${rest.slice(0, last).replaceAll(GAP, "\n")}\n${end}`;
}

/** The text as it is read on, so that a text is never cut to two markers. */
export function withoutCutMarker(text: string): string {
  return readCutMarker(text)?.text ?? text;
}

const HALF_WORD_AT_END = /[^\s]{1,200}$/u;
const HALF_WORD_AT_START = /^[^\s]{1,200}/u;
