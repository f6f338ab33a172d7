import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { renderUnits } from "../../../../test/support/render-units.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { shows } from "../../../testing/shows.ts";
import { PROVIDERS } from "../provider.ts";
import { validate } from "../validate/validate.ts";
import { renderPrompt } from "./render-prompt.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage } = messageBuilder();

describe("renderPrompt with breakpoints", () => {
  const [system, question, answer] = [aSystemMessage("Be brief."), aUserMessage("One."), anAssistantMessage("Two.")];
  const messages = [system, question, answer];
  const mark = { type: "ephemeral" };
  const source = { instructions: "Obey.", messages };

  test(shows("C-16", "marks the last block of the system text, for Anthropic and the AI SDK"), () => {
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
  });

  test(shows("C-16", "marks the last block of a message, and not the system text"), () => {
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

  test(shows("C-16", "marks the last text with marksText, and otherwise the last block, which can be media"), () => {
    const source = { type: "data", base64: "iVBORw0KGgo=" } as const;
    const seen = aUserMessage("", {
      parts: [
        { type: "text", text: "Look." },
        { type: "image", source, mediaType: "image/png" },
      ],
    });
    const placeOf = (marksText: boolean, provider: "anthropic" | "ai-sdk") => {
      const { messages } = renderPrompt({
        instructions: "",
        messages: [seen],
        breakpoints: [0],
        marksText,
        provider,
      });
      const [message] = messages as readonly { readonly content: readonly object[] }[];
      return message?.content.findIndex((block) => /cache_?control/i.test(JSON.stringify(block)));
    };
    expect([placeOf(true, "anthropic"), placeOf(false, "anthropic")]).toEqual([0, 1]);
    expect([placeOf(true, "ai-sdk"), placeOf(false, "ai-sdk")]).toEqual([0, -1]);
  });

  test("removes the marks that a message already has", () => {
    const old = { anthropic: { cacheControl: mark } };
    const kept = aUserMessage("", { parts: [{ type: "text", text: "One.", extras: old }] });
    const rendered = renderPrompt({ ...source, messages: [kept, answer], breakpoints: [1], provider: "anthropic" });
    expect(JSON.stringify(rendered.messages).split("cache_control").length - 1).toBe(1);
  });

  test("does not change the content of the prompt, for any provider", () => {
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
      { numRuns: propertyRuns() },
    );
  });
});

describe("renderPrompt with breakpoints for OpenAI", () => {
  const { aRound } = messageBuilder();
  const appended = [aUserMessage("One."), anAssistantMessage("Two."), ...aRound([{ callId: "c1", output: "Three." }])];
  const source = { instructions: "Be brief.", messages: appended, breakpoints: [-1, 1, 3] } as const;
  const mark = { mode: "explicit" };

  test("marks the system text, a result, and the message before an assistant message", () => {
    const { messages } = renderPrompt({ ...source, marksFor: "openai", provider: "openai" });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["system", [{ type: "text", text: "Be brief.", prompt_cache_breakpoint: mark }]],
      ["user", [{ type: "text", text: "One.", prompt_cache_breakpoint: mark }]],
      ["assistant", "Two."],
      ["assistant", null],
      ["tool", [{ type: "text", text: "Three.", prompt_cache_breakpoint: mark }]],
    ]);
    expect(validate({ messages }, "openai")).toEqual([]);
  });

  test("marks blocks of the Responses API", () => {
    const { input } = renderPrompt({ ...source, marksFor: "openai", provider: "openai-responses" });
    expect(JSON.stringify(input).split("prompt_cache_breakpoint")).toHaveLength(3);
    expect(input.at(-1)).toMatchObject({
      output: [{ type: "input_text", text: "Three.", prompt_cache_breakpoint: mark }],
    });
  });

  test("marks parts for the AI SDK", () => {
    const { messages, instructions } = renderPrompt({ ...source, marksFor: "openai", provider: "ai-sdk" });
    const openai = { promptCacheBreakpoint: mark };
    expect(instructions).toMatchObject({ providerOptions: { openai } });
    expect(JSON.stringify(messages).split("promptCacheBreakpoint")).toHaveLength(3);
    expect(messages[0]).toMatchObject({ content: [{ type: "text", text: "One.", providerOptions: { openai } }] });
  });

  test("writes no marks without `marksFor`", () => {
    for (const provider of ["openai", "openai-responses"] as const) {
      expect(JSON.stringify(renderPrompt({ ...source, provider }))).not.toContain("prompt_cache_breakpoint");
    }
  });

  test.each(["openai", "openai-responses", "ai-sdk"] as const)("does not change the content, for %s", (provider) => {
    const units = (marksFor: "openai" | undefined) =>
      renderUnits(
        renderPrompt({ ...source, breakpoints: marksFor === undefined ? [] : source.breakpoints, marksFor, provider }),
        provider,
      );
    expect(units("openai")).toEqual(units(undefined));
  });
});
