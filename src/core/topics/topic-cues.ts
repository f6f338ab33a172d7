/**
 * What people say where they turn to something else, and what they say where they do not: read from the first words of
 * a message, in a few languages. Whatever is not in these lists is no cue, and the words themselves have to show it.
 */

/**
 * `reset`: what came before is dropped. `switch`: somebody says that another matter begins. `turn`: words such as "now"
 * that often open another matter, and as often the next step of the same. `follow-up`: it leans on what was just said.
 */
export type TopicCue = "reset" | "switch" | "turn" | "follow-up";

/** Cues stand at the beginning; further on the same words are about something else. */
const OPENING_CHARACTERS = 120;

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

export function findCue(text: string): TopicCue | undefined {
  const opening = text.slice(0, OPENING_CHARACTERS).toLowerCase();
  if (RESET.test(opening)) return "reset";
  if (SWITCH.test(opening)) return "switch";
  if (TURN.test(opening)) return "turn";
  return FOLLOW_UP.test(opening) ? "follow-up" : undefined;
}

function anyOf(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "u");
}
