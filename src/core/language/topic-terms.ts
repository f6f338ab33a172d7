/**
 * The words of a text that say what it is about: function words left out, simple endings taken off, runs of scripts
 * that put no space between words taken two characters at a time. Which words of a language matter is otherwise left to
 * how often they come; a dictionary would only know the languages that it knows.
 *
 * Pairs of characters stand in for a segmenter, because the segmenters of two machines may disagree, and the same
 * conversation must have the same boundaries on both.
 */
import { stripEnding } from "./stem-word.ts";

const LONGEST_WORD = 40;

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

const FUNCTION_WORDS = new Set(
  [
    "a about actually after again all also am an and any are as at back be because been being both but by came can",
    "come could d did do does doing don done each else even every few for from get gets getting go goes going gone good",
    "got great had has have having he hello her here hers hey hi him his how i if im in into is it its just kind know",
    "let like ll lol lot lots made make makes many maybe me mean mine more most much must my need never new no nor not",
    "now of off oh ok okay on once one ones only or other our out over own please pretty put quite re really right s",
    "same say see she should since so some something sorry still such sure t take tell than thank thanks that the their",
    "them then there these they thing things think this those though through to too try trying two um under until up us",
    "use ve very want wanted was way we well went were what when where which while who whom why will with would yeah yep",
    "yes yet you your yours aber als am auch auf aus bei das dass dem den der des die dies ein eine einen einer er es",
    "für hat ich im ist ja kann mit nach nicht noch nur oder sich sie sind so und uns von war was wenn wie wir zu zum",
    "au aux avec ce ces cette dans de du elle en est et il ils je la le les leur lui mais mon ne nous ou par pas plus",
    "pour que qui sa se ses son sont sur tu un une vous con como del donde el ella ellos esta este esto hay las lo los",
    "más mi muy para pero por porque que se ser si sin su sus también una uno y ya",
  ].flatMap((line) => line.split(" ")),
);

export function termsOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const terms = Array.from(lower.matchAll(UNSPACED)).flatMap(([run]) => pairsOf(run));
  for (const [word] of lower.replace(UNSPACED, " ").matchAll(WORD)) {
    if (isTelling(word)) terms.push(stripEnding(word));
  }
  return terms;
}

function isTelling(word: string): boolean {
  return word.length > 1 && word.length <= LONGEST_WORD && !FUNCTION_WORDS.has(word) && !/^\d{1,2}$/.test(word);
}

/** Hiragana alone is nearly always grammar. */
function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return HIRAGANA.test(run) ? [] : [run];
  return characters
    .slice(1)
    .map((character, index) => `${characters[index] ?? ""}${character}`)
    .filter((pair) => !HIRAGANA.test(pair));
}
