/**
 * Reads the names that a message uses, each once, with origin (given to a tool, said, shown by a tool), file, and the
 * use of that file. Reads only the ends of tool output; skips times, years, small numbers, options and markup.
 */

import { findMatches } from "../../language/find-matches.ts";
import { batchTexts } from "../../language/text-pieces.ts";
import type { JsonValue } from "../../message/json.ts";
import type { CallId, Message } from "../../message/message.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { withoutSummary } from "../record/cover-text.ts";
import type { Claim } from "../record/record.ts";
import { messageTexts, takeTextEnds, takeUserText } from "../text/message-texts.ts";
import { NAME_WEIGHTS } from "../weights.ts";
import { type FileUse, readFileUse } from "./tool-use.ts";

/** Origins of a name, the strongest first. */
type NameOrigin = "given" | "said" | "shown";

export interface NamedUse {
  readonly claim: Claim;
  /** Key that is equal for all spellings of the name. */
  readonly key: string;
  readonly origin: NameOrigin;
  /** Key of the file that the name belongs to. */
  readonly home?: string | undefined;
  readonly use?: string | undefined;
  /** Weight below 1 of a name that a tool showed among many others. */
  readonly share?: number | undefined;
}

/** The file of each call, to which the names in its result belong. */
export type CallFiles = Map<CallId, FileUse>;

export function* readNamesInSteps(message: Message, files: CallFiles): Generator<undefined, readonly NamedUse[]> {
  if (message.role === "system") return [];
  const names = new Map<string, NamedUse>();
  let isFirst = true;
  for (const { texts, origin, file } of sourcesOf(message, files)) {
    for (const batch of batchTexts(texts.map((text) => takeTextEnds(text, END_CHARACTERS)))) {
      if (!isFirst) yield undefined;
      isFirst = false;
      addNames(names, batch, { origin, file });
      addPairs(names, batch, { origin, file });
    }
  }
  return withShares([...names.values()]);
}

/** Lowers the share of names in a result with many names, because each is less likely to be needed. */
function withShares(names: readonly NamedUse[]): readonly NamedUse[] {
  const shown = names.filter(({ origin }) => origin === "shown").length;
  if (shown <= NAME_WEIGHTS.fewShown) return names;
  const share = Math.sqrt(NAME_WEIGHTS.fewShown / shown);
  return names.map((name) => (name.origin === "shown" ? { ...name, share } : name));
}

export function findShownNames(text: string): readonly { readonly claim: Claim; readonly uses: number }[] {
  const names = new Map<string, { readonly claim: Claim; uses: number }>();
  for (const claim of extractClaims(text)) {
    const key = createNameKey(claim);
    const known = names.get(key);
    if (known !== undefined) known.uses += 1;
    else if (isName(claim, "shown") && !isMarkup(text, claim, "shown")) names.set(key, { claim, uses: 1 });
  }
  return [...names.values()];
}

interface NameSource {
  readonly texts: readonly string[];
  readonly origin: NameOrigin;
  readonly file?: FileUse | undefined;
}

/** Characters read at each end of a text. Large, because a file has names in its middle too. */
const END_CHARACTERS = 24_000;
/** Names in a longer user message count as shown, because it is a document. */
const MAX_SAID_CHARACTERS = 4_000;

/** Returns tool inputs first, because a name keeps its first origin. */
function sourcesOf(message: Message, files: CallFiles): readonly NameSource[] {
  const given: NameSource[] = [];
  const shown: NameSource[] = [];
  for (const part of message.parts) {
    if (part.type === "tool-call") {
      const file = readFileUse(part);
      if (file !== undefined) files.set(part.callId, file);
      given.push({ texts: [joinStringsOf(part.input)], origin: "given", file });
    } else if (part.type === "tool-result") {
      const file = files.get(part.callId);
      shown.push({ texts: [messageTexts({ ...message, parts: [part] }).outputs.join("\n")], origin: "shown", file });
    }
  }
  const { spoken, attached } = messageTexts(message);
  const isOwn = (text: string): boolean =>
    text.length <= MAX_SAID_CHARACTERS &&
    withoutSummary(text) === text &&
    (message.role !== "user" || takeUserText(text) === text);
  const own = spoken.filter(isOwn);
  const pasted = spoken.filter((text) => !isOwn(text));
  return [
    ...given,
    { texts: [...own, attached.join("\n")], origin: "said" },
    { texts: pasted, origin: "shown" },
    ...shown,
  ];
}

/** Joins the texts of a value, without numbers that are only quantities. */
function joinStringsOf(root: JsonValue): string {
  const words: string[] = [];
  const open: { readonly key: string; readonly value: JsonValue }[] = [{ key: "", value: root }];
  for (let index = 0; index < open.length; index += 1) {
    const { key, value } = open[index] ?? { key: "", value: null };
    if (typeof value === "string") words.push(value);
    else if (typeof value === "number" && !MEASURE.test(key)) words.push(String(value));
    else if (typeof value === "object" && value !== null) {
      for (const [name, field] of Object.entries(value))
        open.push({ key: Array.isArray(value) ? key : name, value: field ?? null });
    }
  }
  return words.join("\n");
}

const MEASURE = /limit|offset|line|width|height|size|count|max|min|head|tail|page|depth|level|-[A-C]$/i;

