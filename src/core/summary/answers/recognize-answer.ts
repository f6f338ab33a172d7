/** Recognizes answers that are not summaries. Each test is narrow, because a false positive rejects a good summary. */

const CALL_MARKUP =
  /^(?:<\|?(?:tool_calls?|tool_use|function_calls?|function|invoke|antml:[a-z_]+)\b|\[TOOL_CALLS\]|<｜tool|functions\.[\w.]+\s*\(?\{|Action:[^\n]*\nAction Input:)/i;

/** Returns true for an answer that begins with the markup of a tool call, or is the JSON of one. */
export function isToolCall(text: string): boolean {
  return CALL_MARKUP.test(text) || CALL_AT_END.test(text.slice(-MAX_CALL_CHARACTERS)) || isCallObject(text);
}

const CALL_AT_END = /\n[ \t]{0,40}<(tool_calls?|tool_use|function_calls?|invoke)\b[^\n]*(?:\n[^\n]*){0,200}<\/\1>\s*$/i;

const MAX_CALL_CHARACTERS = 20_000;

function isCallObject(text: string): boolean {
  if (text.length > MAX_CALL_CHARACTERS || !/^[[{]/.test(text) || !/"(?:arguments|parameters|input|args)"/.test(text))
    return false;
  const value = parseJsonOrUndefined(text);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "object" && first !== null && hasToolName(first) && hasInput(first);
}

function hasToolName(value: object): boolean {
  return ["name", "tool", "tool_name", "function"].some((key) => Object.hasOwn(value, key));
}

function hasInput(value: object): boolean {
  const holders = Object.values(value).filter((inner) => typeof inner === "object" && inner !== null);
  return [value, ...holders].some((holder) =>
    ["arguments", "parameters", "input", "args"].some((key) => Object.hasOwn(holder, key)),
  );
}

export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NOTHING =
  /^(?:(?:insert|todo|tbd|write|add)(?: \w+){0,3} summary(?: here| of the conversation)?|none|nothing|n\/?a|nil|(?:null|undefined|nan|object)(?: (?:null|undefined|nan|object))*|empty|unknown|tbd|not applicable|not (?:yet )?(?:specified|mentioned|available|provided|determined)|no (?:information|data|content)(?: (?:available|provided))?|none (?:so far|yet|mentioned|noted|identified|specified|at this time)|nothing (?:yet|so far|to report|noted)|no (?:[a-z]+ ){0,3}(?:yet|so far|identified|mentioned|noted|recorded))?$/;

export function isEmptyTemplate(text: string): boolean {
  return text
    .replace(TABLE_HEAD, "")
    .split("\n")
    .every((line) => isHollow(line));
}

/** Matches the head of a Markdown table, above its line of dashes. */
const TABLE_HEAD = /^[^\S\n]*\|[^\n]*\n(?=[^\S\n]*\|[ :]*-{3}[ |:-]*$)/gm;

/** Matches a line that the engine writes around a summary. */
const OWN_MARK = /^\s*\[(?:summary of the [^\]]{1,40}|end of the summary|pinned notes|history summary)\]\s*$/i;

export function isOwnMark(line: string): boolean {
  return OWN_MARK.test(line);
}

function isHollow(line: string): boolean {
  if (/^\s*(?:#{1,6}\s|<\/?[\w-]{1,60}>\s*$|\*\*[^*]{1,80}\*\*:?\s*$)/.test(line)) return true;
  if (isOwnMark(line)) return true;
  const label = /^[^:\n]{1,80}:/.exec(line)?.[0] ?? "";
  return isNothing(line) || (label !== "" && isNothing(line.slice(label.length)));
}

function isNothing(said: string): boolean {
  const words = said
    .replace(/[^\p{L}\p{N}/]+/gu, () => " ")
    .trim()
    .toLowerCase();
  return NOTHING.test(words.replace(/^\d{1,3} /, ""));
}

const ACKNOWLEDGMENTS: ReadonlySet<string> = new Set(
  "ok okay k yes no sure done finished complete completed ready understood noted acknowledged thanks thank_you got_it will_do of_course certainly success succeeded summary summarized summarised summary_done summary_complete summary_completed here_is_the_summary here_s_the_summary erledigt fertig verstanden hecho listo entendido d_accord fait compris terminé fatto capito feito pronto begrepen klaar klart gotowe готово понятно хорошо 好的 完成 已完成 明白 了解 はい 了解しました 完了 완료 네 tamam".split(
    " ",
  ),
);

export function isAcknowledgment(text: string): boolean {
  return (
    text.length <= MAX_ACKNOWLEDGMENT_CHARACTERS &&
    ACKNOWLEDGMENTS.has(
      text
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join("_") ?? "",
    )
  );
}

const MAX_ACKNOWLEDGMENT_CHARACTERS = 60;

/** Counts words. In a script without spaces, two characters count as one. */
export function countWords(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return (text.replaceAll(UNSPACED, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0) + unspaced / 2;
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

const MAX_THOUGHT_CHARACTERS = 2_000;
const PLAN =
  /^\W*(?:(?:okay|ok|alright|all right|hmm|right|well|so|now|first)[,.! ]+){0,3}(?:so )?(?:i|we) (?:need|have|should|want|am asked|are asked|was asked|were asked)(?: to)? (?:to )?(?:write|create|produce|provide|generate|make|craft|prepare|give|summari[sz]e)\b[^.\n]{0,60}\bsummar/i;
const SELF_TALK = /\b(?:let me|let's|let us|hmm|wait,|maybe i should|i should|we should|should be careful)\b/gi;

/** Returns true for reasoning about the summary without tags: a plan to write it, and self-talk. */
export function isThinkingAloud(text: string): boolean {
  if (text.length > MAX_THOUGHT_CHARACTERS || !PLAN.test(text)) return false;
  return (text.match(SELF_TALK)?.length ?? 0) >= 2;
}

const MAX_REFUSAL_CHARACTERS = 600;

const CANNOT =
  "(?:can(?:no|')t|can not|could not|couldn't|won't|will not|am unable to|am not able to|'m unable to|'m not able to|must decline to)";
const SUBJECT = "(?:i|as an ai(?: language)? (?:model|assistant),? i)";
const SERVICE =
  "(?:help(?: you)? with|assist(?: you)? with|assist (?:you )?in|comply|fulfil+ (?:this|that|your)|do that|do this|summari[sz]e|(?:provide|create|write|generate|produce|give)(?: you)? (?:with )?(?:a|the|this|that|any|such) summary|process (?:this|that|your) request|continue with (?:this|that|your) request|engage with|discuss (?:this|that))";

const APOLOGY =
  "(?:(?:i'm|i am|we are|we're)?\\s*(?:very |so )?sorry|(?:i )?apologi[sz]e|my apologies|apologies|unfortunately|regrettably)";

const ENGLISH: readonly RegExp[] = [
  new RegExp(`^(?:${APOLOGY}[,.!]? ?(?:but |however,? )?)?${SUBJECT} ?${CANNOT} ${SERVICE}\\b`),
  /^(?:(?:i'm|i am) (?:very |so )?sorry[,.!]? ?(?:but )?)?(?:as an ai\b[^,\n]{0,40},? )?i (?:must|have to|need to|will have to|am going to|would (?:rather|prefer to))? ?(?:respectfully |politely )?(?:decline|refuse|abstain|not answer)\b/,
  /^as an ai(?: language)? (?:model|assistant),? i (?:do not|don't) (?:have|retain|store|possess)\b/,
  /^(?:i'm|i am) not (?:comfortable|able|allowed|permitted|willing) (?:to |with )?(?:summari|help|assist|view|access|continue|do)/,
  /^i (?:do not|don't) have (?:the )?(?:permission|access|ability|authori[sz]ation)\b/,
  /^(?:i'm|i am) (?:very |so )?sorry[,.!]? ?(?:but )?(?:this|that|the) (?:request|content|conversation) (?:violates|goes against|is not something)/,
  /^(?:please|could you(?: please)?|can you(?: please)?) (?:provide|share|paste|send)(?: me)?(?: with)? (?:the|a|your) (?:conversation|transcript|text|messages|chat)/,
  /^(?:it (?:looks|seems|appears) (?:like|that|as if) )?(?:there (?:is|was|are|were)|i (?:do not|don't) (?:see|have)|you (?:have not|haven't|did not|didn't)) (?:no|any|a|the|provided?|included?|shared?)\b.{0,60}\bto summari[sz]e\b/,
];

/** Refusals, by language. */
const NON_ENGLISH: readonly RegExp[] = [
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

const REFUSALS = [...ENGLISH, ...NON_ENGLISH];

/** Tests the beginning of a short answer. A summary reports a refusal inside the conversation in other words. */
export function isRefusal(text: string): boolean {
  if (text.length > MAX_REFUSAL_CHARACTERS) return false;
  const plain = text
    .replace(/[‘’ʼ]/g, "'")
    .replace(/^[\s"“„«'*_>#-]+/, "")
    .toLowerCase();
  return REFUSALS.some((pattern) => pattern.test(plain));
}
