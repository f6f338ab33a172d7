/**
 * Splits text into words and sentences for the recall measures. It shares no code with the summarizer, so that a
 * mistake there is not repeated here.
 */
const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;

/** Returns every content word, in lower case and without its ending. */
export function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  for (const [found] of text.toLowerCase().matchAll(WORD)) {
    const word = found.replace(/['’](?:s|d|m|ll|ve|re)$/, "").replace(/['’]/g, "");
    if (word !== "" && !STOPS.has(word)) words.push(stem(word));
  }
  return words;
}

export function distinctWords(text: string): ReadonlySet<string> {
  return new Set(wordsIn(text));
}

/** Removes plain English endings, so that "painted" and "painting" match "paint". */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  for (const [ending, put] of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= MIN_STEM_CHARACTERS) {
      return dropDoubledLetter(word.slice(0, -ending.length) + put);
    }
  }
  return word;
}

const MIN_STEM_CHARACTERS = 3;
const ENDINGS: readonly (readonly [string, string])[] = [
  ["ies", "y"],
  ["sses", "ss"],
  ["ing", ""],
  ["edly", ""],
  ["ed", ""],
  ["es", ""],
  ["ly", ""],
  ["s", ""],
  ["e", ""],
];

function dropDoubledLetter(stemmed: string): string {
  const last = stemmed.at(-1);
  return stemmed.length > MIN_STEM_CHARACTERS && last === stemmed.at(-2) && last !== undefined && !"sle".includes(last)
    ? stemmed.slice(0, -1)
    : stemmed;
}

/** Splits at line ends, and at sentence marks followed by white space. */
export function sentencesIn(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

const STOPS: ReadonlySet<string> = new Set(
  (
    "a about above after again against all also am an and any are arent as at be because been before being below " +
    "between both but by can cant could couldnt did didnt do does doesnt doing dont down during each few for from " +
    "further had hadnt has hasnt have havent having he her here hers herself him himself his how i if in into is isnt " +
    "it its itself just ll me more most my myself no nor not now of off on once only or other our ours ourselves out " +
    "over own re same she should shouldnt so some such t than that the their theirs them themselves then there these " +
    "they this those through to too under until up ve very was wasnt we were werent what when where which while who " +
    "whom why will with wont would wouldnt you your yours yourself yourselves"
  ).split(" "),
);