function addNames(names: Map<string, NamedUse>, text: string, { origin, file }: Omit<NameSource, "texts">): void {
  let lineHome: { readonly key: string; readonly end: number } | undefined;
  for (const claim of extractClaims(text)) {
    const key = createNameKey(claim);
    const isShownPath = origin === "shown" && claim.kind === "path";
    if (isShownPath && startsLine(text, claim)) {
      lineHome = { key: key.replace(LINE_NUMBER, "$1"), end: endOfLine(text, claim.end) };
    }
    if (
      names.has(key) ||
      !isName(claim, origin) ||
      isMarkup(text, claim, origin) ||
      (isShownPath && LINE_NUMBER.test(key))
    )
      continue;
    const home = lineHome !== undefined && claim.start < lineHome.end ? lineHome.key : file?.key;
    const use = key === file?.key ? file.use : undefined;
    names.set(key, { claim, key, origin, ...(home === key ? {} : { home }), use });
  }
}

/** Adds pairs such as `refs/heads`, which are names in a tool input or in quotes, but two words in prose. */
function addPairs(names: Map<string, NamedUse>, source: string, { origin, file }: Omit<NameSource, "texts">): void {
  for (const match of findMatches(source, origin === "given" ? PAIR : QUOTED_PAIR)) {
    const { 0: text, index: start } = match;
    const lower = text.toLowerCase();
    const key = `path:${lower}`;
    if (names.has(key) || ALTERNATIVES.has(lower)) continue;
    const claim: Claim = { kind: "path", text, keys: [lower], start, end: start + text.length };
    names.set(key, { claim, key, origin, home: file?.key });
  }
}

const PAIR = /(?<![\w./:@\\-])[A-Za-z][\w-]{2,40}\/[A-Za-z][\w-]{1,60}(?![\w./\\-])/g;
const QUOTED_PAIR = /(?<=["'`])[A-Za-z][\w-]{1,40}\/[A-Za-z][\w-]{1,60}(?=["'`])/g;
const ALTERNATIVES: ReadonlySet<string> = new Set(
  "and/or either/or yes/no true/false on/off read/write input/output request/response user/assistant client/server".split(
    " ",
  ),
);

/** Keeps the case of names in code: `baseCommit` and `BaseCommit` are two names. */
export function createNameKey({ kind, keys, text }: Claim): string {
  const isCased = kind === "identifier" && CAMEL.test(text);
  return `${kind}:${isCased ? text.replaceAll(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`) : keys[0]}`;
}

const CAMEL = /[a-z][A-Z]/;

/** Returns true for a file that owns its line: `src/a.ts:12: …` or `src/a.ts-13- …`. */
function startsLine(text: string, { start, end, keys }: Claim): boolean {
  if (start > 0 && text.charAt(start - 1) !== "\n") return false;
  return text.charAt(end) === ":" || LINE_NUMBER.test(keys[0] ?? "");
}

const LINE_NUMBER = /(\.\w{1,8})-\d+-?$/;

function endOfLine(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end < 0 ? text.length : end;
}

/** Returns true for `</note>`, an escape such as in `\\nfirst`, and a field name such as `"user_id": …` in output. */
function isMarkup(text: string, { start, end }: Claim, origin: NameOrigin): boolean {
  const before = text.charAt(start - 1);
  if (before === "\\" || (before === "<" && text.charAt(start) === "/")) return true;
  return origin === "shown" && before === '"' && FIELD_END.test(text.slice(end, end + 4));
}

const FIELD_END = /^\\?"\s?:/;

function isName({ kind, text }: Claim, origin: NameOrigin): boolean {
  if (text.includes("\\") && (!WINDOWS_PATH.test(text) || ESCAPE.test(text) || LINE_BREAKS.test(text))) return false;
  if (kind === "identifier" && origin !== "said" && text.length < MIN_CODE_CHARACTERS) return false;
  if (
    kind === "time" ||
    (kind === "date" && origin !== "said") ||
    text.length > MAX_NAME_CHARACTERS ||
    USELESS.test(text)
  )
    return false;
  const least = MIN_DIGITS[origin];
  return kind !== "number" || (WHOLE_NUMBER.test(text) && (text.match(/\d/g)?.length ?? 0) >= least);
}

/** Minimum number of digits. Output is full of line numbers, sizes and times. */
const MIN_DIGITS: Readonly<Record<NameOrigin, number>> = { given: 3, said: 4, shown: 5 };
/** Excludes fractions, which are measurements. */
const WHOLE_NUMBER = /^-?[\d,]+$/;
const MAX_NAME_CHARACTERS = 250;
/** Shorter words are fragments of patterns and hashes. */
const MIN_CODE_CHARACTERS = 4;
/** Any other word with a backslash contains an escape. */
const WINDOWS_PATH = /^(?:[A-Za-z]:)?\\?[\w .-]+(?:\\[\w .-]+)+$/;
/** Matches fragments of a string or pattern, such as `Notes\n\n` and `settings\.json`. */
const ESCAPE = /^[^\\].*\\(?:[a-z0-9](?!\w)|[.\\])/;
/** Matches two line breaks, written as escapes, before a word. */
const LINE_BREAKS = /^(?:\\[nrt]){2}/;
/** Matches options of commands, file extensions, single letters, call ids, devices, and ranges of characters in patterns. */
const USELESS =
  /^(?:--?[a-z][a-z-]*|\.[a-z]{1,4}|[/\\.~]*[a-z]?|0o?\d+|\/\/.*|(?:toolu|call|chatcmpl)_\w{8,}|\w+-\d{13}-[0-9a-f]{8,}|\/dev\/(?:null|tty|std(?:in|out|err))|(?:[a-z]-[a-z]|\d-\d){2,}_?)$/i;
