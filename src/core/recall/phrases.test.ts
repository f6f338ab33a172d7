import { expect, test } from "vitest";
import { detectPhraseLanguage } from "./phrases.ts";

test.each(["What was decided?", "Who was late?", "Summarise what was said.", "Did the plant die?", "Who has a hat?"])(
  "detectPhraseLanguage returns en for an English question with words that also exist in German: %s",
  (question) => {
    expect(detectPhraseLanguage(question)).toBe("en");
  },
);

test.each([
  ["de", "Was wurde entschieden?"],
  ["de", "Wer hat das gesagt?"],
  ["es", "¿Qué decidimos?"],
  ["zh", "决定了什么？"],
  ["ja", "何が決まりましたか？"],
])("detectPhraseLanguage returns %s for: %s", (language, question) => {
  expect(detectPhraseLanguage(question)).toBe(language);
});
