/**
 * Stems words. A stem need not be a word: it only has to be the same for "moved" and "moves". Strips at most one
 * ending, because stripping more joins different words. Measurements are in decision 36.
 */
import { listPhrases, listWords } from "./list-words.ts";

/** Strips one English ending from a folded word, if at least three letters remain. */
export function stemWord(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  if (/..ie[sd]$/.test(word)) return `${word.slice(0, -3)}y`;
  return word.replace(/(?<=[a-z]{3})(?:ing|ed|es|e|(?<=[a-z]{4})(?<!s)s)$/, "");
}

/** Folds a word, replaces an irregular English form with its base word, and strips the ending. */
export function stemForm(word: string): string {
  const folded = foldWord(word);
  return stemWord(LEMMAS.get(folded) ?? folded);
}

/** Removes case, accents, apostrophes and the separators inside a number. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (/^[a-z]+$/.test(lower)) return lower;
  const folded = lower
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replaceAll("ß", "ss")
    .replace(/['’]/g, "");
  return /^\d[\d.,:]*$/.test(folded) ? folded.replace(/[.,:]/g, "") : folded;
}

/** Irregular forms and related words. Summaries rank by `stemWord` alone: with these they lose 0.8 % of the facts. */
const FORMS = listPhrases(`
  be: was were been is are am being, go: went gone goes going, buy: bought, sell: sold, give: gave given, take: took
  taken, make: made, come: came, see: saw seen, say: said says, tell: told, think: thought, know: knew known, find:
  found, get: got gotten, keep: kept, leave: left, lose: lost, lend: lent, send: sent, spend: spent, meet: met, pay:
  paid, read: reads, run: ran runs running, begin: began begun beginning, start: starts, break: broke broken, choose:
  chose chosen, write: wrote written writing, speak: spoke spoken, teach: taught, catch: caught, bring: brought,
  build: built, grow: grew grown, eat: ate eaten, drink: drank drunk, drive: drove driven driving, ride: rode ridden
  riding, fly: flew flown flies flight, fall: fell fallen, feel: felt, hear: heard, hold: held, hide: hid hidden, win:
  won winning, wear: wore worn, swim: swam swum swimming, sing: sang sung, sleep: slept, stand: stood, steal: stole
  stolen, throw: threw thrown, understand: understood, wake: woke woken, draw: drew drawn, forget: forgot forgotten,
  forbid: forbade forbidden, freeze: froze frozen, decide: decision decisions decided, arrive: arrival arrivals, die:
  died dead death dies dying, marry: married marriage wedding, bear: born birth birthplace birthday, choice: choices,
  child: children, person: people persons, man: men, woman: women, foot: feet, tooth: teeth, mouse: mice, goose:
  geese, wife: wives, shelf: shelves, leaf: leaves, life: lives, live: living lived, cut: cuts cutting, swap: swapped,
  plan: planned planning plans, stop: stopped stopping stops, ship: shipped shipping ships, mum: mom mother mothers
  mama mummy, dad: father fathers papa daddy, grandma: grandmother granny gran, grandpa: grandfather granddad, phone:
  telephone mobile, bike: bicycle bicycles bikes, photo: photograph photographs photos, fridge: refrigerator, exam:
  examination exams, ad: advertisement advert ads, colour: color colors colours, centre: center centers centres,
  licence: license, theatre: theater, long: length lengthy, deep: depth, high: height, wide: width, strong: strength,
  warm: warmth, true: truth, weigh: weight weighs, choir: choirs, mic: microphone microphones, db: database databases,
  repo: repository repositories, config: configuration configurations, docs: documentation, prod: production
`);

const LEMMAS: ReadonlyMap<string, string> = new Map(
  FORMS.flatMap((line) => {
    const [lemma = "", forms = ""] = line.split(": ");
    return listWords(forms).map((form): [string, string] => [form, lemma]);
  }),
);
