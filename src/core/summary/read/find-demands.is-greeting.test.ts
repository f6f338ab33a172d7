import { expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { isGreeting } from "./find-demands.ts";

test.each([
  "Hi there! How are you?",
  "Good morning 🙂",
  "Guten Morgen! Wie geht es dir?",
  "¡Hola! ¿Cómo estás?",
  "早上好！ 最近怎么样？",
  "おはようございます。 元気ですか？",
  "صباح الخير! كيف حالك؟",
])("isGreeting returns true for: %s", (text) => {
  expect(isGreeting(text)).toBe(true);
});

test.each([
  "Hi, please mend the parser.",
  "Hide the column",
  "all tests fail",
  "你好，请修复导入。",
  "",
  "Hola Mateo, envía el informe",
])("isGreeting returns false for: %s", (text) => {
  expect(isGreeting(text)).toBe(false);
});

test("isGreeting reads a long text of greetings in linear time", async () => {
  const cost = (greetings: string) =>
    cpuMsOf(() => {
      for (let run = 0; run < 1_000; run += 1) isGreeting(`${greetings}x`);
    });
  expect(await growthOf("hi! ".repeat(24), cost)).toBeLessThan(LINEAR_GROWTH);
});
