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
