/**
 * Splits a text into list items, sentences (even across wrapped lines), table rows and lines of code, from which facts
 * are read, and caches them for all readers of a summary. Marks code, quotations and everything after the first line of
 * a summary, because the speaker did not say them.
 */
import { splitAtEnds } from "../../language/split-at-ends.ts";
import { textPieces } from "../../language/text-pieces.ts";
import type { TextPart } from "../../message/message.ts";
import { isSummaryLine } from "../record/cover-text.ts";

export interface Sentence {
  readonly text: string;
  /** True between code fences or quotation marks, or on a line that begins like a quotation or markup. */
  readonly isQuoted: boolean;
  readonly box?: "open" | "done" | undefined;
  /** For an item, the line that introduces its list, or its parent item. */
  readonly lead?: string | undefined;
  readonly isHeading?: true | undefined;
  /** True inside a summary that the text quotes. */
  readonly isFromSummary?: true | undefined;
}

/** The state between the pieces of a text. */
export interface TextState {
  isFenced: boolean;
  fence?: string | undefined;
  isSummary?: boolean | undefined;
  /** The lines that introduce the next items, outermost first. */
  leads?: readonly Lead[] | undefined;
  /** Cells of the last table row, until it is known whether it was a header. */
  cells?: readonly string[] | undefined;
  header?: readonly string[] | undefined;
}

interface Lead {
  readonly indent: number;
  readonly text: string;
}

export function splitSentences(text: string, state: TextState = { isFenced: false }): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let open: OpenLine | undefined;
  const close = (): void => {
    if (open !== undefined) for (const sentence of readProse(open, state)) sentences.push(sentence);
    open = undefined;
  };
  const lines = text.split(LINE_END);
  // A final line break does not start an empty line, because the next piece continues there.
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const trimmed = line.trim();
    if (open !== undefined && continuesLine(open, line, trimmed)) {
      open = { ...open, text: `${open.text} ${trimmed}`, last: trimmed };
      continue;
    }
    close();
    if (trimmed === "") {
      endTable(state);
      continue;
    }
    const single = readSingleLine(line, trimmed, state);
    if (single === undefined) open = openLine(line, trimmed);
    else for (const sentence of single) sentences.push(sentence);
  }
  close();
  return sentences;
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
/** Longer lines are data, of which only the start is read. */
export const MAX_LINE_CHARACTERS = 20_000;
const FENCES = ["```", "~~~"];
const RULE = /^(?:[-*_=~] ?){3,}$/;
const HEADING = /^#{1,6} +|^\*\*(?=[^*]{1,80}\*\*:?$)/;
const HEADING_END = /(?: #{1,6}|\*\*:?)$/;
const BOX = /^(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}(?:\[([ xX✓✔])\]|([☐☑✅✓✔]))[ \t]{0,4}/u;
/** Excludes German dates such as "3. Mai". */
const BULLET =
  /^(?:[-*+•–]|(?!\d{1,2}\. (?:Jan|Feb|Mär|Apr|Mai\b|Jun[ie]|Juli|Aug|Sep|Okt|Nov|Dez))\d{1,3}[.)])[ \t]{1,8}/;
const MARKED = /^(?:>|<\/?[a-z])/i;

/** Returns undefined for prose, which the next line may continue. */
function readSingleLine(line: string, trimmed: string, state: TextState): readonly Sentence[] | undefined {
  const fence = FENCES.find((mark) => trimmed.startsWith(mark));
  state.isSummary ||= !state.isFenced && isSummaryLine(trimmed);
  if (state.isSummary) return quoteSummary(trimmed);
  if (state.isFenced) {
    if (fence === undefined || fence !== (state.fence ?? fence)) return quoted(line.trimEnd());
    state.isFenced = false;
    return [];
  }
  if (fence !== undefined) {
    // A code block that opens and closes on one line does not change the state.
    if (trimmed.includes(fence, fence.length)) return quoted(trimmed);
    state.isFenced = true;
    state.fence = fence;
    return [];
  }
  if (trimmed.startsWith("|")) return readRow(cutLong(trimmed), state).map((text) => ({ text, isQuoted: true }));
  endTable(state);
  if (RULE.test(trimmed.slice(0, MAX_RULE_CHARACTERS))) return [];
  if (HEADING.test(trimmed)) return readHeading(trimmed, state);
  return MARKED.test(trimmed) ? quoted(trimmed) : undefined;
}

