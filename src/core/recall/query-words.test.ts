import { describe, expect, test } from "vitest";
import { runSteps } from "../tokens/count-text.ts";
import { listQueryWords } from "./query-words.ts";
import { findWordKey, readWordKeysInSteps } from "./word-keys.ts";

describe("listQueryWords", () => {
  test.each([
    ["Der Schlüssel hängt am Haken.", "Schlüssel"],
    ["Les Français arrivent.", "Français"],
    ["Die Straße ist gesperrt.", "Straße"],
    ["A cafetéria abre cedo.", "cafetéria"],
    ["The marriage was in May.", "marriage"],
    ["One woman rowed.", "women"],
    ["It cost 1,250.50 euros.", "1250.50"],
    ["She decided to leave.", "decision"],
  ])("finds %j in the index of words by %j", (text, query) => {
    const keys = runSteps(readWordKeysInSteps(text));
    const [word = ""] = listQueryWords(query).keys();
    expect(keys).toContain(findWordKey(word));
  });
});
