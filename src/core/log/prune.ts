/** A prune replaces one part of a message in the view, by a rule or with a text. The same log gives the same bytes. */
import { GAP } from "../message/failure-lines.ts";
import { isJsonObject, type JsonValue } from "../message/json.ts";
import type { Message, MessageId, Part } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { CUT_COUNT, type CutSpan, type OwnNote, readCutMarker, readOwnNote } from "../message/own-notes.ts";
import { takeHeadWords, takeTailWords } from "../message/whole-text.ts";

export type Replacement =
  /** The part becomes this text: a result's output, a text, or a note in place of an image. */
  | { readonly type: "text"; readonly text: string }
  | MiddleReplacement
  /** Shows the note, then these spans of the text. Spans are positions, so a prune contains no text of the message. */
  | { readonly type: "excerpt"; readonly note: string; readonly spans: readonly Span[] }
  | { readonly type: "span"; readonly start: number; readonly end: number; readonly text: string }
  /** Every value under one of these names in a call's input, at any depth, becomes `text`. */
  | { readonly type: "fields"; readonly names: readonly string[]; readonly text: string };

/** Removes the middle of every longer string in the part and puts `marker` in its place. */
export interface MiddleReplacement extends MiddleCut {
  readonly type: "middle";
}

interface MiddleCut {
  readonly keepCharacters: number;
  /** `CUT_COUNT` in it becomes the number of removed characters. */
  readonly marker: string;
  /** The text is prose with code blocks. A block that is cut is closed before the marker and opened again after it. */
  readonly hasFences?: boolean | undefined;
  /** Names from the removed text replace the marker. Their spans are of all strings of a call, joined to one text. */
  readonly named?: NamedMiddle | undefined;
  /** Lines of the middle that stay. `before` precedes them and replaces the marker. Not for strings of a call. */
  readonly lines?: { readonly before: string; readonly spans: readonly Span[] } | undefined;
}

interface NamedMiddle {
  readonly before: string;
  readonly spans: readonly Span[];
  readonly after: string;
}

/** Start and end of a piece of text, in characters. */
export type Span = readonly [start: number, end: number];

export interface Prune {
  readonly seq: number;
  readonly messageId: MessageId;
  readonly partIndex: number;
  /** `cut` keeps both ends of an oversized text, `pruned` leaves a placeholder. */
  readonly fate: "pruned" | "cut";
  readonly replacement: Replacement;
  readonly reason: string;
}

/** Cached, so that the same message and prunes give the same object, which is counted once. */
const applied = new WeakMap<Message, { readonly key: string; readonly shown: Message }>();

export function applyPrunes(message: Message, prunes: readonly Pick<Prune, "partIndex" | "replacement">[]): Message {
  if (prunes.length === 0) return message;
  const key = JSON.stringify(prunes.map(({ partIndex, replacement }) => [partIndex, replacement]));
  const known = applied.get(message);
  if (known?.key === key) return known.shown;
  const shown = replaceParts(message, prunes);
  applied.set(message, { key, shown });
  return shown;
}

function replaceParts(message: Message, prunes: readonly Pick<Prune, "partIndex" | "replacement">[]): Message {
  const byPart = new Map(prunes.map((prune) => [prune.partIndex, prune.replacement]));
  const parts = message.parts.map((part, index) => {
    const replacement = byPart.get(index);
    return replacement === undefined ? part : replacePart(part, replacement);
  });
  return { ...message, parts };
}

export function replacePart(part: Part, replacement: Replacement): Part {
  if (replacement.type === "fields" && part.type !== "tool-call") return part;
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: replaceText(part.text, replacement) };
    case "tool-result":
      return { ...part, output: { type: "text", text: replaceText(outputText(part.output), replacement) } };
    case "tool-call":
      return { ...part, input: replaceJson(part.input, replacement), inputText: undefined };
    case "image":
    case "file":
    case "source":
    case "unknown":
      return { type: "text", text: readNote(replacement) };
    default:
      return part satisfies never;
  }
}

/** Keeps both ends and cuts between words. */
export function cutMiddle(
  text: string,
  { keepCharacters, marker, named, lines, hasFences }: MiddleCut,
  cutSpan: CutSpan = { start: text.length, end: 0, leftOut: 0 },
): string {
  const [head, tail] = [Math.ceil(keepCharacters * 0.7), keepCharacters - Math.ceil(keepCharacters * 0.7)];
  // A line that would be split is shown whole between the ends.
  const kept = (lines?.spans ?? []).filter(([start, end]) => end > head && start < text.length - tail);
  const first = takeHeadWords(text, Math.min(head, kept[0]?.[0] ?? head, cutSpan.start));
  const last = takeTailWords(text, Math.min(tail, text.length - Math.max(kept.at(-1)?.[1] ?? 0, cutSpan.end)));
  const isCut = ([start, end]: Span): boolean => start >= first.length && end <= text.length - last.length;
  const names = (named?.spans ?? []).filter(isCut).map(([start, end]) => text.slice(start, end));
  const words = named === undefined || names.length === 0 ? marker : `${named.before}${names.join(" ")}${named.after}`;
  const shown = kept.map(([start, end]) => text.slice(start, end));
  const missing = text.length - first.length - last.length + cutSpan.leftOut;
  const leftOut = shown.reduce((sum, line) => sum - line.length, missing);
  const mark = lines === undefined || shown.length === 0 ? words : lines.before;
  const said = `${mark.replace(CUT_COUNT, String(leftOut))}${shown.map((line) => `${line}${GAP}`).join("")}`;
  const between = hasFences === true ? repairFences(text, first, said, last) : said;
  return text.length <= first.length + between.length + last.length ? text : `${first}${between}${last}`;
}

