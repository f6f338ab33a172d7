/** Recognizes the languages that have cues, dates and headings: by script, and in Latin script by frequent words. */
import { listWords } from "./list-words.ts";

export type LanguageCode = "en" | "de" | "es" | "fr" | "pt" | "zh" | "ja" | "ar";

/** Result for the last text, because a sentence is read for one kind of cue after the other. */
let last: { readonly text: string; readonly languages: readonly LanguageCode[] } = { text: "", languages: [] };

/**
 * Returns the languages other than English that a sentence may be in: none for English, several if their words are
 * equally frequent.
 */
export function listOtherLanguages(text: string): readonly LanguageCode[] {
  if (last.text !== text) last = { text, languages: findOtherLanguages(text) };
  return last.languages;
}

function findOtherLanguages(text: string): readonly LanguageCode[] {
  if (BEYOND_LATIN.test(text)) {
    const script = SCRIPTS.find(([, letter]) => letter.test(text));
    if (script !== undefined) return [script[0]];
  }
  return HINT.test(text) ? countFrequentWords(text) : [];
}

/** Returns the language of most texts. Ignores texts whose language is unclear. */
export function detectLanguage(texts: Iterable<string>): LanguageCode | undefined {
  const votes = new Map<LanguageCode, number>();
  let all = 0;
  for (const text of texts) {
    const start = text.slice(0, READ_CHARACTERS);
    const [language = "en", ...others] = listOtherLanguages(start);
    if (others.length > 0 || (language === "en" && start.split(" ").length < MIN_ENGLISH_WORDS)) continue;
    votes.set(language, (votes.get(language) ?? 0) + 1);
    all += 1;
  }
  return [...votes].find(([, count]) => count > all / 2)?.[0];
}

const READ_CHARACTERS = 400;
/** Shorter texts, such as "OK" and names, occur in every language. */
const MIN_ENGLISH_WORDS = 4;

const BEYOND_LATIN = /[\u0600-\uffff]/;
const SCRIPTS: readonly (readonly [LanguageCode, RegExp])[] = [
  ["ja", /[\u3041-\u30ff]/],
  ["zh", /[\u4e00-\u9fff]/],
  ["ar", /[\u0620-\u064a]/],
];

/** Frequent words of each language. Some occur in two of the lists, some also in English. */
const FREQUENT = {
  de: `der das dem den und nicht nichts nie niemals ist sind wir ich du es auf mit muss müssen darf dürfen noch bitte ein
    eine einen kein keine keinen nur immer wird werden haben habe hab hat für von zum zur im am wie wo wer wann warum uns
    unsere mein meine ab jetzt letzte letzten letzter nächste nächsten gestern morgen vor zwei drei dann nehmen
    heute woche fehlt fehlen fertig gegen entschluss dass weil wenn ob sich mich mir dir dich lass bei nach über unter
    heute woche doch lieber statt stattdessen`,
  es: `el la los las lo de del que por con una un se su sus nunca jamás nada hay ya está están en al para pero como más
    muy todavía aún falta faltan ayer mañana hoy hace hemos he decidí tenemos tengo nos mi mis vamos solo siempre y usa mejor nueva pensándolo usemos usamos
    soy fin quien quién cuándo donde dónde porque este esta eso todo todos ser hacer hecho tiene queda quedan decidido
    evita debe pasado semana`,
  fr: `le la les des du de un une ne pas jamais plus rien il elle on nous vous je est sont sur dans pour avec au aux en et
    ce cette que qui faut toujours encore déjà hier demain aujourd dernier dernière prochain prochaine reste doit désormais nouvelle finalement plutôt utilise
    l d j n qu prenons gardons garde suis été être fait faire ou où quand quoi deux ancien choix décision
    évite mon ma mes notre nos tu`,
  pt: `o os um uma não nunca jamais nada que com para por do da dos das no na nos nas em ao já ainda está estão é foi se
    ontem amanhã hoje há nosso nossa meu minha vamos temos tenho sempre apenas evite falta deve pode resolvi decidi
    mais fim sou você quem quando onde ser fazer feito tem continua ficou equipe pelo pela este esta isso tudo todos
    decidimos escolhemos escolhi combinamos passado passada semana de melhor usamos`,
} as const;
type European = keyof typeof FREQUENT;

const byWord = new Map<string, European[]>();
for (const code of Object.keys(FREQUENT) as European[]) {
  for (const word of new Set(listWords(FREQUENT[code]))) byWord.set(word, [...(byWord.get(word) ?? []), code]);
}

/** Words of the lists that also occur in English texts, so they alone do not indicate another language. */
const IN_ENGLISH: ReadonlySet<string> = new Set(
  listWords(
    "am on no plus he do hay hoy hat ab con nos wo im es y o un al hab mes ma tu solo an en se mi mis pas as e l d j n fin ser este decision dir dos fait ou",
  ),
);
/** Matches every sentence with one of the other words; faster than counting them. */
const HINT = new RegExp(
  `[\\u00c0-\\u017f]|\\b[dljnmtsc]['’](?!(?:s|t|d|ll|re|ve|m|em|er|all|know)\\b)[a-z]{2}|\\b(?:${[...byWord.keys()].filter((word) => /^[a-z]+$/.test(word) && !IN_ENGLISH.has(word)).join("|")})\\b`,
  "i",
);
const LETTERS: readonly (readonly [European, RegExp])[] = [
  ["de", /[äöüß]/i],
  ["es", /[ñ¿¡]/i],
  ["fr", /[èêùœîû]/i],
  ["pt", /[ãõ]/i],
];

const ACCENT = /[\u00c0-\u017f]/;

function countFrequentWords(text: string): readonly European[] {
  const counts = { de: 0, es: 0, fr: 0, pt: 0 };
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []) {
    for (const code of byWord.get(word) ?? []) counts[code] += 1;
  }
  for (const [code, letter] of LETTERS) if (letter.test(text)) counts[code] += 1;
  const most = Math.max(...Object.values(counts));
  // An accent without a frequent word may belong to each of them.
  return most === 0 && !ACCENT.test(text)
    ? []
    : (Object.keys(counts) as European[]).filter((code) => counts[code] === most);
}
