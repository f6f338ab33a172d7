/**
 * Recognizes by keywords what the user wants from the offline model: small talk, its capabilities, a summary,
 * decisions, or who said something. Everything else is a question, or a statement that needs no answer.
 */
import { isGreeting, isQuestion } from "../summary/read/find-demands.ts";

export type OfflineRequest =
  | { readonly type: "greeting" | "thanks" | "goodbye" | "capabilities" }
  /** `about` is the subject, or empty. */
  | { readonly type: "decisions" | "who-said" | "summary"; readonly about: string }
  | { readonly type: "question" | "statement" };

export function recognizeRequest(text: string): OfflineRequest {
  const trimmed = text.trim();
  if (isGreeting(trimmed)) return { type: "greeting" };
  if (trimmed.length <= MAX_SMALL_TALK_CHARACTERS) {
    if (THANKS.test(trimmed)) return { type: "thanks" };
    if (GOODBYE.test(trimmed)) return { type: "goodbye" };
  }
  if (trimmed.length <= MAX_COMMAND_CHARACTERS) {
    if (CAPABILITIES.test(trimmed)) return { type: "capabilities" };
    if (SUMMARY.test(trimmed)) return { type: "summary", about: removeMatch(trimmed, SUMMARY) };
    if (DECISIONS.test(trimmed)) return { type: "decisions", about: removeMatch(trimmed, DECISIONS) };
    if (WHO_SAID.test(trimmed)) return { type: "who-said", about: removeMatch(trimmed, WHO_SAID) };
  }
  return { type: isAsking(trimmed) ? "question" : "statement" };
}

function removeMatch(text: string, pattern: RegExp): string {
  return text.replaceAll(new RegExp(pattern, "giu"), " ").replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "");
}

const MAX_SMALL_TALK_CHARACTERS = 60;
const MAX_COMMAND_CHARACTERS = 200;

const THANKS =
  /^(?:(?:ok(?:ay)?|great|perfect|super|gut|prima|vale)[,.! ]+)?(?:many )?(?:thanks?|thank you|thx|cheers|danke(?: ?sch[oö]n)?|vielen dank|(?:muchas )?gracias|谢谢(?:你|您)?|多谢|ありがとう(?:ございます|ございました)?|どうも|merci|muito obrigad[oa]|obrigad[oa]|valeu)[\s\p{P}]*(?:(?:a lot|so much|very much|again|sehr|dir|ihnen|mucho|beaucoup|bien|mesmo)[\s\p{P}]*)?$/iu;
