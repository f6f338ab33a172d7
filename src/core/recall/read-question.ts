/**
 * Finds the concepts of a question: its content words, each with words that may replace it in an answer (related words,
 * other forms, parts of compounds). Names and numbers weigh more, because they are seldom replaced.
 */
import { isAskingTerm } from "../language/common-words.ts";
import { isQuestionWord, UNSPACED_QUESTION_WORDS } from "../language/stop-words.ts";
import { relatedTerms } from "../language/thesaurus.ts";
import { isUnspaced, splitWords, termsOfPiece } from "../language/words.ts";
import { detectPhraseLanguage } from "./phrases.ts";
import { type RecallIndex, speakerTerm } from "./recall-index.ts";

export interface Concept {
  readonly word: string;
  readonly term: string;
  readonly weight: number;
  /** Capitalized, and not the first word of the question. */
  readonly isName: boolean;
  /** Term of the speaker with this name, if one speaks in the conversation. */
  readonly speaker?: string | undefined;
  /** Terms that match, each with its weight. The term itself has the weight 1. */
  readonly terms: ReadonlyMap<string, number>;
}

/** Maximum number of concepts, because each is compared with every term of the index. */
const MAX_CONCEPTS = 40;
const NAME_WEIGHT = 1.4;
const MENTION_WEIGHT = 0.15;
const SINGLE_HAN_WEIGHT = 0.6;
const ASKING_WEIGHT = 0.5;

export function readQuestion(question: string, index: RecallIndex): readonly Concept[] {
  const concepts = new Map<string, Concept>();
  const capitalizesNouns = detectPhraseLanguage(question) === "de";
  let isFirst = true;
  for (const piece of splitWords(question.replace(UNSPACED_QUESTION_WORDS, " "))) {
    for (const term of isQuestionWord(piece) ? [] : termsOfPiece(piece)) {
      if (!concepts.has(term) && concepts.size < MAX_CONCEPTS)
        concepts.set(term, readConcept(piece, { term, isFirst, capitalizesNouns, index }));
    }
    isFirst = false;
  }
  return [...concepts.values()];
}

interface Reading {
  readonly term: string;
  /** True for the first word, which is always capitalized. */
  readonly isFirst: boolean;
  /** True for German, in which a capital letter does not indicate a name. */
  readonly capitalizesNouns: boolean;
  readonly index: RecallIndex;
}

