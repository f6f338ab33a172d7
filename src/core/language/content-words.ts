/** The distinct words of a line that can carry meaning, in lower case. Scripts without spaces give pairs of characters. */

/** A name with the marks inside it is one word: `src/a.ts`, `order-12`. */
const WORD = /[\p{L}\p{N}_]+(?:[./\\:-]+[\p{L}\p{N}_]+)*/gu;
const SPACELESS = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff]/;

export function contentWords(line: string): readonly string[] {
  const words = new Set<string>();
  const lower = line.toLowerCase();
  const hasSpaceless = SPACELESS.test(lower);
  for (const word of lower.match(WORD) ?? []) {
    if (hasSpaceless && SPACELESS.test(word)) addPairs(words, word);
    else if (word.length > 1 && word.length <= LONGEST_WORD && !IDLE.has(word) && !NON_ENGLISH_IDLE.has(word))
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

/**
 * Words of German, Spanish, French and Arabic, and pairs of characters of Chinese and Japanese, that say nothing by
 * themselves. A word that means something in English ("die", "son", "war") is left out: one that is said everywhere
 * counts for little anyway.
 */
const GERMAN =
  "aber alle alles als auch auf aus bei beim bis bist bisschen bitte da dabei damit danke dann das dass davon dazu dein " +
  "deine dem den denn der des dich dies diese diesem diesen dieser dieses doch dort du durch eben ein eine einem einen " +
  "einer eines einfach es etwas euch euer für ganz gar genau gerade gern gerne gibt ging hab habe haben hallo hatte " +
  "hier hin ich ihm ihn ihnen ihr ihre im immer ist ja jetzt jede jeder kann kein keine klar können machen mach macht " +
  "mal mehr mein meine mich mir mit muss müssen na nach natürlich nein nicht nichts noch nun nur ob oder oh ohne okay " +
  "schon sehr sein seine seit sich sie sieht sind soll sollte sondern sowie stimmt tschüss über übrigens um und uns " +
  "unser unter viel vielleicht vom von vor wäre wann warum weil weiter wenn werde werden wie wieder wir wird wirklich " +
  "wo wohl wurde würde zu zum zur zwar";
const SPANISH =
  "adiós ahora algo alguien algún al aquí así aunque bien bueno cada casi claro como cómo con cosa cosas creo cual " +
  "cuando cuándo cuánto de del desde donde dónde dos el ella ellas ellos en entonces entre eres es esa ese eso esos " +
  "esta está estaba están estar estás estas este esto estos estoy fue fueron fui gracias ha haber había hace hacer hacia " +
  "han has hasta hay he hemos hola hoy las le les lo los luego más me mi mí mientras mis mucha muchas mucho muchos muy " +
  "nada ni nos nosotros nuestra nuestro nunca o otra otro para pero poco por porque pues puede pueden puedo que qué " +
  "quien quién quiero se según ser si sí siempre sido sobre sólo soy su sus también tanto te tengo tenía ti " +
  "tiene tienen toda todas todos tu tú tus un una uno unos vale vamos verdad voy y ya yo usted ustedes";
const FRENCH =
  "alors au aussi autre aux avec avez avoir avons bien bonjour bonsoir ça ce ceci cela ces cet cette chez ci comme " +
  "dans de depuis des deux donc du elle elles en encore et était êtes être eu fait faire fois il ils je " +
  "jusque là le les leur leurs lui ma mais même merci moi mon ne nos notre nous on ont ou où oui parce pas " +
  "peu peut pourquoi quand que quel quelle qui quoi sa se ses si sont sous suis sur ta tes toi tous " +
  "toute très trop tu un une vos votre vous voilà";
const ARABIC =
  "من في إلى الى على عن مع أن ان إن أنا انا أنت انت أنتم نحن هو هي هم هذا هذه ذلك تلك الذي التي ما ماذا متى أين اين كيف " +
  "كم هل لا لم لن ليس نعم كان كانت يكون قد لقد ثم أو او و لكن لأن كل بعض أي أيضا ايضا جدا فقط حتى عند عندي بعد قبل بين " +
  "شكرا جزيلا مرحبا أهلا اهلا سلام السلام عليكم حسنا طيب تمام إذا اذا لو منذ هنا هناك الآن يا لي لك له لها به بها فيه " +
  "فيها حقا بخير الحمد والحمد لله ما زال شيء";

export const NON_ENGLISH_IDLE: ReadonlySet<string> = new Set(
  [GERMAN, SPANISH, FRENCH, ARABIC].flatMap((words) => words.split(" ")),
);

/** Two of these together say nothing. */
const CHINESE: ReadonlySet<number> = new Set(
  [
    ..."的了着过是我你您他她它们这那哪在有和与或也就都不没吗呢吧啊嗯哦哈呀嘛啦很太真好要会能可以说一个些么什怎样为因所但而且还再又只对挺得地到",
  ].map((character) => character.charCodeAt(0)),
);
const CHINESE_PAIRS: ReadonlySet<string> = new Set("谢谢 再见 早上 上好 晚安 客气 没关 关系 保重".split(" "));

/** Of Japanese, what is written in hiragana on both sides is grammar or politeness more often than not. */
export function isIdlePair(pair: string): boolean {
  const first = pair.charCodeAt(0);
  const second = pair.charCodeAt(1);
  if (isHiragana(first)) return isHiragana(second);
  return CHINESE.has(first) ? CHINESE.has(second) || CHINESE_PAIRS.has(pair) : CHINESE_PAIRS.has(pair);
}

function isHiragana(code: number): boolean {
  return code >= 0x3041 && code <= 0x309f;
}
