/**
 * Words that say nothing about what a sentence or a question is about: function words of the languages that are told
 * apart here, the words that make a question one, and the politeness around it.
 */
import { foldWord } from "./stem-word.ts";

const LINES = [
  "a an the and or but nor so yet if then than as at by for from in into of off on onto out over to up with without",
  "about after again all also am any anybody anyone anything are aren't be because been before being below between both can can't could couldn't",
  "did didn't do does doesn't doing don't done down during each either else even ever every few further had has have having he her",
  "here hers herself him himself his how however i i'd i'll i'm i've im is isn't it it's its itself just let let's like may me might mine",
  "more most much must my myself no not now of oh ok okay once one ones only other our ours ourselves own per please",
  "quite rather really s same shall she should since some somebody someone something still such t that that's the their theirs them themselves",
  "there there's these they they're thing things this those though through thus till too under until upon us very was wasn't we we're we've were weren't",
  "what what's whatever when where which while who who's whom whose why will within won't would wouldn't yes you you're your yours yourself",
  "many tell say said ask asked know want need show give remember remind mention mentioned get got go went come came make made take took put exactly again",
  "gesagt erwähnt vorgeschlagen dijo mencionado sagte meinte",
  "makes making takes taking gets getting gives giving goes going comes coming says saying tells telling wants wanted needs needed shows showed puts knows knew",
  "lot lots kind sort way ll ve re d m thanks thank sure well hi hello hey",
  "der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass daß wenn als ob wie was wer wen wem wessen wo wohin woher wann warum wieso weshalb welche welcher welches welchen welchem",
  "ich du er sie es wir ihr mich dich sich uns euch ihm ihn ihnen mein meine meinen meinem meiner dein deine sein seine seinen ihre ihren ihrem unser unsere unserem unseren euer eure",
  "ist sind war waren bin bist seid sein gewesen hat habe haben hatte hatten hast wird werden wurde wurden worden kann können konnte muss müssen soll sollen sollte will wollen darf dürfen mag möchte",
  "nicht kein keine keinen nur noch schon auch sehr mehr so zu zum zur im in am an auf aus bei beim mit nach von vom vor für über unter um durch gegen ohne bis seit ab doch mal ja nein bitte denn eigentlich dann da dort hier man etwas nichts alles viel viele",
  "el la los las lo un una unos unas y o u pero porque que qué quien quién quienes quiénes cual cuál cuales cuáles cuando cuándo donde dónde adonde como cómo cuanto cuánto cuanta cuánta cuantos cuántos cuantas cuántas por para con sin de del al a en desde hasta hacia sobre entre",
  "yo tú tu él ella nosotros ellos ellas me te se nos os le les mi mis su sus nuestro nuestra nuestros nuestras es son era eran fue fueron ser estar está están estaba hay ha han he hemos había tiene tienen tengo tenemos puede pueden no sí ya muy más menos también esto esta este eso esa ese",
  "le les des du au aux et est sont dans sur pour par avec ce cette ces qui que quoi où quand comment pourquoi combien je tu il elle nous vous ils elles mon ma mes ton ta tes son sa ses notre votre leur ne pas plus",
];

const FUNCTION_WORDS: ReadonlySet<string> = new Set(LINES.flatMap((line) => line.split(" ").map(foldWord)));

export function isFunctionWord(folded: string): boolean {
  return FUNCTION_WORDS.has(folded);
}

/** What only makes a question of a Chinese or Japanese sentence; longer ones first. */
export const ASKING_RUNS =
  /什么时候|什么地方|为什么|哪一天|哪里|哪儿|哪个|哪种|哪位|什么|甚么|多少|几点|几个|多久|怎么|怎样|如何|是谁|谁|吗|呢|请问|告诉|我们|你们|他们|大家|现在|每个|なぜ|どうして|いつ|どこ|だれ|誰|何時|何人|何個|何|いくら|いくつ|どの|どれ|どんな|どう|ですか|ますか|でしたか|ましたか|ください|教えて|私|今の|さん/gu;

/** Han characters that are grammar. */
export const GRAMMAR_HAN: ReadonlySet<string> = new Set(
  "的是了我你他她它们在有和与就不也都这那个要会能可把被让对从到为所之而及或很最更",
);