function readConcept(piece: string, { term, isFirst, capitalizesNouns, index }: Reading): Concept {
  if (isUnspaced(piece)) {
    const weight = [...term].length === 1 ? SINGLE_HAN_WEIGHT : 1;
    return { word: piece, term, weight, isName: false, terms: new Map([...relatedTerms(term), [term, 1]]) };
  }
  const isLarge = !isFirst && /^\p{Lu}/u.test(piece);
  const terms = new Map<string, number>();
  const put = (each: string, weight: number): void => {
    terms.set(each, Math.max(weight, terms.get(each) ?? 0));
  };
  for (const [other, weight] of relatedTerms(term)) put(other, weight);
  if (!/\d/.test(term)) for (const other of similarTerms(term, index)) put(other, SIMILAR_WEIGHT);
  const speaker = speakerTerm(piece.replace(/['’]s$/i, ""));
  const isSpeaker = index.postingsOf(speaker).length > 0;
  if (isSpeaker) terms.clear();
  // Sentences by a person are more often about that person than sentences that mention the name.
  put(term, isSpeaker ? MENTION_WEIGHT : 1);
  put(speaker, 1);
  const plain = isAskingTerm(term) ? ASKING_WEIGHT : 1;
  const weight = isLarge || /\d/.test(piece) ? NAME_WEIGHT : plain;
  return {
    word: piece,
    term,
    weight,
    isName: isLarge && !capitalizesNouns,
    speaker: isSpeaker ? speaker : undefined,
    terms,
  };
}

const MIN_SIMILAR_CHARACTERS = 4;
const MIN_CONTAINED_CHARACTERS = 5;
const SIMILAR_WEIGHT = 0.7;

/**
 * Yields terms that look like other forms of a word, compounds with it or, for an unknown word, its correct spelling.
 */
function* similarTerms(term: string, index: RecallIndex): Generator<string, void> {
  if (term.length < MIN_SIMILAR_CHARACTERS) return;
  const mayBeTypo = term.length >= MIN_CONTAINED_CHARACTERS && index.postingsOf(term).length === 0;
  for (const other of index.terms) {
    if (other.length < MIN_SIMILAR_CHARACTERS || other === term) continue;
    // Most terms differ in their first letter, and only a part of them can match.
    if (other.charCodeAt(0) !== term.charCodeAt(0)) {
      if (contains(term, other)) yield other;
    } else if (isSimilar(term, other) || (mayBeTypo && isTypo(term, other))) yield other;
  }
}

function contains(term: string, other: string): boolean {
  if (term.length === other.length) return false;
  const [shorter, longer] = term.length < other.length ? [term, other] : [other, term];
  return shorter.length >= MIN_CONTAINED_CHARACTERS && longer.includes(shorter);
}

function isSimilar(term: string, other: string): boolean {
  const [shorter, longer] = term.length < other.length ? [term, other] : [other, term];
  const shared = sharedStart(shorter, longer);
  if (shared === shorter.length)
    return longer.length - shorter.length <= 3 || shorter.length >= MIN_CONTAINED_CHARACTERS;
  if (shared >= 5 && shared >= 0.7 * longer.length) return true;
  return contains(term, other);
}

/** Returns true if one letter is missing, added or wrong, or if two neighbors are swapped, after the first letter. */
function isTypo(term: string, other: string): boolean {
  const [shorter, longer] = term.length < other.length ? [term, other] : [other, term];
  const start = sharedStart(shorter, longer);
  if (start === 0 || longer.length - shorter.length > 1) return false;
  const rest = (word: string, from: number): string => word.slice(start + from);
  if (shorter.length < longer.length) return rest(shorter, 0) === rest(longer, 1);
  const isSwapped = shorter[start] === longer[start + 1] && shorter[start + 1] === longer[start];
  return rest(shorter, 1) === rest(longer, 1) || (isSwapped && rest(shorter, 2) === rest(longer, 2));
}

function sharedStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length += 1;
  return length;
}

/** The kind of answer that a question asks for. It changes scores and never excludes a sentence. */
export type AnswerKind = "person" | "time" | "figure" | "place" | "reason";

const ASKED: readonly (readonly [AnswerKind, RegExp])[] = [
  ["person", /\b(?:who|whom|whose)\b|\b(?:wer|wen|wem|wessen)\b|\bqui[eé]n(?:es)?\b|\b(?:qui|quem)\b|谁|誰|だれ/iu],
  [
    "time",
    /\b(?:when|what (?:time|day|date|hour|year)|which (?:day|date|year|month)|until when|how long|how often|deadline|since when)\b|\b(?:wann|um wie ?viel uhr|wie lange|termin|datum)\b|\bcu[aá]ndo\b|\bqu(?:and|ando|elle heure|e horas)\b|\bprazo\b|\b(?:qu[eé] (?:hora|d[ií]a|fecha)|fecha)\b|什么时候|几点|哪一天|哪天|日期|多久|いつ|何時|何日|時刻/iu,
  ],
  [
    "figure",
    /\bhow (?:much|many|old|far|large|big|tall|deep|warm|high|wide|long|heavy|fast|often)\b|\b(?:cost|price|number|size|height|depth|amount|rate|digits|code|maximum|percentage)\b|\bwie ?(?:viel|viele|teuer|hoch|groß|alt|weit|oft)\b|\b(?:kostet|preis)\b|\b(?:cu[aá]nt[oa]s?|precio|n[uú]mero|combien|prix|quant[oa]s?|preço)\b|多少|几个|价格|いくら|いくつ|何人|費用/iu,
  ],
  [
    "place",
    /\bwhere\b|\b(?:venue|hometown|location|birthplace|city|place)\b|\bwo(?:hin|her)?\b|\bstadt\b|\b(?:a)?d[oó]nde\b|\bciudad\b|\bonde\b|(?<!\p{L})où(?!\p{L})|哪里|哪儿|什么地方|どこ/iu,
  ],
  [
    "reason",
    /\b(?:why|reason|cause|how come)\b|\b(?:warum|wieso|weshalb|grund)\b|\bpor qu[eé]\b|\bpourquoi\b|\bpor que\b|为什么|原因|なぜ|どうして|理由/iu,
  ],
];

export function findAnswerKinds(question: string): readonly AnswerKind[] {
  return ASKED.flatMap(([kind, pattern]) => (pattern.test(question) ? [kind] : []));
}

const MONTHS_AND_DAYS =
  "jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|zo)|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sep(?:t|tember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|" +
  "enero|febrero|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|" +
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo";
const TIME = new RegExp(
  `\\b(?:${MONTHS_AND_DAYS})\\b|\\b\\d{1,2}:\\d{2}\\b|\\b(?:19|20)\\d{2}\\b|\\b(?:today|tomorrow|yesterday|tonight|noon|midnight|morning|evening|afternoon|weekend|week|weeks|month|months|year|years|days?|night|hours?|minutes?|o'clock|ago|last|next|easter|christmas|spring|summer|autumn|winter|every|twice|uhr|morgen|gestern|heute|woche|monat|jahr|mañana|ayer|hoy|semana|mes|año)\\b|[年月日点时時分週周]`,
  "iu",
);
const FIGURE =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|dozen|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b|[一二三四五六七八九十百千万]/iu;
const NAME = /(?<=[\p{Ll}\p{P}\d]\s)\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+(?=\s\p{Ll})|\p{Script=Han}/u;
const PLACE =
  /\b(?:in|at|on|from|to|near|by|behind|under|above|beside|next to|away|outside|inside|unter|neben|hinter|aus|nach|bei|en|cerca|debajo|detrás)\b|[在到里内住]|に|で/iu;
const REASON =
  /\b(?:because|since|so that|due to|therefore|reason|caused?|so|to|as|weil|da|wegen|damit|porque|debido|para)\b|因为|所以|ので|から|ため/iu;

export function hasKind(sentence: string, kind: AnswerKind): boolean {
  switch (kind) {
    case "person":
      return NAME.test(sentence);
    case "time":
      return TIME.test(sentence);
    case "figure":
      return FIGURE.test(sentence);
    case "place":
      return PLACE.test(sentence);
    case "reason":
      return REASON.test(sentence);
    default:
      return kind satisfies never;
  }
}

export interface AskedDay {
  readonly year: number | undefined;
  /** 0 for January. */
  readonly month: number;
  readonly day: number | undefined;
}

const MONTH_NAMES = [
  "jan(?:uary|uar)?|enero",
  "feb(?:ruary|ruar)?|febrero",
  "mar(?:ch|zo)|märz",
  "apr(?:il)?|abril",
  "may|mai|mayo",
  "june?|juni|junio",
  "july?|juli|julio",
  "aug(?:ust)?|agosto",
  "sept?(?:ember)?|septiembre",
  "o[ck]t(?:ober)?|octubre",
  "nov(?:ember)?|noviembre",
  "de[cz](?:ember)?|diciembre",
];
const NAMED = MONTH_NAMES.map(
  (names) =>
    new RegExp(
      `(?:\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s(?:of\\s|de\\s)?)?\\b(?:${names})\\b\\.?(?:\\s(\\d{1,2})(?!\\d)(?:st|nd|rd|th)?)?(?:,?\\s(?:de\\s)?((?:19|20)\\d{2}))?`,
      "iu",
    ),
);
const NUMBERED = /\b((?:19|20)\d{2})-(\d{2})-(\d{2})\b|((?:19|20)\d{2})年(\d{1,2})月(?:(\d{1,2})日)?/u;

/** Matches the words before a month, as in "in June". */
const PERIOD = /\b(?:in|during|since|until|last|this|next|im|seit|bis|letzten|en|desde|hasta|durante)\s+$/iu;

/** Requires a day, a year or a preposition next to a month, because "may" and "mar" are also other words. */
export function findAskedDay(question: string): AskedDay | undefined {
  const numbered = NUMBERED.exec(question);
  if (numbered !== null) {
    const [, isoYear, isoMonth, isoDay, year, month, day] = numbered;
    return asDay(isoYear ?? year, Number(isoMonth ?? month) - 1, isoDay ?? day);
  }
  for (const [month, pattern] of NAMED.entries()) {
    const found = pattern.exec(question);
    if (found === null) continue;
    const [, before, after, year] = found;
    const isPlain = before === undefined && after === undefined && year === undefined;
    if (!isPlain || PERIOD.test(question.slice(0, found.index))) return asDay(year, month, before ?? after);
  }
  return undefined;
}

function asDay(year: string | undefined, month: number, day: string | undefined): AskedDay {
  return {
    year: year === undefined ? undefined : Number(year),
    month,
    day: day === undefined ? undefined : Number(day),
  };
}

/** Includes messages from shortly after a month, because people still mention it then. */
const ECHO_MS = 14 * 86_400_000;

export function wasSaidOn(saidAt: number | undefined, asked: AskedDay): boolean {
  if (saidAt === undefined || !Number.isFinite(saidAt)) return false;
  return isOn(new Date(saidAt), asked) || (asked.day === undefined && isOn(new Date(saidAt - ECHO_MS), asked));
}

function isOn(at: Date, { year, month, day }: AskedDay): boolean {
  if (at.getUTCMonth() !== month) return false;
  return (year ?? at.getUTCFullYear()) === at.getUTCFullYear() && (day ?? at.getUTCDate()) === at.getUTCDate();
}
