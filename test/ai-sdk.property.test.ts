/**
 * Passes prompts through the AI SDK to a model: the SDK refuses what it would refuse in a host's program, and the model
 * receives every word.
 */
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Part } from "../src/core/message/message.ts";
import { histories } from "../src/testing/generate-histories.ts";
import { propertyRuns } from "./support/property-runs.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

function scriptedModel() {
  return new MockLanguageModelV4({
    // Accepts any URL itself, so that the SDK downloads nothing.
    supportedUrls: { "*/*": [/.*/] },
    doGenerate: async () => ({
      content: [{ type: "text", text: "ok" }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
    }),
  });
}

/** Unknown parts that claim to be the SDK's own are passed on unchanged; the SDK decides what they may contain. */
function isKnown(part: Part): boolean {
  return part.type !== "unknown" || part.format !== "ai-sdk-model";
}

describe("prompts for the AI SDK", () => {
  test("are accepted by generateText for any history", async () => {
    const property = fc.asyncProperty(histories({ maxTurns: 6 }), async (history) => {
      const session = await (await openPalimpsest({ counter: "estimate", budgetTokens: 4_000 })).session();
      for (const message of history) {
        await session.append(
          { ...message, id: undefined, parts: message.parts.filter(isKnown) },
          { format: "palimpsest" },
        );
      }
      const prompt = await session
        .prompt({ next: { role: "user", content: "Go on." }, instructions: "Be brief." })
        .catch(() => undefined);
      if (prompt === undefined) return;
      const model = scriptedModel();
      const { text } = await generateText({ model, ...prompt.forStreamText(), maxRetries: 0 });
      expect(text).toBe("ok");
      expect(JSON.stringify(model.doGenerateCalls[0]?.prompt)).toContain("Go on.");
    });
    await fc.assert(property, { numRuns: propertyRuns() });
  });
});
