/**
 * Words that are common in all conversations. They help to rank, but two texts that share only such words are not about
 * the same thing, however rare the words are in this conversation.
 */
import { listWords } from "./list-words.ts";
import { stemForm } from "./stem-word.ts";

const COMMON = `
  able absolutely actually advice afternoon agree ahead almost alone along already alright always amazing another answer
  anybody anymore anyone anything anyway appreciate around ask asking awesome away awww back bad beautiful become before
  begin best bet better between big bit bring busy buy bye call called came cannot care catch challenge chance change
  check cheer choose clear close come coming completely congrats continue cool couple crazy cute daily day days deal
  decide definitely different difference difficult done each early easier easy either else end enjoy enough especially
  even evening ever every everybody everyone everything everywhere exactly exciting excited experience fact fan far fast
  favorite feel feeling felt few figure final finally find fine finish first fix follow forget forward found free friday
  full fun funny gave getting give glad gonna good gosh gotta great grow guess guys haha half hand happen happened happy
  hard hate hear heard hello help hey hi high hold honest hope hour huge idea important improve incredible inspire
  inspired interest interesting issue job join keep kept kid kidding kind knew last late lately later learn least leave
  left less life list listen little live living long look looking lose lot love loved lovely low lucky made maybe means
  meant meet mind minute miss moment monday month morning motivate move much must myself name near never new next nice
  night nobody none nothing often old open opinion others outside part past pay people perfect person pick picture place
  plan play positivity possible pretty probably problem push put question quick quite rather read ready real reason
  recently remember rest rock said saturday says second seem seen sense share short show sick simple since sit small
  somebody someone something sometimes somewhere soon sorry sound sounds special spend spread start started stay step
  still stop stuff sunday super support supposed surprise sweet take taking talk talked tell test thanks thought
  thrilled time times tired today together told tomorrow tonight took top totally tough toward tried true trust try
  trying turn twice type understand until update used usually visit wait wanna watch week weekend weird welcome went
  whatever whether whole wish without wonder wonderful word work worked working world worry worth wow write wrong year
  yep yesterday yet young
`;

/** German, Spanish, French and Portuguese words. None is an English content word. */
const COMMON_NON_ENGLISH = `
  heute gestern morgen woche wochenende zeit gut gute schön toll neu neue neuen groß klein lange lang wetter leben leute
  sache kommen kommt gehen sehen finden denken glauben wissen sagen geschlafen läuft
  ayer mañana semana tiempo día bien mejor nuevo nueva nuevos nuevas grande vida ver ir decir saber pensar creer parece
  dormido dormiste
  demain semaine temps jour bien mieux nouveau nouvelle nouveaux grand vie chose voir aller dire savoir penser croire
  semble dormi
  ontem amanhã semana tempo bem melhor novo nova novos novas vida dizer saber achar dormiu
`;

const COMMON_TERMS: ReadonlySet<string> = new Set(listWords(`${COMMON} ${COMMON_NON_ENGLISH}`).map(stemForm));

/** Expects a term as `termsOf` returns it. */
export function isCommonTerm(term: string): boolean {
  return COMMON_TERMS.has(term);
}

/** Words that describe a question or its answer and rarely its subject, such as "kind" and "describe". */
const ASKING = `
  type kind sort form example aspect detail information info topic subject matter point opinion view attitude reaction
  status event activity name describe discuss talk explain express state refer suggest recommend respond consider
  participate involve happen occur receive relate regard concern specific particular various several common similar main
  current purpose reason discussion conversation chat suggestion recommendation participant member group team meeting
  speaker summarize conclusion conclude agree disagree comment issue process method approach result outcome role part
  number amount
`;

/** None of them is an English content word. */
const ASKING_NON_ENGLISH = `
  beispiel aspekt einzelheit thema meinung ansicht reaktion ereignis tätigkeit beschreiben besprechen diskutieren erklären
  empfehlen vorschlagen teilnehmen passieren geschehen bestimmt verschieden mehrere zweck gespräch vorschlag empfehlung
  ergebnis anzahl
  tipo ejemplo aspecto detalle información tema opinión reacción evento actividad describir discutir explicar recomendar
  sugerir participar ocurrir específico varios motivo propósito conversación resultado número
  exemple détail sujet réaction événement activité décrire discuter expliquer recommander suggérer participer précis
  plusieurs raison résultat nombre
  exemplo pormenor assunto opinião reação atividade descrever sugerir acontecer vários conversa
`;

const ASKING_TERMS: ReadonlySet<string> = new Set(listWords(`${ASKING} ${ASKING_NON_ENGLISH}`).map(stemForm));

/** Expects a term as `termsOf` returns it. */
export function isAskingTerm(term: string): boolean {
  return ASKING_TERMS.has(term);
}
