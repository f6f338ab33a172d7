/**
 * Hostile text through the engine: the work grows in proportion to the text, and the longest time between two turns of
 * the event loop does not grow with it.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/compose.ts";
import { loadCounter } from "../src/counters/load-counter.ts";
import { encodingTexts, hugeTexts, markupTexts } from "../src/testing/hostile-texts.ts";
import { growthOf, LINEAR_GROWTH, STEADY_GROWTH, watchLoop } from "./support/growth.ts";

/** Times below this count as short, without a comparison. */
const SHORT_MS = 25;
const steady = { below: STEADY_GROWTH, noiseMs: SHORT_MS };

describe("hostile text through the engine", () => {
  beforeAll(async () => {
    // Loads tables and code before anything is measured, because that happens once in a process.
    const { session } = await open();
    await loadCounter("o200k");
    await session.prompt({ next: { role: "user", content: "warm up ".repeat(2_000) } });
  });

  for (const { name, build } of hugeTexts()) {
    test(`takes time in proportion to its length and does not block the event loop: ${name}`, async () => {
      // One prompt measures both; further tries of the second need prompts of their own.
      const longest = new Map<string, number>();
      const totalMs = async (text: string) => {
        const measured = await promptWith(text);
        longest.set(text, Math.min(measured.longestMs, longest.get(text) ?? Infinity));
        return measured.totalMs;
      };
      const longestMs = async (text: string) => {
        const known = longest.get(text);
        longest.delete(text);
        return known ?? (await promptWith(text)).longestMs;
      };
      expect(await growthOf(build(), totalMs)).toBeLessThan(LINEAR_GROWTH);
      expect(await growthOf(build(), longestMs, steady)).toBeLessThan(STEADY_GROWTH);
    });
  }

  test("in thousands of small messages blocks the event loop about as long as in a quarter as many", async () => {
    const history = Array.from({ length: 5_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}: ${"a word and another ".repeat(12)}`,
    }));
    const longestMs = async (messages: typeof history) => {
      const loop = watchLoop();
      await fitHistory(messages, { budgetTokens: 8_000 });
      return loop.end().longestMs;
    };
    expect(await growthOf(history, longestMs, steady)).toBeLessThan(STEADY_GROWTH);
  });

  for (const { name, build } of [...markupTexts(), ...encodingTexts()]) {
    test(`is returned unchanged: ${name}`, async () => {
      const text = build();
      const { session } = await open();
      await session.append({ role: "user", content: text });
      const [message] = await session.history();
      expect(message?.parts).toEqual([{ type: "text", text }]);
    });
  }
});

async function promptWith(text: string) {
  const { session } = await open();
  const loop = watchLoop();
  const prompt = await session.prompt({ next: { role: "user", content: text } });
  expect(prompt.messages.length).toBeGreaterThan(0);
  expect(prompt.report.tokens).toBeLessThanOrEqual(32_000);
  return loop.end();
}

async function open() {
  const palimpsest = await openPalimpsest({ budgetTokens: 32_000 });
  return { palimpsest, session: await palimpsest.session() };
}
