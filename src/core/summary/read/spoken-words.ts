/** Splits a sentence into words with their punctuation. Marks for noises and breaks become pauses. */

/** A word with its punctuation. */
export interface SpokenWord {
  readonly text: string;
  /** In lower case, with a plain apostrophe. */
  readonly key: string;
  readonly before: string;
  /** Punctuation after the word. A dash includes the space before it. */
  readonly after: string;
}

/** Transcript marks for noises and breaks: `{vocalsound}`, `[laughs]`, `<pause>`. */
const NOISE =
  /\{[a-z_ ]{1,24}\}|[[(<](?:laugh\w{0,8}|pause|sighs?|cough\w{0,4}|inaudible|crosstalk|unintelligible|music|noise|applause)[\])>]/gi;
const LOOSE_MARK = / +(?=[.,!?;:](?:\s|$))/g;
/** The space inside "it 's" and "we 're". */
const APART = /(?<=[a-z]) (?=['’](?:s|re|m|ll|ve|d)\b)/gi;
const SPOKEN = /[{[(<]| [.,!?;:](?:\s|$)|^[\s,;.]| ['’][a-z]/i;
const PAUSES = /(?:[,;]\s*){2,}/g;

/** Removes marks for noises and spaces before punctuation. */
export function cleanSpokenSentence(sentence: string): string {
  if (!SPOKEN.test(sentence)) return sentence;
  const quiet = sentence
    .replace(APART, "")
    .replace(NOISE, () => ", ")
    .replace(LOOSE_MARK, "");
  return quiet
    .replace(PAUSES, () => ", ")
    .replace(/,\s*(?=[.!?])/g, "")
    .replace(/(?<=[.!?]),/g, "")
    .replace(/^[\s,;.]+/, "");
}

export function readSpokenWords(sentence: string): readonly SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const piece of sentence.split(" ")) {
    let start = 0;
    let end = piece.length;
    while (start < end && !opensWord(piece.charCodeAt(start))) start += 1;
    while (end > start && !closesWord(piece.charCodeAt(end - 1))) end -= 1;
    const last = words.at(-1);
    if (end > start) words.push(wordOf(piece, start, end));
    else if (last !== undefined && piece !== "") words[words.length - 1] = { ...last, after: `${last.after} ${piece}` };
  }
  return words;
}

function wordOf(piece: string, start: number, end: number): SpokenWord {
  const text = start === 0 && end === piece.length ? piece : piece.slice(start, end);
  const lower = text.toLowerCase();
  const key = lower.includes("’") ? lower.replaceAll("’", "'") : lower;
  return { text, key, before: piece.slice(0, start), after: piece.slice(end) };
}

const OPENING = codesOf("$#@&+%");
const CLOSING = codesOf("%+#)]");
/** First character code of dashes, curly quotes, dots and bullets. */
const FIRST_MARK = 0x2010;
const LAST_MARK = 0x2060;

function codesOf(marks: string): ReadonlySet<number> {
  return new Set([...marks].map((mark) => mark.charCodeAt(0)));
}

function opensWord(code: number): boolean {
  return isLetter(code) || OPENING.has(code);
}

function closesWord(code: number): boolean {
  return isLetter(code) || CLOSING.has(code);
}

function isLetter(code: number): boolean {
  if (code > 127) return code < FIRST_MARK || code > LAST_MARK;
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Removes words, and moves their punctuation to the word before. */
export function removeWords(
  words: readonly SpokenWord[],
  isDropped: (word: SpokenWord, index: number) => boolean,
): readonly SpokenWord[] {
  const first = words.findIndex(isDropped);
  if (first < 0) return words;
  const kept = words.slice(0, first);
  for (let index = first; index < words.length; index += 1) {
    const word = words[index];
    const last = kept.at(-1);
    if (word === undefined) break;
    if (!isDropped(word, index)) kept.push(word);
    else if (last !== undefined && last.after === "" && word.after !== "") {
      kept[kept.length - 1] = { ...last, after: word.after };
    }
  }
  return kept;
}

/** Drops final punctuation, and replaces a mark between sentences with a comma. */
export function writeSpokenWords(words: readonly SpokenWord[]): string {
  return words
    .map(({ before, text, after }) => `${before}${text}${after}`)
    .join(" ")
    .replace(/[!;]+/g, ",")
    .replace(/[\s.,:?…—–-]+$/u, "");
}

/** Returns true if these words follow at the index, with only spaces between them. */
export function startsRun(words: readonly SpokenWord[], index: number, run: readonly string[]): boolean {
  return run.every((key, offset) => {
    const word = words[index + offset];
    return word?.key === key && (offset === run.length - 1 || word.after === "");
  });
}

/** Maps each first word to its phrases, the longest first. */
export function indexRuns(all: readonly (readonly string[])[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const byFirst = new Map<string, (readonly string[])[]>();
  for (const run of all.toSorted((left, right) => right.length - left.length)) {
    const first = run[0] ?? "";
    byFirst.set(first, [...(byFirst.get(first) ?? []), run]);
  }
  return byFirst;
}
