/** The distinct words of a line that can carry meaning, in lower case. Scripts without spaces give pairs of characters. */

import { IDLE_ELSEWHERE, isIdlePair } from "./idle-words.ts";

/** A name with the marks inside it is one word: `src/a.ts`, `order-12`. */
const WORD = /[\p{L}\p{N}_]+(?:[./\\:-]+[\p{L}\p{N}_]+)*/gu;
const SPACELESS = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff]/;

export function contentWords(line: string): readonly string[] {
  const words = new Set<string>();
  const lower = line.toLowerCase();
  const hasSpaceless = SPACELESS.test(lower);
  for (const word of lower.match(WORD) ?? []) {
    if (hasSpaceless && SPACELESS.test(word)) addPairs(words, word);
    else if (word.length > 1 && word.length <= LONGEST_WORD && !IDLE.has(word) && !IDLE_ELSEWHERE.has(word))
      words.add(word);
  }
  return [...words];
}

const LONGEST_WORD = 250;

function addPairs(words: Set<string>, word: string): void {
  if (word.length === 1 && !isIdlePair(`${word}${word}`)) words.add(word);
  for (let place = 0; place + 1 < word.length; place += 1) {
    const pair = word.slice(place, place + 2);
    if (!isIdlePair(pair)) words.add(pair);
  }
}

const IDLE: ReadonlySet<string> = new Set(
  (
    "a about after again all also am an and any are as at be because been before being but by can could did do does " +
    "doing don down for from further get go going got had has have having he her here hers him his how i if in into is " +
    "it its itself just know let like ll make may me might mean more most much my need no nor not now of off ok okay on " +
    "once one only or other our out over own re really right same say see she should so some such sure than that the " +
    "their them then there these they thing things think this those through to too um uh under up us use very want was " +
    "way we well were what when where which while who why will with would yeah yes you your user assistant tool ve isn " +
    "aren didn doesn hmm oh thanks thank please"
  ).split(" "),
);
