/** Classifies sentences in languages other than English by the cues of `src/core/language/cues`. */

import { type LanguageCode, listOtherLanguages } from "../detect-language.ts";
import { arabic } from "./arabic.ts";
import { chinese } from "./chinese.ts";
import { COURSE_CUES, type CourseCues } from "./course-cues.ts";
import { type CueKind, type LanguageCues, matchesCue } from "./cue-patterns.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { japanese } from "./japanese.ts";
import { portuguese } from "./portuguese.ts";
import { spanish } from "./spanish.ts";

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
