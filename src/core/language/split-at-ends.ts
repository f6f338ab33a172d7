/**
 * Splits a line into sentences, each with its closing brackets, quotation marks and emoji. Does not split after an
 * abbreviation, initial, ordinal or list marker, or between backticks. Reads a few characters around each mark, so the
 * cost is linear.
 *
 * When in doubt, it does not split: two joined sentences are still true; half a sentence may not be.
 */
export function splitAtEnds(line: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const end of findEnds(line)) {
    const sentence = line.slice(start, end).trim();
    if (sentence !== "") sentences.push(sentence);
    start = end;
  }
  const rest = line.slice(start).trim();
  if (rest !== "") sentences.push(rest);
  return sentences;
}

/** Yields the end of each sentence and its closing marks. */
function* findEnds(line: string): Generator<number, void> {
  const marks = new RegExp(MARKS);
  let start = 0;
  let hasTicks = true;
  for (let match = marks.exec(line); match !== null; match = marks.exec(line)) {
    if (match[0].startsWith("`")) {
      const closing: number = hasTicks ? line.indexOf(match[0], marks.lastIndex) : -1;
      hasTicks = closing >= 0;
      if (hasTicks) marks.lastIndex = closing + match[0].length;
      continue;
    }
    const found = readMark(line, { start, mark: match[0], place: match.index });
    if (!endsSentence(found)) continue;
    start = endOfEmoji(line, found.end);
    marks.lastIndex = start;
    yield start;
  }
}

