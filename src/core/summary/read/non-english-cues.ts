/** Classifies sentences in languages other than English by the cues of `src/core/language/cues`. */
import { arabic } from "../../language/cues/arabic.ts";
import { chinese } from "../../language/cues/chinese.ts";
import { COURSE_CUES, type CourseCues } from "../../language/cues/course-cues.ts";
import { type CueKind, type LanguageCues, matchesCue } from "../../language/cues/cue-patterns.ts";
import { french } from "../../language/cues/french.ts";
import { german } from "../../language/cues/german.ts";
import { japanese } from "../../language/cues/japanese.ts";
import { portuguese } from "../../language/cues/portuguese.ts";
import { spanish } from "../../language/cues/spanish.ts";
import { type LanguageCode, listOtherLanguages } from "../../language/detect-language.ts";

const CUES: Readonly<Record<Exclude<LanguageCode, "en">, LanguageCues>> = {
  ar: arabic,
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
  pt: portuguese,
  zh: chinese,
};

export function hasNonEnglishCue(text: string, kind: CueKind): boolean {
  return listOtherLanguages(text).some((code) => code !== "en" && matchesCue(text, CUES[code][kind]));
}

/** Returns how users steer an assistant in the languages that a sentence may be in: none for English. */
export function listCourseCues(text: string): readonly CourseCues[] {
  return listOtherLanguages(text).flatMap((code) => (code === "en" || code === "ar" ? [] : [COURSE_CUES[code]]));
}
