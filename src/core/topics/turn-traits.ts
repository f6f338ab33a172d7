/**
 * Finds traits of a turn that do not depend on its subject: it asks, requests, thanks, says goodbye, answers, or refers
 * to the last turn. `bench/train-topics.ts` learns the weights. Supports English; in other languages mostly questions.
 */

/** Number of characters that are searched for most traits. A goodbye may be anywhere. */
const OPENING_CHARACTERS = 160;
const MAX_CHARACTERS = 2_000;
const FEW_WORDS = 12;

const APOSTROPHE = "(?:'|’| ')?";

const REQUEST = new RegExp(
  [
    String.raw`\bi${APOSTROPHE}(?: a)?m (?:also )?(?:looking|searching|trying|interested|planning|hoping|calling)`,
    String.raw`\bi(?: would|${APOSTROPHE}d) (?:also )?(?:like|love|need|prefer)`,
    String.raw`\bi (?:also |do |just |really )*(?:need|want|wish)\b`,
    String.raw`\b(?:can|could|would|will) (?:you|i|we) (?:please |kindly |also |just )*(?:help|find|tell|give|get|book|look|check|show|recommend|suggest|set|make|add|send|provide|assist|change|cancel|have|let|put|remind|schedule|see|explain|write)`,
    String.raw`^\W*(?:please |hey |hi |hello |ok |okay |now |and |also )*(?:find|book|give|show|tell|get|set|schedule|remind|add|navigate|check|locate|search|make|send|direct|take|where${APOSTROPHE}s|what${APOSTROPHE}s the|where is|when is|what is the|what are|what time|is there|are there|will it|is it going|how far|do i|list|write|create|please)\b`,
    String.raw`\b(?:help me|let me know)\b`,
  ].join("|"),
  "u",
);

const LEAVE =
  /\b(?:bye|goodbye|good bye|see you|have a (?:great|nice|good|wonderful|lovely|safe|fantastic|pleasant)|take care|farewell|talk to you later|enjoy (?:your|the)|good night)\b|^\W*enjoy\b/u;

