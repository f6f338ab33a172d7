/** Classifies German, Spanish, Chinese, Japanese and Arabic sentences by phrases, except a speaker's own duties. */
export function isNonEnglishDemand(text: string): boolean {
  return matches(text, DEMANDS);
}

export function isNonEnglishDecision(text: string): boolean {
  return matches(text, DECIDES);
}

export function isNonEnglishOpenItem(text: string): boolean {
  return matches(text, OPEN);
}

interface Cues {
  readonly european: readonly RegExp[];
  readonly chinese: readonly RegExp[];
  readonly japanese: readonly RegExp[];
  readonly arabic: readonly RegExp[];
}

/** Tests a word or letter before the phrases, because most sentences are English. */
function matches(text: string, { european, chinese, japanese, arabic }: Cues): boolean {
  if (KANA.test(text)) return japanese.some((cue) => cue.test(text));
  if (HAN.test(text)) return chinese.some((cue) => cue.test(text));
  if (ARABIC.test(text)) return arabic.some((cue) => cue.test(text));
  return EUROPEAN.test(text) && european.some((cue) => cue.test(text));
}

const KANA = /[\u3041-\u30ff]/;
const HAN = /[\u4e00-\u9fff]/;
const ARABIC = /[\u0620-\u064a]/;
const EUROPEAN =
  /(?<!\p{L})(?:der|die|das|den|dem|und|nicht|ist|sind|wir|ich|auf|mit|muss|darf|noch|bitte|ein|eine|el|la|los|las|de|que|por|debe|hemos|en|un|una|no|se)(?!\p{L})/iu;

const DEMANDS: Cues = {
  european: [
    /(?<!\p{L})(?:darf|dürfen|soll|sollen) (?:\S{1,30} ){0,6}(?:nicht|nie|niemals|nur|kein|keine|keinen|keinem|immer)(?!\p{L})/iu,
    /(?<!(?<!\p{L})(?:ich|wir|du|ihr|man|er|sie) )(?<!\p{L})(?:muss|müssen)(?! (?:ich|wir|du|ihr|man|er|sie) )(?: \S{1,30}){0,12} (?:bleiben|sein|haben|werden|können)[.!]?$/iu,
    /(?<!\p{L})(?:auf keinen Fall|unter keinen Umständen|keinesfalls|höchstens|maximal \d)(?!\p{L})/iu,
    /^(?:por favor,? )?no (?:cambies|toques|uses|borres|modifiques|añadas|elimines|publiques|envíes|cambie|toque|use|borre|modifique|elimine)(?!\p{L})/iu,
    /(?<!\p{L})(?:debe|deben|tiene que|tienen que) (?:\S{1,30} )?\p{L}{2,20}(?:ar|er|ir|se)(?!\p{L})/iu,
    /(?<!\p{L})(?:bajo ningún concepto|está prohibido|como máximo|como mucho \d)(?!\p{L})/iu,
  ],
  chinese: [
    /^[^我咱]{0,40}(?:必须|务必|禁止|不得|请勿|一律)/u,
    /^(?:请)?(?:千万)?不要(?!紧|担心|客气|着急|害怕|难过|急|怕)|(?:最多|不超过)\s?\d/u,
  ],
  japanese: [
    /ないで(?:ください|下さい)|(?:必ず|絶対に).{0,40}(?:ください|下さい|こと)|ては(?:いけません|いけない|なりません|ならない)|は禁止|まで(?:に|と)してください/u,
  ],
  arabic: [
    /^(?:من فضلك،? )?لا (?:تغير|تغيّر|تحذف|تعدل|تعدّل|تلمس|تستخدم|تستعمل|تنشر|ترسل|تضف|تغيري|تحذفي)(?!\p{L})/u,
    /(?<!\p{L})يجب (?:أن (?![أن])|ألا )\p{L}|(?<!\p{L})(?:ممنوع|يمنع|على الأكثر)(?!\p{L})/u,
  ],
};

const DECIDES: Cues = {
  european: [
    /(?<!\p{L})(?:wir haben|wir hatten|ich habe|man hat)(?: uns| mich)? (?:\S{1,30} ){0,4}(?:entschieden|beschlossen|vereinbart)(?!\p{L})|(?<!\p{L})wir (?:entscheiden|einigen) uns (?:für|auf|gegen)(?!\p{L})/iu,
    /(?<!\p{L})(?<!no )(?:hemos|he|han) (?:decidido|acordado)(?!\p{L})|(?<!\p{L})(?:decidimos|acordamos|quedamos en que)(?!\p{L})/iu,
  ],
  chinese: [/^(?:好的?，)?(?:我们|咱们|大家|团队|公司)(?:最后|最终|已经|都)?(?:决定|商定|说好)了?(?!吗|什么|怎么)/u],
  japanese: [/ことにしました|に(?:決めました|決まりました|決定しました)/u],
  arabic: [/(?<!\p{L})(?:قررنا|اتفقنا|قررتُ)(?!\p{L})/u],
};

const OPEN: Cues = {
  european: [
    /(?<!\p{L})(?:muss|müssen) noch(?!\p{L})|(?<!\p{L})(?:steht|stehen) noch aus(?!\p{L})|(?<!\p{L})(?:ist|sind) noch (?:offen|nicht (?:fertig|erledigt|behoben))(?!\p{L})/iu,
    /(?<!\p{L})(?:queda|quedan) por \p{L}|(?<!\p{L})(?:está|están) pendientes?(?!\p{L})/iu,
  ],
  chinese: [/还需要|还要(?:写|做|改|修)|尚未|还没有?(?:完成|修复|处理|解决|实现)|待办/u],
  japanese: [/まだ(?:終わって|できて|直って|完了して)い(?:ません|ない)|未完了|未対応/u],
  arabic: [],
};
