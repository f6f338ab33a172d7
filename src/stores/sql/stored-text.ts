/**
 * Escapes NUL and lone surrogates, which some databases refuse and others change, as one character and four digits. All
 * other text stays unchanged, so that it can be read and compared in the database. JSON needs no escaping here, because
 * its own escapes cover both.
 */
import { normalizeText } from "../../core/message/search-text.ts";
import { type Row, readNumberColumn, readTextColumn } from "./driver.ts";

const ESCAPE = "\u001a";
const DIGITS = 4;

export function toStoredText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text
    .replaceAll(ESCAPE, escapeUnit)
    .replaceAll("\0", escapeUnit)
    .replace(/\p{Cs}/gu, escapeUnit);
}

export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  const [first = "", ...escaped] = stored.split(ESCAPE);
  return first + escaped.map((piece) => unescapeUnit(piece) + piece.slice(DIGITS)).join("");
}

function escapeUnit(unit: string): string {
  return ESCAPE + unit.charCodeAt(0).toString(16).padStart(DIGITS, "0");
}

function unescapeUnit(piece: string): string {
  return String.fromCharCode(Number.parseInt(piece.slice(0, DIGITS), 16));
}

/** Texts read at once: few enough for the memory of a Worker, even if they are long. */
export const TEXTS_PER_BATCH = 200;

export interface RewrittenText {
  readonly key: number;
  readonly text: string;
}

/** Returns the rows, with `entry_key` and `text`, whose text has to be rewritten. */
export function findUnnormalizedTexts(rows: readonly Row[]): readonly RewrittenText[] {
  return rows.flatMap((row) => {
    const stored = readTextColumn(row, "text");
    const text = normalizeText(stored);
    return text === stored ? [] : [{ key: readNumberColumn(row, "entry_key"), text }];
  });
}
