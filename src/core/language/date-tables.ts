/** Relative dates in six languages. Leaves out phrases that can mean two dates, as the English rules do. */

import { createDatePhraseFinder, type DatePhraseFinder, type DateTable } from "./date-table.ts";
import type { LanguageCode } from "./detect-language.ts";
import { listLines, listWords } from "./list-words.ts";

/** Expects one phrase per line: the template, two spaces or more, and its English meaning. */
function readPhrases(lines: string): DateTable["phrases"] {
  return listLines(lines).map((line) => {
    const [template = "", meaning = ""] = line.split(/ {2,}/);
    return [template, meaning] as const;
  });
}

/** "Morgen" can also mean the morning or be a greeting. */
const german: DateTable = {
  numbers: listWords("eine[mrn]? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
  units: { day: "tage?n?", week: "wochen?", month: "monate?n?", year: "jahre?n?" },
  weekdays: listWords("sonntag montag dienstag mittwoch donnerstag freitag samstag|sonnabend"),
  phrases: readPhrases(`
    vorgestern                                                                  day before yesterday
    gestern(?: (?:abend|morgen|früh|mittag|nachmittag|nacht))?                  yesterday
    übermorgen                                                                  day after tomorrow
    heute(?: (?:abend|morgen|früh|mittag|nachmittag|nacht))?                    today
    (?<!(?:guten|am|jeden|der|den|dem|diesen|schönen|\\p{L}tag) )morgen(?= (?:früh|abend|mittag|nachmittag|vormittag|um|ab|bis|habe|hab|haben|hat|bin|ist|sind|kommt|komme|kommen|fahre|fahren|gehe|gehen|geht|muss|müssen|soll|will|kann|wird|werde|werden|treffe|treffen|fliege|schicke|mache|machen|beginnt|startet|fängt|bekomme|bekommen|besuche|besuchen|gibt|steht|wir|ich|er|sie|es|der|die|das|den|einen|eine|zum|zur|zu|beim|mit|nach|in|im|an|die|wieder|schon|noch))   tomorrow
    (?<!guten )(?<=\\p{Ll} )morgen(?=[.,!]|$)                                              tomorrow
    vor {n} {unit}                                                              {n} {unit} ago
    heute in {n} {unit}                                                         {n} {unit} from now
    (?<=^|[.!?] )in {n} {unit}                                                  {n} {unit} from now
    (?:letzte|vergangene|vorige)[nsr]? wochenende                               last weekend
    (?:letzte|vergangene|vorige)[nsr]? {unit}                                   last {unit}
    (?:letzte|vergangene|vorige)[nsr]? {weekday}                                last {weekday}
    (?:nächste|kommende) woche (?:am )?{weekday}                                {weekday} of next week
    {weekday} (?:nächster|kommender) woche                                      {weekday} of next week
    letzte woche (?:am )?{weekday}                                              {weekday} of last week
    (?:nächste|kommende)[nsr]? {unit}                                           next {unit}
    (?:kommende[nr]?|diese[nr]?) {weekday}                                      this coming {weekday}
    nächste[nr]? {weekday}                                                      next {weekday}
    diese[snr]? {unit}                                                          this {unit}
  `),
};

const spanish: DateTable = {
  numbers: listWords("una? dos tres cuatro cinco seis siete ocho nueve diez once doce"),
  units: { day: "días?", week: "semanas?", month: "mes(?:es)?", year: "años?" },
  weekdays: listWords("domingo lunes martes miércoles jueves viernes sábado"),
  phrases: readPhrases(`
    anteayer|antes de ayer|antier                              day before yesterday
    ayer(?: por la (?:mañana|tarde|noche))?|anoche              yesterday
    pasado mañana                                              day after tomorrow
    hoy|esta (?:mañana|tarde|noche)                            today
    (?<!(?:la|esta|cada|una|de|hasta|media) )mañana            tomorrow
    hace {n} {unit}                                            {n} {unit} ago
    dentro de {n} {unit}                                       {n} {unit} from now
    (?:el )?fin de semana pasado                               last weekend
    {weekday} de la semana que viene                           {weekday} of next week
    {weekday} de la semana pasada                              {weekday} of last week
    (?:la |el )?{unit} pasad[oa]                               last {unit}
    (?:la |el )?(?:{unit} (?:que viene|próxim[oa]))            next {unit}
    (?:la |el )?próxim[oa] {unit}                              next {unit}
    (?:el )?(?:{weekday} pasado)                               last {weekday}
    (?:el )?pasado {weekday}                                   last {weekday}
    (?:el )?{weekday} (?:que viene|próximo)                    this coming {weekday}
    (?:el )?próximo {weekday}                                  this coming {weekday}
    este {weekday}                                             this coming {weekday}
    est[ea] {unit}                                             this {unit}
  `),
};

const french: DateTable = {
  numbers: listWords("une? deux trois quatre cinq six sept huit neuf dix onze douze"),
  units: { day: "jours?", week: "semaines?", month: "mois", year: "ans?|années?" },
  weekdays: listWords("dimanche lundi mardi mercredi jeudi vendredi samedi"),
  phrases: readPhrases(`
    avant-hier                                             day before yesterday
    hier(?: (?:soir|matin|après-midi))?                    yesterday
    après-demain                                           day after tomorrow
    (?<!à )demain(?: (?:soir|matin|après-midi))?           tomorrow
    aujourd['’]hui|ce (?:soir|matin)|cet après-midi        today
    il y a {n} {unit}                                      {n} {unit} ago
    dans {n} {unit}                                        {n} {unit} from now
    le week-?end (?:dernier|passé)                         last weekend
    {weekday} de la semaine prochaine                      {weekday} of next week
    {weekday} de la semaine dernière                       {weekday} of last week
    (?:(?:le |la )|l['’])?{unit} (?:derni[eè]re?|passée?)  last {unit}
    (?:(?:le |la )|l['’])?{unit} prochaine?                next {unit}
    {weekday} (?:dernier|passé)                            last {weekday}
    {weekday} prochain                                     this coming {weekday}
    ce {weekday}                                           this coming {weekday}
    cette {unit}                                           this {unit}
  `),
};

const portuguese: DateTable = {
  numbers: listWords("uma? dois|duas três quatro cinco seis sete oito nove dez onze doze"),
  units: { day: "dias?", week: "semanas?", month: "m[eê]s(?:es)?", year: "anos?" },
  weekdays: listWords(
    "domingo segunda(?:-feira)? terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? sexta(?:-feira)? sábado",
  ),
  phrases: readPhrases(`
    anteontem                                              day before yesterday
    ontem(?: (?:à|de) (?:noite|tarde|manhã))?              yesterday
    depois de amanhã                                       day after tomorrow
    (?<!até )amanhã(?: (?:à|de) (?:noite|tarde|manhã))?    tomorrow
    hoje(?: (?:à|de) (?:noite|tarde|manhã))?               today
    (?:há|faz) {n} {unit}                                  {n} {unit} ago
    {n} {unit} atrás                                       {n} {unit} ago
    daqui a {n} {unit}                                     {n} {unit} from now
    (?:n?o )?fim de semana passado                         last weekend
    {weekday} da semana que vem                            {weekday} of next week
    {weekday} da semana passada                            {weekday} of last week
    (?:(?:n?[oa]) )?{unit} passad[oa]                      last {unit}
    (?:(?:n?[oa]) )?{unit} que vem                         next {unit}
    (?:(?:n?[oa]) )?próxim[oa] {unit}                      next {unit}
    (?:(?:n?[oa]) )?{weekday} passad[oa]                   last {weekday}
    (?:(?:n?[oa]) )?últim[oa] {weekday}                    last {weekday}
    (?:(?:n?[oa]) )?{weekday} que vem                      this coming {weekday}
    (?:(?:n?[oa]) )?próxim[oa] {weekday}                   this coming {weekday}
    n?est[ae] {weekday}                                    this coming {weekday}
    (?:n?est[ea]) {unit}                                   this {unit}
  `),
};

const chinese: DateTable = {
  isUnspaced: true,
  numbers: listWords("一 两|二 三 四 五 六 七 八 九 十 十一 十二"),
  units: { day: "天", week: "周|个?星期|个?礼拜", month: "个月", year: "年" },
  weekdays: listWords("日|天 一 二 三 四 五 六"),
  phrases: readPhrases(`
    大前天                                                     3 day ago
    大后天                                                     3 day from now
    前天                                                       day before yesterday
    昨天|昨晚                                                  yesterday
    后天                                                       day after tomorrow
    明天|明早|明晚                                             tomorrow
    今天|今晚|今早                                             today
    (?<![几多第\\d一二三四五六七八九十百千万]){n} ?{unit}(?:之|以)?前            {n} {unit} ago
    (?<![几多第\\d一二三四五六七八九十百千万]){n} ?{unit}(?:之|以)?后            {n} {unit} from now
    上个?周末                                                  last weekend
    上个?(?:周|星期|礼拜){weekday}                             {weekday} of last week
    下个?(?:周|星期|礼拜){weekday}                             {weekday} of next week
    (?:这|本)个?(?:周|星期|礼拜){weekday}                      {weekday} of this week
    上个?(?:周|星期|礼拜)                                      last week
    下个?(?:周|星期|礼拜)(?!末)                                next week
    (?:这|本)个?(?:周|星期|礼拜)(?!末)                         this week
    上个月                                                     last month
    下个月                                                     next month
    这个月|本月                                                this month
    去年                                                       last year
    明年                                                       next year
    今年                                                       this year
    前年                                                       2 year ago
    后年                                                       2 year from now
  `),
};

const japanese: DateTable = {
  isUnspaced: true,
  numbers: listWords("一 二 三 四 五 六 七 八 九 十 十一 十二"),
  units: { day: "日", week: "週間", month: "[かヶケカ]月", year: "年" },
  weekdays: listWords("日 月 火 水 木 金 土"),
  phrases: readPhrases(`
    一昨日|おととい                                  day before yesterday
    昨日|昨夜|昨晩|きのう                            yesterday
    明後日|あさって                                  day after tomorrow
    明日|あした                                      tomorrow
    今日(?!は[！。、]?$)|今夜|今晩|今朝              today
    (?<![数何\\d一二三四五六七八九十百千]){n} ?{unit}前                {n} {unit} ago
    (?<![数何\\d一二三四五六七八九十百千]){n} ?{unit}後                {n} {unit} from now
    先週末                                           last weekend
    先週の?{weekday}曜日?                            {weekday} of last week
    来週の?{weekday}曜日?                            {weekday} of next week
    今週の?{weekday}曜日?                            {weekday} of this week
    先週                                             last week
    来週(?!末)                                       next week
    今週(?!末)                                       this week
    先月                                             last month
    来月                                             next month
    今月                                             this month
    一昨年|おととし                                  2 year ago
    再来年                                           2 year from now
    去年|昨年                                        last year
    来年                                             next year
    今年                                             this year
  `),
};

const FINDERS: Readonly<Partial<Record<LanguageCode, DatePhraseFinder>>> = {
  de: createDatePhraseFinder(german),
  es: createDatePhraseFinder(spanish),
  fr: createDatePhraseFinder(french),
  ja: createDatePhraseFinder(japanese),
  pt: createDatePhraseFinder(portuguese),
  zh: createDatePhraseFinder(chinese),
};

export function findDatePhraseFinder(language: LanguageCode): DatePhraseFinder | undefined {
  return FINDERS[language];
}
