/** Tables of words and phrases, written as one template string instead of many strings. */

/** Splits at spaces and line breaks: `listWords("am der dem")`. */
export function listWords(text: string): readonly string[] {
  return text.trim().split(/\s+/u);
}

/** Splits at commas, for entries of several words: `listPhrases("you know, kind of")`. Line breaks are spaces. */
export function listPhrases(text: string): readonly string[] {
  return text.split(",").map((phrase) => listWords(phrase).join(" "));
}

/** Splits at line breaks, and drops indentation and empty lines. */
export function listLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
