/**
 * What kind of answer a question asks for (a person, a time, a figure, a place, a reason), and whether a sentence has
 * one. It tells likely sentences from less likely ones and never rules one out.
 */
export type AnswerKind = "person" | "time" | "figure" | "place" | "reason";

const ASKED: readonly (readonly [AnswerKind, RegExp])[] = [
  ["person", /\b(?:who|whom|whose)\b|\b(?:wer|wen|wem|wessen)\b|\bqui[eé]n(?:es)?\b|谁|誰|だれ/iu],
  [
    "time",
    /\b(?:when|what (?:time|day|date|hour|year)|which (?:day|date|year|month)|until when|how long|how often|deadline|since when)\b|\b(?:wann|um wie ?viel uhr|wie lange|termin|datum)\b|\bcu[aá]ndo\b|\b(?:qu[eé] (?:hora|d[ií]a|fecha)|fecha)\b|什么时候|几点|哪一天|哪天|日期|多久|いつ|何時|何日|時刻/iu,
  ],
  [
    "figure",
    /\bhow (?:much|many|old|far|large|big|tall|deep|warm|high|wide|long|heavy|fast|often)\b|\b(?:cost|price|number|size|height|depth|amount|rate|digits|code|maximum|percentage)\b|\bwie ?(?:viel|viele|teuer|hoch|groß|alt|weit|oft)\b|\b(?:kostet|preis)\b|\b(?:cu[aá]nt[oa]s?|precio|n[uú]mero)\b|多少|几个|价格|いくら|いくつ|何人|費用/iu,
  ],
  [
    "place",
    /\bwhere\b|\b(?:venue|hometown|location|birthplace|city|place)\b|\bwo(?:hin|her)?\b|\bstadt\b|\b(?:a)?d[oó]nde\b|\bciudad\b|哪里|哪儿|什么地方|どこ/iu,
  ],
  [
    "reason",
    /\b(?:why|reason|cause|how come)\b|\b(?:warum|wieso|weshalb|grund)\b|\bpor qu[eé]\b|为什么|原因|なぜ|どうして|理由/iu,
  ],
];

export function askedKinds(question: string): readonly AnswerKind[] {
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
