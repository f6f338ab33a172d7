/**
 * Whether an answer has no word in common with what it was to summarise. It is asked only where that says something: the
 * answer has several words that mean something, the source has hundreds, both are written with spaces between words, and
 * the small words of the answer are in the source too, so that both are of one language. A summary in another language
 * than the conversation has none of its words, and may be a good one.
 */
const WORD = /[\p{L}\p{N}]+/gu;
/** Written without spaces between words, or with words that change too much at their ends. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}]/u;
const FEW_WORDS = 3;
const LONG_SOURCE_WORDS = 300;
/** So many first letters are the same in "looks" and "looked". */
const STEM_LETTERS = 4;
const SMALL_LETTERS = 3;

/** Words of four letters and more that stand in any text. */
const COMMON: ReadonlySet<string> = new Set(
  "that this these those with from have been being were they them their there about which would could should also into some more than then when what will your just only very such after before over under between while where here each other most both does done make made like well many much even been user users assistant conversation summary talked discussed topic topics several various".split(
    " ",
  ),
);

export function sharesNothing(answer: string, source: Iterable<string>): boolean {
  if (UNSPACED.test(answer)) return false;
  const wanted = new Set<string>();
  const small = new Set<string>();
  for (const [word] of answer.toLowerCase().matchAll(WORD)) {
    if (isSmall(word)) small.add(word);
    else if (!COMMON.has(word)) wanted.add(word.slice(0, STEM_LETTERS));
  }
  if (wanted.size < FEW_WORDS) return false;
  const known = new Set<string>();
  let words = 0;
  for (const text of source) {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      words += 1;
      if (small.has(word)) known.add(word);
      else if (wanted.has(word.slice(0, STEM_LETTERS)) && !COMMON.has(word)) return false;
    }
  }
  return words >= LONG_SOURCE_WORDS && known.size > 0 && known.size * 2 >= small.size;
}

/** Says little by itself. A number of two digits says something. */
function isSmall(word: string): boolean {
  return word.length <= SMALL_LETTERS && !/\d\d/.test(word);
}
