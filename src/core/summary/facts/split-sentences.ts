/**
 * Cuts a text into the pieces that facts are read from: a line of a list is one, and so is a sentence of a paragraph.
 * Code between fences and quoted lines are marked, because what they say is not what the speaker says.
 */
export interface Sentence {
  readonly text: string;
  /** Stands between code fences, or on a line that begins as a quotation or as markup does. */
  readonly isQuoted: boolean;
  /** `open` and `done` where the line is a checkbox. */
  readonly box?: "open" | "done" | undefined;
}

/** Where a text that comes in pieces stands: whether a code fence is open. */
export interface FenceState {
  isFenced: boolean;
}

export function splitSentences(text: string, state: FenceState = { isFenced: false }): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const trimmed = line.trim();
    if (FENCES.some((fence) => trimmed.startsWith(fence))) state.isFenced = !state.isFenced;
    else if (trimmed !== "") for (const sentence of splitLine(trimmed, state.isFenced)) sentences.push(sentence);
  }
  return sentences;
}

/** The facts of a line as long as this are read from its start only: such lines are data. */
export const LONGEST_LINE = 20_000;
const FENCES = ["```", "~~~"];
const BOX = /^(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}(?:\[([ xX✓✔])\]|([☐☑✅✓✔]))[ \t]{0,4}/u;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])[ \t]{1,8}/;
const QUOTED = /^(?:>|<\/?[a-z]|\||["“«])/i;

function splitLine(line: string, isFenced: boolean): readonly Sentence[] {
  const isQuoted = isFenced || QUOTED.test(line);
  const short = line.slice(0, LONGEST_LINE);
  const box = BOX.exec(short);
  if (box !== null) {
    const isOpen = box[1] === " " || box[2] === "☐";
    return [{ text: short.slice(box[0].length).trim(), isQuoted, box: isOpen ? "open" : "done" }];
  }
  const body = short.replace(BULLET, "").replace(/^#{1,6} /, "");
  return splitAtEnds(body).map((text) => ({ text, isQuoted }));
}

/** At a mark that ends a sentence and has white space after it, or at one that needs none. */
export function splitAtEnds(line: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    const next = line.charAt(index + 1);
    const isEnd = WIDE_ENDS.includes(character) || (ENDS.includes(character) && (next === "" || WHITE.test(next)));
    if (!isEnd) continue;
    sentences.push(line.slice(start, index + 1).trim());
    start = index + 1;
  }
  sentences.push(line.slice(start).trim());
  return sentences.filter((sentence) => sentence !== "");
}

const ENDS = ".!?";
const WIDE_ENDS = "。！？";
const WHITE = /\s/;