/** Closes a code block before the marker and reopens it afterwards. */
function repairFences(text: string, first: string, said: string, last: string): string {
  const closed = findOpenFence(first);
  const opened = findOpenFence(text.slice(0, text.length - last.length));
  const before = closed === undefined ? "" : `\n${closed.mark}`;
  return `${before}${said}${opened === undefined ? "" : `${opened.line}\n`}`;
}

interface OpenFence {
  readonly mark: string;
  /** The line that opens it, with the language. */
  readonly line: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;

/** Finds the code block that is open at the end of a text. Only a fence of the same or greater length closes it. */
function findOpenFence(text: string): OpenFence | undefined {
  let open: OpenFence | undefined;
  for (const [line, mark = "", rest = ""] of text.matchAll(FENCE)) {
    if (open === undefined) open = { mark, line: line.trim().slice(0, MAX_FENCE_CHARACTERS) };
    else if (mark.startsWith(open.mark) && rest.trim() === "") open = undefined;
  }
  return open;
}

const MAX_FENCE_CHARACTERS = 40;

function readNote(replacement: Replacement): string {
  if (replacement.type === "middle") return replacement.marker.replace(CUT_COUNT, "all");
  return replacement.type === "excerpt" ? replacement.note : replacement.text;
}

/** Cuts a text. The marker of an earlier cut is replaced by one that counts the characters of both cuts. */
function cutText(text: string, middle: MiddleCut): string {
  const { text: whole, cutSpan } = readCutMarker(text) ?? { text };
  const cut = cutMiddle(whole, middle, cutSpan);
  return cut === whole ? text : cut;
}

function replaceText(text: string, replacement: Replacement): string {
  switch (replacement.type) {
    case "text":
      return replacement.text;
    case "middle":
      return cutText(text, replacement);
    case "excerpt":
      return writeExcerpt(text, replacement);
    case "span":
      return `${text.slice(0, replacement.start)}${replacement.text}${text.slice(replacement.end)}`;
    case "fields":
      return text;
    default:
      return replacement satisfies never;
  }
}

function writeExcerpt(text: string, { note, spans }: Extract<Replacement, { type: "excerpt" }>): string {
  const shown = spans.map(([start, end]) => text.slice(start, end)).join(GAP);
  return [note, shown].filter((piece) => piece !== "").join("\n");
}

function replaceJson(value: JsonValue, replacement: Replacement): JsonValue {
  if (replacement.type === "middle") return cutStrings(value, replacement);
  if (replacement.type === "fields") return replaceFields(value, replacement);
  return { removed: readNote(replacement) };
}

function replaceFields(value: JsonValue, rule: Extract<Replacement, { type: "fields" }>): JsonValue {
  return mapInner(value, (inner, key) => (rule.names.includes(key) ? rule.text : replaceFields(inner, rule)));
}

/** Maps the items of a list or the fields of an object; other values stay. */
function mapInner(value: JsonValue, map: (inner: JsonValue, key: string) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => map(item, ""));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, field === undefined ? field : map(field, key)]);
  return Object.fromEntries(fields);
}

function cutStrings(root: JsonValue, { named, ...options }: MiddleCut): JsonValue {
  let place = 0;
  const cut = (value: JsonValue): JsonValue => {
    if (typeof value !== "string") return mapInner(value, cut);
    const start = place;
    place += value.length;
    return cutMiddle(value, { ...options, named: named && namesWithin(named, start, place) });
  };
  return cut(root);
}

function namesWithin({ spans, ...words }: NamedMiddle, start: number, end: number): NamedMiddle {
  const own = spans.filter(([from, to]) => from >= start && to <= end);
  return { ...words, spans: own.map(([from, to]): Span => [from - start, to - start]) };
}

/** A prune for a placeholder or marker that Palimpsest wrote into an imported message. The text is shown unchanged. */
export type OwnPrune = Pick<Prune, "partIndex" | "fate" | "replacement">;

export function findOwnPrunes({ parts }: Message): readonly OwnPrune[] {
  return parts.flatMap((part, partIndex) => {
    const note = readOwnNote(part);
    return note === undefined ? [] : [{ partIndex, ...readPrune(note) }];
  });
}

function readPrune(read: OwnNote): Pick<Prune, "fate" | "replacement"> {
  if (read.type === "cut") return { fate: "cut", replacement: { type: "span", ...read.place } };
  const { note, rest } = read;
  const start = note.length + 1;
  const spans = rest === "" ? [] : [[start, start + rest.length] as const];
  return { fate: "pruned", replacement: { type: "excerpt", note, spans } };
}
