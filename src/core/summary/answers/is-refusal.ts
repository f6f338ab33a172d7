/**
 * Recognises a refusal in place of a summary, in the languages that models refuse in. It looks at how a short answer
 * begins, because a good summary may tell of a refusal: it does so in other words, and seldom of itself.
 */
const LONGEST_REFUSAL = 600;

const CANNOT =
  "(?:can(?:no|')t|can not|could not|couldn't|won't|will not|am unable to|am not able to|'m unable to|'m not able to|must decline to)";
const SUBJECT = "(?:i|as an ai(?: language)? (?:model|assistant),? i)";
const SERVICE =
  "(?:help(?: you)? with|assist(?: you)? with|assist (?:you )?in|comply|fulfil+ (?:this|that|your)|do that|do this|summari[sz]e|(?:provide|create|write|generate|produce|give)(?: you)? (?:with )?(?:a|the|this|that|any|such) summary|process (?:this|that|your) request|continue with (?:this|that|your) request|engage with|discuss (?:this|that))";

const ENGLISH: readonly RegExp[] = [
  new RegExp(
    `^(?:(?:i'm|i am|we are|we're)?\\s*(?:very |so )?sorry[,.!]? ?(?:but |however,? )?)?${SUBJECT} ?${CANNOT} ${SERVICE}\\b`,
  ),
  /^(?:(?:i'm|i am) (?:very |so )?sorry[,.!]? ?(?:but )?)?(?:as an ai\b[^,\n]{0,40},? )?i (?:must|have to|need to|will have to|am going to|would (?:rather|prefer to))? ?(?:respectfully |politely )?(?:decline|refuse|abstain|not answer)\b/,
  /^(?:i'm|i am) (?:very |so )?sorry[,.!]? ?(?:but )?(?:this|that|the) (?:request|content|conversation) (?:violates|goes against|is not something)/,
  /^(?:please|could you(?: please)?|can you(?: please)?) (?:provide|share|paste|send)(?: me)?(?: with)? (?:the|a|your) (?:conversation|transcript|text|messages|chat)/,
  /^(?:it (?:looks|seems|appears) (?:like|that|as if) )?(?:there (?:is|was|are|were)|i (?:do not|don't) (?:see|have)|you (?:have not|haven't|did not|didn't)) (?:no|any|a|the|provided?|included?|shared?)\b.{0,60}\bto summari[sz]e\b/,
];

/** What an apology goes on with, language by language: to be unable, or to ask for what was given. */
const OTHERS: readonly RegExp[] = [
  // German, Dutch
  /^(?:es )?tut mir (?:sehr )?leid\b[^\n]{0,80}\b(?:ich|dabei|damit|das)\b[^\n]{0,80}\b(?:nicht|keine?n?)\b/,
  /^(?:leider )?(?:kann ich|ich kann|ich darf|darf ich|ich muss)\b[^\n]{0,80}\b(?:nicht|ablehnen)\b[^\n]{0,20}(?:helfen|weiterhelfen|zusammenfassen|nachkommen|erfüllen|erstellen|beantworten|$|[.!])/,
  /^als (?:ki|künstliche|sprachmodell)[^\n]{0,60}\b(?:nicht|ablehnen)\b/,
  /^(?:het )?spijt me\b[^\n]{0,80}\b(?:niet|geen)\b/,
  // Spanish, French, Italian, Portuguese
  /^(?:lo siento|lamento|perdón|disculpa)\b[^\n]{0,40}\bno (?:puedo|me es posible|podré)\b/,
  /^no (?:puedo|me es posible) (?:ayudar|cumplir|resumir|proporcionar|hacer)/,
  /^(?:je suis (?:vraiment )?désolée?|désolée?|toutes mes excuses|je m'excuse)[^\n]{0,30}\bje (?:ne (?:peux|suis|pourrai) pas|dois (?:refuser|décliner))/,
  /^je ne (?:peux|suis) pas (?:(?:en mesure|capable) de )?(?:vous |t')?(?:aider|résumer|fournir|répondre|faire)/,
  /^(?:mi dispiace|spiacente)\b[^\n]{0,40}\bnon (?:posso|sono in grado)\b/,
  /^non posso (?:aiutar|riassumere|fornire|soddisfare)/,
  /^(?:desculpe|sinto muito|lamento|peço desculpa)[^\n]{0,40}\bnão (?:posso|consigo|me é possível)(?=\s)/,
  /^como (?:un )?(?:modelo|modelo de) (?:de )?(?:lenguaje|linguagem)[^\n]{0,40}\b(?:no|não) (?:puedo|posso)/,
  // Polish, Czech, Swedish, Danish, Norwegian, Turkish
  /^(?:przykro mi|przepraszam|niestety)[^\n]{0,40}nie mog[ęe]/,
  /^(?:omlouvám se|bohužel|je mi líto)[^\n]{0,40}(?:nemohu|nemůžu)/,
  /^(?:tyvärr|förlåt|jag är ledsen|beklager|desværre|undskyld)[^\n]{0,40}kan (?:jag |jeg )?[^\n]{0,20}(?:inte|ikke)/,
  /^(?:üzgünüm|maalesef|özür dilerim)[^\n]{0,80}(?:olamam|edemem|yapamam|veremem|olamıyorum|edemiyorum)/,
  // Russian, Ukrainian, Arabic, Hindi, Vietnamese, Indonesian
  /^(?:извините|простите|к сожалению|прошу прощения|вибачте|на жаль)[^\n]{0,40}не (?:могу|можу|в состоянии)/,
  /^(?:عذرا|عذراً|آسف|أعتذر|للأسف)[^\n]{0,40}(?:لا أستطيع|لا يمكنني|لا يمكن)/,
  /^(?:क्षमा करें|माफ़ करें|माफ करें|मुझे खेद है)[^\n]{0,60}नहीं/,
  /^(?:rất )?(?:xin lỗi|tiếc)[^\n]{0,40}không thể/,
  /^(?:mohon )?maaf[^\n]{0,40}tidak (?:bisa|dapat)/,
  // Chinese, Japanese, Korean
  /^(?:很?抱歉|对不起|對不起|非常抱歉)[,，。 ]?[^\n]{0,12}(?:无法|不能|無法|没有办法)/,
  /^(?:作为|作為)[^\n]{0,20}(?:模型|助手|ai)[^\n]{0,12}(?:无法|不能|無法)/,
  /^申し訳(?:ありません|ございません|ない)/,
  /^(?:すみません|ごめんなさい|恐れ入りますが)[^\n]{0,60}(?:できません|いたしかねます)/,
  /^(?:죄송|미안)[^\n]{0,60}(?:수 없|못합니다|어렵습니다)/,
];

const REFUSALS = [...ENGLISH, ...OTHERS];

/** A short answer that begins as refusals do. What the assistant refused inside the conversation is told in other words. */
export function isRefusal(text: string): boolean {
  if (text.length > LONGEST_REFUSAL) return false;
  const plain = text
    .replace(/[‘’ʼ]/g, "'")
    .replace(/^[\s"“„«'*_>#-]+/, "")
    .toLowerCase();
  return REFUSALS.some((pattern) => pattern.test(plain));
}