const MAX_RULE_CHARACTERS = 200;

function quoted(line: string): readonly Sentence[] {
  const short = cutLong(line).trim();
  return short === "" ? [] : [{ text: short, isQuoted: true }];
}

/** Returns a line of a quoted summary without its bullet. Drops lines that end with a colon: they are headings. */
function quoteSummary(trimmed: string): readonly Sentence[] {
  if (trimmed.endsWith(":")) return [];
  return quoted(trimmed.replace(BULLET, "")).map((sentence) => ({ ...sentence, isFromSummary: true }));
}

function readHeading(trimmed: string, state: TextState): readonly Sentence[] {
  const text = cutLong(trimmed).replace(HEADING, "").replace(HEADING_END, "");
  state.leads = asLead(text, -1);
  return [{ text, isQuoted: false, isHeading: true }];
}

/** A line of prose that the next lines may continue. */
interface OpenLine {
  readonly text: string;
  readonly indent: number;
  readonly isItem: boolean;
  readonly last: string;
}

function openLine(line: string, trimmed: string): OpenLine {
  const indent = line.length - line.trimStart().length;
  return { text: trimmed, indent, isItem: BULLET.test(trimmed) || BOX.test(trimmed), last: trimmed };
}

/** Shorter lines were not wrapped at a margin. */
const MIN_WRAPPED_CHARACTERS = 50;

/** Returns true if a line is indented under an item, or continues a wrapped sentence. */
function continuesLine(open: OpenLine, line: string, trimmed: string): boolean {
  if (trimmed === "" || open.text.length + trimmed.length > MAX_LINE_CHARACTERS || isSummaryLine(trimmed)) return false;
  if (!/^[\p{L}\p{N}"'“(`*_]/u.test(trimmed) || BULLET.test(trimmed) || BOX.test(trimmed)) return false;
  if (FENCES.some((mark) => trimmed.startsWith(mark))) return false;
  if (open.isItem && line.length - line.trimStart().length > open.indent + 1) return true;
  const isWrapped = open.last.length >= MIN_WRAPPED_CHARACTERS && /[\p{L}\p{N},)\]]$/u.test(open.last);
  return isWrapped && /^\p{Ll}/u.test(trimmed) && !/[{};=]$/.test(trimmed);
}

function readProse({ text, indent, isItem }: OpenLine, state: TextState): readonly Sentence[] {
  const short = cutLong(text);
  if (!isItem) {
    const sentences = markQuotations(splitAtEnds(short));
    state.leads = asLead(sentences.at(-1)?.text ?? "", -1, /[:：]$/);
    return sentences;
  }
  const leads = (state.leads ?? []).filter((each) => each.indent < indent);
  const box = BOX.exec(short);
  const body = short.slice((box ?? BULLET.exec(short))?.[0].length ?? 0).trim();
  state.leads = [...leads, ...asLead(body, indent)];
  const lead = leads.at(-1)?.text;
  const mark = lead === undefined ? {} : { lead };
  if (box === null) return markQuotations(splitAtEnds(body)).map((sentence) => ({ ...sentence, ...mark }));
  const isOpen = box[1] === " " || box[2] === "☐";
  return [{ text: body, isQuoted: false, box: isOpen ? "open" : "done", ...mark }];
}

const MAX_LEAD_CHARACTERS = 120;

function asLead(text: string, indent: number, needed?: RegExp): readonly Lead[] {
  const isLead = text !== "" && text.length <= MAX_LEAD_CHARACTERS && (needed === undefined || needed.test(text));
  return isLead ? [{ indent, text }] : [];
}