const ENOUGH =
  /\b(?:that(?:'|’| ')?s all|that is all|that(?:'|’)?ll be all|that will be all|that(?:'|’| ')?s (?:everything|it)\b|that is (?:everything|it)\b|nothing else|all set|all i need|that should be|no,? (?:thanks|thank you))/u;

const OFFER =
  /\b(?:would you (?:like|prefer)|shall i|should i|do you (?:want|need|have a|prefer|happen)|may i|could you (?:please )?(?:provide|tell|confirm|specify|share)|can you (?:please )?(?:provide|confirm|tell me (?:your|the|what|when|where|which))|can i (?:help|get your|have your)|how many|what (?:time|day|price|area|type|kind|city|is your)|which (?:one|city|day|area|do you))\b/u;

const REACTION =
  /^\W*(?:wow|cool|nice|awesome|great|oh|ah|aw|aww|haha|hah|lol|hmm|sounds|that(?:'|’| i)?s|that must|that would|very|good|perfect|interesting|really|same|me too|ooh|omg|amazing|excellent|wonderful|lovely|well|sweet|neat|i see|i understand|i agree|understandable|so do i)\b/u;

const TRAITS = {
  asks: /[?？؟]|^\W*(?:what|where|when|which|who|why|how|do|does|did|is|are|can|could|would|will|have|has)\b/u,
  asksWhat: /^\W*(?:what|where|when|which|who|whose|why|how)\b|[.!,?] (?:what|where|when|which|who|why|how)\b/u,
  asksYou:
    /\b(?:do|are|have|did|were|would|can|will) (?:you|u)\b|\b(?:what|how|where|which|who)(?: is|'s| are| do| does|s)? (?:your|you|ur)\b|\byour fav/u,
  asksBack: /\b(?:how|what) (?:about|bout) (?:you|u|yours|yourself)\b|\band you\b|^\W*you\W*$|\bu\s*\?\s*$/u,
  asksAbout: /\b(?:how|what) about (?!you)/u,
  requests: REQUEST,
  greets: /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)\b/u,
  thanks: /\b(?:thanks?|thank you|thankyou|thx|appreciate)\b/u,
  leaves: LEAVE,
  welcomes:
    /\b(?:welcome|my pleasure|no problem|any ?time|glad (?:to|i|we)|happy to (?:help|assist|have)|not a problem|of course)\b/u,
  hasEnough: ENOUGH,
  offersMore: /\b(?:anything|something|what) else\b|\bfurther (?:assistance|help|questions)|\bany other\b/u,
  agrees:
    /^\W*(?:yes|yeah|yep|yup|yea|ya|sure|true|exactly|correct|right|agreed|definitely|absolutely|of course|indeed|ok|okay|alright|fine)\b/u,
  denies: /^\W*(?:no|nope|nah|not|never|unfortunately|sorry|i(?:'|’| a)?m sorry)\b/u,
  reacts: REACTION,
  pointsBack: /^\W*(?:it|that|they|this|these|those|he|she|him|her|them|its|there|both|one|some|most|mine|so)\b/u,
  refersBack: /\b(?:it|that|they|them|he|she|him|those|there|one|this|these|both|his|then)\b/u,
  connects:
    /^\W*(?:and|but|because|or|then|plus|although|though|if|when|since|so|as|also|with|for|to|in|on|at|by|from|maybe|probably|just|only)\b/u,
  adds: /\b(?:too|also|as well|either|same|neither|still|again|another|more|both|other)\b/u,
  tellsOfSelf: /^\W*(?:i|i'm|my|we|our|i've|im)\b/u,
  asksHowYouAre:
    /\bhow are you\b|\bhow is it going\b|\bhow(?:'|’)?s it going\b|\bwhat(?:'|’)?s up\b|\bhow are things\b|\bhow do you do\b|\bhow is your\b|\bhow was your\b/u,
  smallTalk:
    /\b(?:for fun|for a living|hobb(?:y|ies)|free time|spare time|fav(?:ou?rite)?s?|enjoy|like to do|where are you from|from\?|your job|do for work|your weekend|plans)\b/u,
  likes: /\b(?:love|like|enjoy|hate|prefer|fan)\b/u,
  turns:
    /\b(?:anyways?|by the way|btw|speaking of|so what|so ,? (?:what|do|are|tell)|tell me|another|different|next|now|besides|changing)\b/u,
  offers: OFFER,
  isDone:
    /\b(?:reference|booked|confirmed|confirmation|scheduled|successful(?:ly)?|i have (?:set|added|sent|booked)|setting|all set|done)\b/u,
  serves: /\b(?:please|assist|help|provide|book|reservation|available|address|number|price|need|information)\b/u,
  opensItem:
    /\b(?:next|move on|moving on|agenda|start|first|begin|finally|last|presentation|let's|let us|discuss|talk about|item)\b/u,
  callsToOrder: /^\W*(?:ok(?:ay)?|all ?right|right|so|well|now|um|uh)\b/u,
} as const satisfies Readonly<Record<string, RegExp>>;

export type TraitName = keyof typeof TRAITS;

export const TRAIT_NAMES = Object.keys(TRAITS) as readonly TraitName[];

/** Traits that may match anywhere in the turn. */
const ANYWHERE: ReadonlySet<TraitName> = new Set([
  "asks",
  "asksBack",
  "thanks",
  "leaves",
  "welcomes",
  "offersMore",
  "offers",
]);

const BITS: Readonly<Record<string, number>> = Object.fromEntries(TRAIT_NAMES.map((name, bit) => [name, 2 ** bit]));

/** A set of traits, one bit each. */
export type Traits = number;

export function traitsOf(text: string): Traits {
  const whole = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const opening = whole.slice(0, OPENING_CHARACTERS);
  let traits = 0;
  TRAIT_NAMES.forEach((name, bit) => {
    if (TRAITS[name].test(ANYWHERE.has(name) ? whole : opening)) traits += 2 ** bit;
  });
  return traits;
}

export function hasTrait(traits: Traits, name: TraitName): 0 | 1 {
  return (traits & (BITS[name] ?? 0)) === 0 ? 0 : 1;
}

/** Returns how much a turn resembles the end of a topic, from 0 to 1. */
export function scoreClosing(traits: Traits, words: number): number {
  const isShort = words < FEW_WORDS;
  const said =
    hasTrait(traits, "leaves") +
    hasTrait(traits, "welcomes") * (isShort ? 1 : 0.4) +
    hasTrait(traits, "thanks") * (isShort ? 0.8 : 0.3) +
    hasTrait(traits, "hasEnough") * 0.8;
  return Math.min(1, said);
}

/**
 * `reset`: discards the earlier topic. `switch`: announces another topic. `turn`: words such as "now", which open
 * another topic or the next step of the same one. `follow-up`: continues the last message.
 */
export type TopicCue = "reset" | "switch" | "turn" | "follow-up";

/** Only the first characters are searched for cues: later in a message, the same words have another meaning. */
const CUE_CHARACTERS = 120;

const RESET = anyOf([
  String.raw`^\s*\/(?:clear|new|reset)\b`,
  String.raw`\b(?:start(?:ing)? (?:over|afresh|from scratch)|forget (?:about )?(?:all|everything|that|this|it)\b)`,
  String.raw`\b(?:scrap (?:that|this|all)|never ?mind|drop (?:that|this|it) (?:for now|and))`,
  String.raw`\b(?:von vorne|vergiss (?:das|alles)|oublie (?:ça|cela|tout)|olvida (?:eso|todo)|empecemos de nuevo)`,
  "重新开始|忘掉|算了|最初から|забудь",
]);

const SWITCH = anyOf([
  String.raw`\b(?:(?:now )?let(?:'|’)?s (?:now )?(?:move on|turn to|switch|talk about|go to|look at another|start (?:on|with))|moving on|turning to|switch(?:ing)? (?:to|gears))`,
  String.raw`\bnow,? let(?:'|’)?s\b`,
  String.raw`\b(?:another|different|new|next|separate|unrelated) (?:question|topic|thing|task|issue|subject|matter|bug|feature|problem|request|item)\b`,
  String.raw`\b(?:by the way|btw|on (?:an)?other note|unrelated(?:ly)?|chang(?:e|ing) (?:of |the )?(?:subject|topic))\b`,
  String.raw`(?:^|\s)(?:übrigens|andere frage|neues thema|nun zu|kommen wir zu|nächste (?:frage|aufgabe))(?=\W|$)`,
  String.raw`(?:^|\s)(?:au fait|autre question|passons à|changeons de sujet)(?=\W|$)`,
  String.raw`(?:^|\s)(?:por cierto|otra (?:pregunta|cosa)|pasemos a|cambiando de tema)(?=\W|$)`,
  String.raw`(?:^|\s)(?:a propósito|outra pergunta|кстати|другой вопрос)(?=\W|$)`,
  "顺便|另一个问题|换个话题|ところで|別の質問|話は変わ|다른 질문",
]);

const TURN = anyOf([
  String.raw`^\W*(?:(?:ok(?:ay)?|great|good|perfect|thanks?(?: you)?|alright|right|cool|nice|so|and)\W+)*(?:now|next|anyways?|hi|hello|hey)\b`,
  String.raw`\b(?:speaking of|one more (?:thing|question)|last (?:thing|question)|while (?:you|we)(?:'|’)?re at it)\b`,
  String.raw`^\W*(?:jetzt|nun|als nächstes|hallo|maintenant|bonjour|ahora|hola|agora|теперь|привет)(?=\W|$)`,
  "^\\s*(?:另外|接下来|下一个|现在|你好|次に|次は|こんにちは|그런데|다음은)",
]);

const FOLLOW_UP = anyOf([
  String.raw`^\W*(?:yes|yeah|yep|no|nope|not|true|exactly|agreed|sure|ok(?:ay)?|thanks?|thank you|wow|haha|lol|cool|nice|oh|but|because|and|or|then|same|me too|still|again|continue|go on|go ahead|proceed|do it|why|which|how come|really|i see|i agree|it|it'?s|that|that'?s|this|these|those|they|he|she|so do i|maybe|probably|of course|absolutely)\b`,
  String.raw`^\W*(?:ja|nein|doch|danke|aber|weil|und|weiter|oui|non|merci|mais|parce que|et|sí|no|gracias|pero|porque|да|нет|но)(?:\s|\W|$)`,
  "^\\s*(?:是|好|对|不|但|继续|谢谢|はい|いいえ|でも|ありがと|네|아니)",
]);

/** Finds a cue in the first words of a message, in a few languages. */
export function findCue(text: string): TopicCue | undefined {
  const opening = text.slice(0, CUE_CHARACTERS).toLowerCase();
  if (RESET.test(opening)) return "reset";
  if (SWITCH.test(opening)) return "switch";
  if (TURN.test(opening)) return "turn";
  return FOLLOW_UP.test(opening) ? "follow-up" : undefined;
}

function anyOf(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "u");
}
