/** Arabic cues for demands and decisions. There are none for other statements. */
import { joinPhrases, type LanguageCues } from "./cue-patterns.ts";

const NONE = { cues: /(?!)/u };

export const arabic: LanguageCues = {
  demand: {
    cues: joinPhrases(
      "^(?:من فضلك،? )?لا (?:تغير|تغيّر|تحذف|تعدل|تعدّل|تلمس|تستخدم|تستعمل|تنشر|ترسل|تضف|تغيري|تحذفي)",
      "يجب (?:أن (?![أن])|ألا )\\p{L}+|ممنوع|يمنع|على الأكثر",
    ),
  },
  decision: { cues: joinPhrases("قررنا|اتفقنا|قررتُ") },
  open: NONE,
  done: NONE,
  withdrawal: NONE,
  replacement: NONE,
  newDecision: NONE,
};
