/**
 * Stop words: words that do not indicate the subject of a sentence. An English content word ("die", "son", "war") is in
 * no list of another language. A longer list loses facts: with further words such as "take", summaries of chats keep
 * 73.6 % of the facts that questions ask for instead of 75.4 %.
 */
import { listWords } from "./list-words.ts";

/** Includes the parts of words such as "don't" and "we've", which are split at the apostrophe. */
const ENGLISH = `
  a about after again all also am an and any are aren as assistant at be because been before being but by can could
  couldn d did didn do does doesn doing don down for from further get go going got had hadn has hasn have having
  he her here hers him his hmm how i if in into is isn it its itself just know let like ll m make may me mean might
  more most much my need no nor not now of off oh ok okay on once one only or other our out over own please re really
  right s same say see she should shouldn so some such sure t than thank thanks that the their them then there these
  they thing things think this those through to too tool uh um under up us use user ve very want was wasn way we well
  were weren what when where which while who why will with would wouldn yeah yes you your
`;
const GERMAN = `
  aber alle alles als ans auch auf aufs aus bei beim bis bisschen bist bitte da dabei damit danke dann darf das dass davon dazu
  daß dein deine dem den denn der des dich dies diese diesem diesen dieser dieses doch dort du durch dürfen eben
  eigentlich ein eine einem einen einer eines einfach er erwähnt es etwas euch euer eure für fürs ganz gar gegen genau
  gerade gern gerne gesagt gewesen gibt ging hab habe haben hallo hatte hatten hier hin ich ihm ihn ihnen ihr ihre
  ihrem ihren im immer ins ist ja jede jeder jetzt kann kein keine keinen klar konnte können mach machen macht mal mehr
  mein meine meinem meinen meiner meinte mich mir mit muss möchte müssen na nach natürlich nein nicht nichts noch nun
  nur ob oder ohne sagte schon sehr seid sein seine seinen seit sich sie sieht sind soll sollen sollte sondern sowie
  stimmt tschüss und uns unser unsere unserem unseren unter um viel viele vielleicht vom von vor vorgeschlagen wann waren
  warum weil weiter welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder
  wieso wir wird wirklich wo woher wohin wohl wollen worden wurde wurden wäre würde zu zum zur zwar über übrigens
`;
const SPANISH = `
  adiós adonde ahora al algo alguien algún aquí así aunque bien bueno cada casi claro como con cosa cosas creo cual
  cuales cuando cuanta cuantas cuanto cuantos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde dijo
  donde dos dónde el ella ellas ellos en entonces entre eran eres esa ese eso esos esta estaba estar estas este esto
  estos estoy está están estás fue fueron fui gracias ha haber había hace hacer hacia han hasta hay hemos hola hoy las
  le les lo los luego mencionado menos mi mientras mis mucha muchas mucho muchos muy más mí nada ni nos nosotros
  nuestra nuestras nuestro nuestros nunca o otra otro para pero poco por porque puede pueden puedo pues que quien
  quienes quiero quién quiénes qué se según ser si sido siempre sobre soy su sus sí sólo también tanto te tenemos
  tengo tenía ti tiene tienen toda todas todos tu tus tú un una unas uno unos usted ustedes vale vamos verdad voy y ya
  yo él
`;
const FRENCH = `
  alors au aussi autre aux avec avez avoir avons bonjour bonsoir ce ceci cela ces cet cette chez ci combien comme dans
  depuis deux donc elle elles encore et eu faire fait fois il ils je jusque leur leurs lui là ma mais merci mes moi
  mon même ne notre nous ont ou oui où parce pas peu peut pourquoi quand quel quelle qui quoi sa ses sont sous suis
  sur ta tes toi tous toute trop très une voilà vos votre vous ça était êtes être
  ai celle celui ceux chaque dont est hui quelles quels qu sera été
`;
const ARABIC = `
  أن أنا أنت أنتم أهلا أو أي أيضا أين إذا إلى إن اذا الآن التي الحمد الذي السلام الى ان انا انت اهلا او ايضا اين بخير
  بعد بعض به بها بين تلك تمام ثم جدا جزيلا حتى حسنا حقا ذلك زال سلام شكرا شيء طيب على عليكم عن عند عندي فقط في فيه
  فيها قبل قد كان كانت كل كم كيف لأن لا لقد لك لكن لله لم لن له لها لو لي ليس ما ماذا متى مرحبا مع من منذ نحن نعم هذا
  هذه هل هم هنا هناك هو هي و والحمد يا يكون
`;
const PORTUGUESE = `
  ainda algo alguém aos aquele aquela aqui até boa bom coisa com comigo dela dele depois disse ela elas ele eles em
  então essa esse está estamos estão estava estou eu fez foi foram gente há isso isto já lhe lá mais mas mesmo meu
  meus minha minhas muita muito muitos na nas nem nenhum nessa nesse nesta neste ninguém nossa nossas nosso nossos num
  numa não nós obrigada obrigado oi olá onde os ou pela pelas pelo pelos pode podem pra quais qual qualquer quando
  quanta quantas quanto quantos quem quero quê seja sem sempre seu seus sim sou sua suas são só também tem temos tenho
  ter teve tinha tudo tão tá têm um uma umas uns vai você vocês vou às é
`;
/** Pairs of characters in polite phrases. */
const CHINESE = "谢谢 再见 早上 上好 晚安 客气 没关 关系 保重";

/** Stop words by which texts in these languages are recognized. */
export const STOP_WORDS_BY_LANGUAGE = { german: GERMAN, spanish: SPANISH, french: FRENCH };

const STOP_WORDS: ReadonlySet<string> = new Set(
  [ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE, ARABIC, CHINESE].flatMap(listWords),
);

/** Expects a word in lower case with its accents: "für" is a stop word, "fur" is not. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Han characters that are function words. */
const GRAMMAR_HAN: ReadonlySet<string> = new Set(
  "的是了我你他她它们在有和与就不也都这那个要会能可把被让对从到为所之而及或很最更",
);
const HIRAGANA = /^\p{Script=Hiragana}$/u;

/** Returns true for function characters. Most hiragana are grammatical endings or polite forms. */
export function isFunctionCharacter(character: string): boolean {
  return HIRAGANA.test(character) || GRAMMAR_HAN.has(character);
}

/** Question words of Chinese and Japanese; longer ones first. */
export const UNSPACED_QUESTION_WORDS =
  /什么时候|什么地方|为什么|哪一天|哪里|哪儿|哪个|哪种|哪位|什么|甚么|多少|几点|几个|多久|怎么|怎样|如何|是谁|谁|吗|呢|请问|告诉|我们|你们|他们|大家|现在|每个|なぜ|どうして|いつ|どこ|だれ|誰|何時|何人|何個|何|いくら|いくつ|どの|どれ|どんな|どう|ですか|ますか|でしたか|ましたか|ください|教えて|私|今の|さん/gu;

/** Question words, which do not help to find the answer. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  listWords(`
    many tell tells telling say says said saying ask asked know knows knew want wants wanted need needs needed show shows
    showed give gives giving remember remind mention mentioned get gets got getting go goes went going come comes came
    coming make makes made making take takes took taking put puts exactly gesagt erwähnt vorgeschlagen sagte meinte dijo
    mencionado`),
);

export function isQuestionWord(word: string): boolean {
  return QUESTION_WORDS.has(word.toLowerCase());
}