const MARKS = /`+|[.!?…。！？｡؟۔।]+/g;
const CLOSERS = /["'”’»)\]}*_」』）】〉》]{0,4}/y;
const WIDE = /[。！？｡]$/;

interface Mark {
  /** One or more adjacent marks: `?!`, `...`. */
  readonly mark: string;
  readonly closers: string;
  /** Text before the marks, at most `LOOK_BACK` characters of the sentence. */
  readonly before: string;
  /** True if `before` starts at the beginning of the sentence. */
  readonly isWhole: boolean;
  /** Offset after the marks and closers. */
  readonly end: number;
  /** The first characters that follow. */
  readonly after: string;
}

/** Length of the longest abbreviation and the word before it. */
const LOOK_BACK = 32;
const LOOK_AHEAD = 16;

function readMark(
  line: string,
  found: { readonly start: number; readonly mark: string; readonly place: number },
): Mark {
  const { start, mark, place } = found;
  CLOSERS.lastIndex = place + mark.length;
  const closers = CLOSERS.exec(line)?.[0] ?? "";
  const end = place + mark.length + closers.length;
  const from = Math.max(start, place - LOOK_BACK);
  return {
    mark,
    closers,
    before: line.slice(from, place),
    isWhole: from === start,
    end,
    after: line.slice(end, end + LOOK_AHEAD),
  };
}

function endsSentence({ mark, closers, before, isWhole, after }: Mark): boolean {
  if (WIDE.test(mark)) return true;
  if (after !== "" && !/^\s/.test(after)) return false;
  const next = after.trimStart();
  const isLow = /^\p{Ll}/u.test(next);
  if (isLow && QUOTE.test(closers)) return false;
  if (/\s$/.test(before) && !/^[\p{Lu}\p{Lo}¿¡]/u.test(next)) return false;
  if (mark.length > 1 && /^[.…]+$/.test(mark)) return !isLow;
  if (mark === "…") return !isLow;
  return mark !== "." || closers !== "" || !belongsToWord(before, isWhole, next);
}

const QUOTE = /["'”’»」』]/;

/** Returns true if the dot is part of a word or a number. */
function belongsToWord(before: string, isWhole: boolean, next: string): boolean {
  const space = before.lastIndexOf(" ");
  const word = before.slice(space + 1).replace(OPENING_MARKS, "");
  if (word === "" || word.length > MAX_ABBREVIATION_CHARACTERS) return false;
  const rest = before.slice(0, Math.max(space, 0)).trimEnd();
  const previous = rest.slice(rest.lastIndexOf(" ") + 1).replace(OPENING_MARKS, "");
  const isFirst = isWhole && rest === "";
  if (/^\d{1,2}$/.test(word)) return isMarkerOrOrdinal({ previous, isFirst, next });
  if (/^\p{L}$/u.test(word)) return isInitial(word, { previous, isFirst, next });
  const name = word.toLowerCase();
  if (NEVER_LAST.has(name)) return true;
  if (BEFORE_NUMBER.has(name)) return /^\d/.test(next);
  if (DOTTED.test(word)) return !STARTER.test(next);
  return SELDOM_LAST.has(name) && !/^[\p{Lu}\p{Lo}¿¡"“«([]/u.test(next);
}

const MAX_ABBREVIATION_CHARACTERS = 7;
const OPENING_MARKS = /^["'“„«([*_]{1,3}/;

interface WordContext {
  readonly previous: string;
  /** True for the first word of a sentence. */
  readonly isFirst: boolean;
  readonly next: string;
}

/** Returns true for the numbers in "1. Open it", "am 3. Mai", "im 2. Stock". */
function isMarkerOrOrdinal({ previous, isFirst, next }: WordContext): boolean {
  if (isFirst || /[:;]$/.test(previous)) return true;
  return /^\p{Ll}/u.test(next) || ORDINAL_NEXT.test(next) || ORDINAL_BEFORE.has(previous.toLowerCase());
}

const ORDINAL_NEXT =
  /^(?:Jan|Feb|Mär|Apr|Mai|Jun[ie.]|Jul[i.]|Aug|Sep|Okt|Nov|Dez|Quartal|Stock|Etage|Jahrhundert|Klasse|Platz)/;
const ORDINAL_BEFORE = new Set(
  "am der dem den die das des vom zum zur bis ab im beim seit jeden jeder nr nr. kw".split(" "),
);

/** Returns true for "J. Weber", "Anna B. Weber", "z. B."; false for "so do I. Then", "vitamin C. Then". */
function isInitial(word: string, { previous, isFirst, next }: WordContext): boolean {
  if (/^\p{L}\./u.test(next) || /^\p{L}\.$/u.test(previous)) return true;
  if (word === "I" || !/^\p{Lu}$/u.test(word)) return word === "p" && /^\d/.test(next);
  return isFirst || (/^\p{Lu}/u.test(next) && !STARTER.test(next));
}

const DOTTED = /^(?:\p{L}\.)+\p{L}$/u;
const STARTER = /^(?:The|We|I|It|He|She|They|You|This|That|These|But|And|So|In|On|At|If|Then|My|Our|Now|Please)\b/;

/** Abbreviations that never end a sentence. */
const NEVER_LAST: ReadonlySet<string> = new Set(
  (
    "mr mrs ms dr prof st mt vs e.g i.e eg ie cf approx resp incl excl gen col sgt capt rev hon gov sen " +
    "z.b d.h u.a i.d.r bzw bspw vgl sog ggf evtl inkl zzgl ca hr fr sr sra srta dra ud uds p.ej núm pág aprox av"
  ).split(" "),
);
/** Words that are abbreviations only before a number: "No. 5", "Fig. 2", "Sept. 3". */
const BEFORE_NUMBER: ReadonlySet<string> = new Set(
  "no nos nr fig figs eq sec ch vol pp p ver jan feb mar apr jun jul aug sep sept oct nov dec art abs tel".split(" "),
);
/** Abbreviations that end a sentence only before a capital letter. */
const SELDOM_LAST: ReadonlySet<string> = new Set(
  "etc inc ltd co corp dept univ jr al ed eds est usw u.s.w mio mrd str ej a.m p.m min max std temp ref misc".split(
    " ",
  ),
);

const EMOJI = /\s{0,2}(?:\p{Extended_Pictographic}|\u200d|\ufe0e|\ufe0f|[\u{1f3fb}-\u{1f3ff}]){1,24}(?=\s|$)/uy;

/** Returns the end of the emoji after a sentence. */
function endOfEmoji(line: string, place: number): number {
  EMOJI.lastIndex = place;
  return EMOJI.exec(line) === null ? place : EMOJI.lastIndex;
}
