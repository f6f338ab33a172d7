import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { propertyRuns } from "../../../testing/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import { PROVIDERS } from "../provider.ts";
import { renderPrompt } from "./render-prompt.ts";
import { renderUnits } from "./render-units.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage } = messageBuilder();

describe("breakpoints", () => {
  const [system, question, answer] = [aSystemMessage("Be brief."), aUserMessage("One."), anAssistantMessage("Two.")];
  const messages = [system, question, answer];
  const mark = { type: "ephemeral" };
  const source = { instructions: "Obey.", messages };

  test(
    shows(["S3-103", "C-16"], "mark the last block of the system text, for Anthropic and through the AI SDK"),
    () => {
      const breakpoints = [-1];
      expect(renderPrompt({ ...source, breakpoints, provider: "anthropic" }).system).toEqual([
        { type: "text", text: "Obey." },
        { type: "text", text: "Be brief.", cache_control: mark },
      ]);
      expect(renderPrompt({ ...source, breakpoints, provider: "ai-sdk" }).instructions).toEqual({
        role: "system",
        content: "Obey.\n\nBe brief.",
        providerOptions: { anthropic: { cacheControl: mark } },
      });
    },
  );

  test(shows(["S3-104", "C-16"], "mark the last block of a message and leave the system text alone"), () => {
    const rendered = renderPrompt({ ...source, breakpoints: [1], provider: "anthropic" });
    expect(JSON.stringify(rendered.system)).not.toContain("cache_control");
    expect(rendered.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "One.", cache_control: mark }] },
      { role: "assistant", content: [{ type: "text", text: "Two." }] },
    ]);
    expect(renderPrompt({ ...source, breakpoints: [1], provider: "ai-sdk" }).messages[0]).toEqual({
      role: "user",
      content: "One.",
      providerOptions: { anthropic: { cacheControl: mark } },
    });
  });

  test("are placed by us alone: old marks go", () => {
    const old = { anthropic: { cacheControl: mark } };
    const kept = aUserMessage("", { parts: [{ type: "text", text: "One.", extras: old }] });
    const rendered = renderPrompt({ ...source, messages: [kept, answer], breakpoints: [1], provider: "anthropic" });
    expect(JSON.stringify(rendered.messages).split("cache_control").length - 1).toBe(1);
  });

  test("change nothing of what a model reads, for any provider", () => {
    fc.assert(
      fc.property(
        histories({ maxTurns: 5, longestCharacters: 200 }),
        fc.array(fc.nat(8), { maxLength: 4 }),
        (history, at) => {
          for (const provider of [...PROVIDERS, "ai-sdk"] as const) {
            const units = (breakpoints: readonly number[]) =>
              renderUnits(renderPrompt({ instructions: "Obey.", messages: history, breakpoints, provider }), provider);
            expect(units(at)).toEqual(units([]));
          }
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});
