/**
 * Finds sentences that demand or forbid something permanently. Constraints are hardly ever evicted, so wishes, memories
 * and guesses ("that must be hard") do not count. In a conversation between people, only limits with a number, plain
 * bans, allergies and disabilities count.
 */

import { hasNonEnglishCue } from "../../language/cues/non-english-cues.ts";
import { isUnspaced } from "../../language/words.ts";

/** Returns true for a permanent demand. Stricter in a conversation between people, which has no instructions. */
export function isDemand(sentence: string, { isTalk }: { readonly isTalk: boolean }): boolean {
  const text = sentence.slice(0, READ_CHARACTERS);
  if (
    isQuestion(sentence) ||
    sentence.length < (isUnspaced(sentence.charAt(0)) ? 4 : 8) ||
    QUOTED.test(text) ||
    NO_DEMAND.test(text)
  )
    return false;
  if (HEADING.test(sentence)) return false;
  if (PERSONAL_LIMIT.test(text)) return true;
  if (isTalk) return TALK_LIMIT.test(text) || (/\d/.test(text) && hasNonEnglishCue(text, "demand"));
  if (hasNonEnglishCue(text, "demand")) return true;
  return PLAIN_DEMAND.test(text) || hasStandingLimit(text) || hasImperative(text);
}

/** Only the start of a sentence is searched for phrases. */
const READ_CHARACTERS = 400;
/** Matches a heading such as "Must hold:", which is not a demand itself. */
const HEADING = /^\S{1,20}(?: \S{1,20})?[:：]$/;
const QUOTED = /^["“”«'‘]/;

/** Matches guesses, promises, thanks, and reports of the past. */
const NO_DEMAND =
  /\bthere must be\b|\bmust(?:'ve| have\b(?! (?:at (?:most|least)|(?:no|not) more|fewer|less|exactly|\d)))|\bmust be (?:nice|fun|great|hard|so|very|really|such|awesome|amazing|exciting|challenging|difficult|tough|proud|lovely|beautiful|wonderful|a (?:mistake|way|lot|bit|misunderstanding)|some|something|why|because|the (?:case|reason))\b|\b(?:i|we)(?:'|’)ll (?:be|make) sure\b|\bi will (?:be|make) sure\b|\bthanks? (?:you )?for\b|\bcan(?:'|’)?t (?:be right|be that|wait|believe|imagine|thank|complain|tell|say|see|remember|find)\b|\bi(?:'|’)m sure\b|\b(?:may or may|whether or) not\b|\bshould(?:n(?:'|’)t| not) be (?:a |an |any |too |that |so |very )|\bi must (?:say|admit|confess|insist)\b/i;

const PERSON =
  "(?:i|we|he|she|they|mum|mom|dad|grandma|grandpa|granny|(?:my|our|his|her) (?:little |big |older |younger )?[a-z]+)";
const PERSONAL_LIMIT = new RegExp(
  `\\b${PERSON}(?:(?:'|’)(?:m|re|s)| am| are| is)? (?:also |both |all )?(?:(?:severely |deathly )?allergic to|(?:lactose |gluten )?intolerant|(?:a |an )?(?:vegetarian|vegan)\\b)|\\b${PERSON} (?:can(?:'|’)t|cannot|can not|don(?:'|’)t|do not|doesn(?:'|’)t|does not) (?:eat|drink)\\b|\\b(?!i |we |he |she |they )${PERSON} (?:can(?:'|’)t|cannot|doesn(?:'|’)t|does not) (?:do stairs|drive|fly|climb|walk far|swim)\\b`,
  "i",
);

const FIGURE =
  "(?:\\d|\\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|million)\\b)";
const TALK_LIMIT = new RegExp(
  `\\b(?:must(?! have)|mustn(?:'|’)t|(?:should|shall) (?:not|never|only)|may only|(?:no|not) more than|at most|no later than|(?:a |of )?maximum(?: of)?)\\b[^.,;]{0,40}?${FIGURE}|\\bunder no circumstances\\b`,
  "i",
);

const PLAIN_DEMAND =
  /\b(?:must|mustn(?:'|’)t|(?:should|shall) (?:never|always|only)\b|may only\b|(?:should not|shouldn(?:'|’)t|shall not) (?!have\b|matter\b|affect\b|take\b|cause\b|happen\b|surprise\b|do\b|be (?!\w+(?:ed|en|done|made|run|sent|put|set|shown|kept|built)\b))|under no circumstances|(?:ha(?:s|ve) to|needs? to) be (?!(?:done|checked|fixed|written|tested|finished|clear|honest|careful)\b)\w+(?:ed|en|wn|de|t) (?:in|as|by|with|before|for|on|within)\b|(?:nobody|no one) (?:else )?(?:(?:except|but|besides|other than) \w+ )?(?:may|should)\b|may not (?:be|exceed|contain|have|take|cost|go|last|use|change)\b|(?:is|are) (?:not allowed|forbidden|off.limits)|(?:no|not) more than (?:\d|one|two|three|five|ten)|at most (?:\d|one|two|three|five|ten)|(?:\d[\d.,]*|one|two|three|five|ten) [a-z]{1,20} (?:at most|or less|or fewer|(?:at )?max(?:imum)?)|use only|nothing (?:else )?(?:but|except|other than)|without (?:changing|touching|breaking|modifying|adding|removing|using)\b)|(?:^|please |just |and |, |; |: |\*\* )(?:(?:make|be) sure (?:to|that|not|you|it|the|we|every|all)\b|ensure (?:that|the|it|every|all|no)\b)|\b(?:want|need|have) (?:you )?to (?:make sure|ensure)\b|(?:^|please |just |and |, |; |: )only (?:use|edit|change|touch|modify|write|run|read|work)\b/i;

function hasStandingLimit(text: string): boolean {
  const match = STANDING_LIMIT.exec(text);
  if (match !== null) return !CONDITION_BEFORE.test(text.slice(Math.max(0, match.index - 24), match.index));
  return STANDING_RULE.test(text);
}

const CONDITION_BEFORE = /\b(?:if|why|when|whether|unless|heard|said|say|says)(?: that)? $/i;
const STANDING_LIMIT =
  /\b(?:i|we)(?: really| truly| just| actually| simply| definitely)? (?:(?:can(?:'|’)t|cannot|can not|won(?:'|’)t|will not) (?:spend|afford|pay|use|eat|drink|exceed|change|touch|drive|fly|travel|leave before|arrive (?:before|after)|go (?:over|above|before|after|beyond)|do (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|mornings|afternoons|evenings)|have (?:more|less|any)|work (?:on|before|after)|start (?:before|after)|stay (?:over|past|longer)|walk|climb)\b|(?:don(?:'|’)t|do not) (?:want|eat|drink|like|use|allow|accept|support|fly|drive)\b)|\b(?:it|this|that|they|the \w+) (?:can(?:'|’)t|cannot|must not) (?:exceed|be (?:more|less|later|longer|changed|touched|modified|used|deleted|removed))\b/i;
const STANDING_RULE =
  /^(?:so |and |ok(?:ay)?,? |please,? )?(?:from now on|going forward)\b|\bfrom now on[.!]?$|, from now on\b|\b(?:we|i) (?:only )?use \S+(?: (?:for|in|as|with) [^.,;]{1,40})?,? (?:not|instead of|rather than)\b|^(?:please )?keep (?:the|all|my|our|every|this|that|these|those)\b.{0,80}\b(?:as (?:it is|they are|is)|unchanged|intact|the same)\b|^no (?!problem|worries|thanks|thank|idea|need|doubt|wonder|way|one\b|kidding|rush|question|matter|no\b|end\b|longer\b|such\b|more questions|me\b|te\b|se\b|lo\b|la\b|le\b|es\b|hay\b|s[eé]\b|puedo\b|tengo\b|quiero\b)[a-z]+(?: [a-z-]+){0,3}[.!]?$/i;

function hasImperative(text: string): boolean {
  for (const match of text.matchAll(IMPERATIVE)) {
    const after = /^\s*([A-Za-z'’]+)/.exec(text.slice(match.index + match[0].length))?.[1]?.toLowerCase() ?? "";
    const isTold = DESCRIBED_BEFORE.test(text.slice(0, match.index));
    if (after !== "" && !IDLE.has(after) && !isHabit(after) && !isTold) return true;
  }
  return false;
}

/** Matches at the start, after punctuation, or after a word that joins commands. */
const IMPERATIVE =
  /(?:(?<=^|[,;:.!?(–—*→] ?|[-–—→] |\b(?:please|and|then|but|so|also|just|or|you should|you must|we should) ))(?:never|always|do not|don(?:'|’)?t|avoid)\b/gi;
/** Matches a clause about what happens: "where we use the cache but don't". */
const DESCRIBED_BEFORE = /\b(?:where|because|since|why|how) (?:we|they|you|i|it) [^.,;:!?]{2,80} (?:and|but|so|or) $/i;
const IDLE: ReadonlySet<string> = new Set(
  "worry know think mind want care see get understand have need believe like remember mean feel been had was were really wanted loved full great good easy fun nice there here too hard so very a the an in on at for with forget ask play tell underestimate saw thought knew did got went came heard felt took made said told even yet you i we they he she it us as been quite sure something such".split(
    " ",
  ),
);

/** Returns true for the habit of a person: "always supporting", "never ceases". */
function isHabit(word: string): boolean {
  return /(?:ing|[^es]ed)$/.test(word) || (/[^s]s$/.test(word) && !VERBS_IN_S.has(word));
}

const VERBS_IN_S: ReadonlySet<string> = new Set(["focus", "canvas", "bias", "its"]);

/** Returns true if a text only greets and asks how the other person is, which is not a goal. */
export function isGreeting(text: string): boolean {
  return text.length <= MAX_GREETING_CHARACTERS && GREETINGS.test(text);
}

const MAX_GREETING_CHARACTERS = 100;
const MARKS = "[\\s!?.,~。！？，、…¡¿؟،🙂👋😊😀-]*";
const WORDS = [
  "hi|hiya|hello|hey|good (?:morning|afternoon|evening|day)|there|everyone|all|again",
  "how are you(?: doing)?(?: today)?|how(?:['’]s| is) it going|what(?:['’]s| is) up|nice to meet you",
  "hallo|moin|servus|nochmal|guten (?:morgen|tag|abend)|grüß (?:dich|gott)|alles gut|wie geht(?:['’]s|s| es)(?: dir| ihnen| euch)?(?: heute)?",
  "hola|buen(?:os|as) (?:días|tardes|noches)|qué tal|c[oó]mo est[áa]s?|c[oó]mo va|buenas|de nuevo",
  "(?:re-?)?bonjour|bonsoir|salut|coucou|(?:comment )?ça va(?: bien)?|comment (?:vas-tu|allez-vous)|tu vas bien",
  "oi|olá|bom dia|boa (?:tarde|noite)|tudo (?:bem|bom)|como (?:vai|está|você está)",
  "你好|您好|大家好|早上好|上午好|下午好|晚上好|早|嗨|最近怎么样|最近好吗|你好吗|你好呀|哈喽",
  "おはよう(?:ございます)?|こんにちは|こんばんは|お元気ですか|元気ですか|はじめまして|どうも|お久しぶりです",
  "صباح الخير|مساء الخير|مرحبا|أهلا(?: وسهلا)?|السلام عليكم|كيف حالك|كيف الحال",
];
const GREETINGS = new RegExp(`^${MARKS}(?:(?:${WORDS.join("|")})(?!\\p{Ll})${MARKS}){1,6}$`, "iu");

export function isQuestion(text: string): boolean {
  return text.endsWith("?") || text.endsWith("？") || text.endsWith("؟");
}
