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

export const IDLE_ELSEWHERE: ReadonlySet<string> = new Set(
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