/** Marks sentences in quotation marks, even if one quotation has several sentences. */
function markQuotations(texts: readonly string[]): readonly Sentence[] {
  let closing: string | undefined;
  return texts.map((text) => {
    const from = closing === undefined ? 1 : 0;
    closing ??= CLOSING[text.charAt(0)];
    if (closing === undefined) return { text, isQuoted: false };
    const end = text.indexOf(closing, from);
    if (end < 0) return { text, isQuoted: true };
    closing = undefined;
    return { text, isQuoted: text.length - end <= MAX_AFTER_QUOTATION };
  });
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "«": "»", "「": "」" };
const MAX_AFTER_QUOTATION = 3;

/** Cuts between two words, because half a name is another name. */
function cutLong(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const end = line.slice(0, MAX_LINE_CHARACTERS).search(/\s\S*$/);
  if (end >= 0) return line.slice(0, end);
  const isSplit = (line.codePointAt(MAX_LINE_CHARACTERS - 1) ?? 0) > 0xffff;
  return line.slice(0, isSplit ? MAX_LINE_CHARACTERS - 1 : MAX_LINE_CHARACTERS);
}

function endTable(state: TextState): void {
  state.cells = undefined;
  state.header = undefined;
}

/** Reads a row of a Markdown table without the line under the header. Cells get the names of their columns. */
function readRow(trimmed: string, state: TextState): readonly string[] {
  const cells = trimmed
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());
  if (cells.every((cell) => UNDERLINE.test(cell))) {
    if (state.header === undefined) state.header = state.cells;
    return [];
  }
  state.cells = cells;
  const { header = [] } = state;
  const named = cells.flatMap((cell, column) => (cell === "" ? [] : [nameCell(cell, header[column])]));
  return named.length === 0 ? [] : [named.join(header.length === 0 ? " | " : "; ")];
}

const UNDERLINE = /^:?-{1,200}:?$/;

function nameCell(cell: string, name = ""): string {
  return name === "" || name === cell ? cell : `${name}: ${cell}`;
}

const MAX_ITEM_CHARACTERS = 60;
const MAX_LIST_CHARACTERS = 240;

/** Joins short list items to the line that introduces them: "We need: milk; eggs". Other items stay alone. */
export function joinItems(sentences: readonly Sentence[]): readonly Sentence[] {
  const joined: Sentence[] = [];
  let list: string | undefined;
  for (const sentence of sentences) {
    const { text, lead } = sentence;
    const before = joined.at(-1);
    const item = text.replace(/[.;,]$/, "");
    if (lead === undefined || !isShortItem(sentence)) {
      list = undefined;
      joined.push(sentence);
    } else if (list === lead && before !== undefined && before.text.length + item.length < MAX_LIST_CHARACTERS) {
      joined[joined.length - 1] = { ...before, text: `${before.text}; ${item}` };
    } else {
      if (before?.text === lead) joined.pop();
      list = lead;
      joined.push({ text: `${lead.replace(/[\s:：.]+$/, "")}: ${item}`, isQuoted: false });
    }
  }
  return joined;
}

function isShortItem({ text, box, isQuoted }: Sentence): boolean {
  return text.length <= MAX_ITEM_CHARACTERS && box === undefined && !isQuoted;
}

export interface SentenceReader {
  piecesOf(part: TextPart): Iterable<readonly Sentence[]>;
}

export function createSentenceReader(): SentenceReader {
  const known = new Map<TextPart, Reading>();
  return {
    *piecesOf(part) {
      const reading = known.get(part) ?? { pieces: [], rest: textPieces(part.text), fence: { isFenced: false } };
      known.set(part, reading);
      for (let index = 0; ; index += 1) {
        const piece = reading.pieces[index] ?? readNext(reading);
        if (piece === undefined) return;
        yield piece;
      }
    },
  };
}

interface Reading {
  readonly pieces: (readonly Sentence[])[];
  readonly rest: Iterator<string>;
  readonly fence: { isFenced: boolean };
}

function readNext({ pieces, rest, fence }: Reading): readonly Sentence[] | undefined {
  const next = rest.next();
  if (next.done === true) return undefined;
  const sentences = splitSentences(next.value, fence);
  pieces.push(sentences);
  return sentences;
}