const GOODBYE =
  /^(?:(?:good)?bye(?: bye)?|see you(?: later| tomorrow)?|good night|take care|tsch[uü]ss|auf wiedersehen|bis (?:bald|morgen|später)|adi[oó]s|hasta (?:luego|mañana|pronto)|nos vemos|au revoir|à (?:demain|bientôt|plus(?: tard)?|tout à l['’]heure)|bonne nuit|bonne journée|tchau|até (?:logo|amanhã|mais|breve)|bis (?:dann|nachher)|schönen (?:tag|abend)(?: noch)?|buenas noches|boa noite|再见|拜拜|晚安|明天见|回头见|さようなら|またね|また明日|お疲れ様(?:です|でした)?|おやすみ(?:なさい)?)[\s\p{P}]*$/iu;
const CAPABILITIES =
  /^[\s¿¡]*(?:what (?:can|do) you do(?: for me)?|what are you(?: able to do| capable of)?|who are you|how do you work|help|are you (?:an? )?(?:ai|bot|robot|model|human|real|llm)|which model are you|what can i ask(?: you)?|was kannst du(?: alles)?|wer bist du|hilfe|bist du (?:ein|eine) \w+|wie funktionierst du|qu[eé] (?:puedes|sabes) hacer|qui[eé]n eres|ayuda|eres (?:un|una) \w+|que (?:peux|sais)-tu faire|qui es-tu|aide|o que você (?:pode|sabe) fazer|quem é você|ajuda|你(?:能|会|可以)做(?:些)?什么|你是谁|帮助|何ができ(?:ます|る)?か?|あなたは(?:誰|だれ|何)(?:ですか)?|ヘルプ)[\s\p{P}¿]*$/iu;
const SUMMARY =
  /^[\s¿¡]*(?:(?:please|can you|could you|bitte|kannst du|puedes|por favor|请|能)[\s,]*){0,2}(?:summari[sz]e|sum (?:it |this |everything )?up|recap|give (?:me |us )?(?:a |the )?(?:short |brief |quick )?(?:summary|recap|overview)|tl;?dr|what (?:has )?happened so far|what have we (?:talked about|done|discussed)(?: so far)?|where (?:are|were) we(?= ?(?:now|at|so far)?[\s?!.]*$)|catch me up|fass\w* .{0,40}zusammen|zusammenfass\w*|was (?:ist|war) bisher|worum ging es|resum\w+|haz(?:me)? un resumen|de qu[eé] hemos hablado|résume\w*|fais(?:-moi)? un résumé|récapitul\w+|où en (?:est-on|sommes-nous)|faça um resumo|recapitul\w+|do que falamos|总结|概括|摘要|要約|まとめ)/iu;
const DECISIONS =
  /what (?:did|have|had) (?:we|they|you|the team|everyone|everybody) (?:decided?|agreed?|settled?|chosen?|chose)(?: (?:on|upon|about|for|regarding|to do))?|what (?:was|were|is|has been) (?:decided|agreed|settled)(?: (?:on|about|for|regarding))?|(?:which|what|list|show)(?: me)?(?: all)?(?: the)?(?: our)? decisions?(?: (?:were|was|have been|did we)(?: (?:made|taken|make|take))?)?(?: (?:on|about|for|regarding))?|was (?:haben|hatten) wir (?=.{0,80}(?:entschieden|beschlossen|ausgemacht|vereinbart))|(?:entschieden|beschlossen|ausgemacht|vereinbart)(?=[\s?.!]*$)|was wurde (?=.{0,80}(?:entschieden|beschlossen))|welche entscheidungen(?: wurden getroffen)?|qu[eé] (?:hemos decidido|decidimos|acordamos|se decidi[oó])(?: sobre)?|qu['’](?:avons-nous|a-t-on|est-ce qu['’](?:on a|nous avons)) (?:décidé|choisi|convenu)(?: pour| sur)?|o que (?:nós )?(?:decidimos|combinamos|foi decidido)(?: sobre)?|我们决定了什么|决定了(?:什么|哪些)|做了(?:什么|哪些)决定|何(?:を|が)決(?:め|ま)(?:まし|り)?た?(?:か|のか)?/iu;
const WHO_SAID =
  /^[\s¿]*(?:who|wer|qui[eé]n|qui|quem|谁|誰が)\s?(?:was it (?:that|who) )?(?:said|says|told(?: (?:us|me|you))?|mentioned|suggested|proposed|asked for|asked|wrote|recommended|pointed out|brought up|hat (?=.{0,120}(?:gesagt|erwähnt|vorgeschlagen|geschrieben))|sagte|erwähnte|a (?:dit|mentionné|proposé|suggéré)|disse|mencionou|propôs|sugeriu|dijo|mencion[oó]|propuso|sugiri[oó]|说过?|提到|提议|言いました|言った|提案)\s?(?:that |about |of |dass |que )?/iu;

const ASKING =
  /^(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|can|could|will|would|should|has|have|tell|show|find|search|list|explain|remind|quote|name|give|describe|wer|wen|wem|wessen|was|wann|wo|wohin|woher|warum|wieso|wie|welche[rsnm]?|ist|sind|hat|haben|kann|zeig\w*|such\w*|finde|nenne|erinner\w*|qu[eé]|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|c[oó]mo|cu[aá]l(?:es)?|cu[aá]nt[oa]s?|por qu[eé]|busca|dime|muestra|qui|quoi|quand|où|comment|combien|pourquoi|quel(?:le)?s?|est-ce|cherche|dis|montre|quem|onde|quando|quanto|quantas?|quantos|qual|quais|como|procure|diga|mostre)(?!\p{L})/iu;
const ASKING_IN_RUNS =
  /[吗呢]|什么|哪|多少|几|谁|怎么|为什么|何|誰|どこ|いつ|いくら|なぜ|どう|ですか|ますか|教えて|ください|请|ไหน|อะไร|ใคร|เมื่อไ|ทำไม|อย่างไร|เท่าไ|ไหม|\p{Script=Greek}.*[;\u037e]\s*$/u;

export function isAsking(text: string): boolean {
  if (isQuestion(text) || /[?？]/.test(text)) return true;
  return ASKING.test(text.replace(/^[\s¿¡]+/, "")) || ASKING_IN_RUNS.test(text);
}
