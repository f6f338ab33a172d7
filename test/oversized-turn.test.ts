/**
 * A turn that is too large by itself, with nothing before it to fold: workspace files are shed first, then tool output
 * is shortened, then the middle of the message is cut; if it still does not fit, there is one error. Every rendering is
 * complete: no half characters, no open code blocks, no call without its input.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import type { JsonValue } from "../src/core/message/json.ts";
import type { Message, Part } from "../src/core/message/message.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import type { Workspace } from "../src/ports/workspace.ts";
import { messageBuilder } from "../src/testing/builders.ts";
import { shows } from "../src/testing/shows.ts";
import { SMALL_MODELS, wordsOf } from "./presets/play-preset.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies as replies } from "./support/scripted-provider-reply.ts";

const BUDGET_TOKENS = 1_500;
const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";
const PROVIDERS = ["openai", "openai-responses", "anthropic", "gemini"] as const;

/** Opens a session with a model that must not be called, because there is nothing to summarize. */
async function stage(options: Partial<OpenOptions> = {}) {
  const provider = await startScriptedProvider(() => replies.text("Nobody should have asked."));
  const summarizer = SMALL_MODELS.openai(provider.url);
  const palimpsest = await openPalimpsest({ budgetTokens: BUDGET_TOKENS, counter: "estimate", summarizer, ...options });
  const session = await palimpsest.session();
  return {
    session,
    provider,
    say: (...messages: readonly Message[]) => session.append(messages, { format: "palimpsest" }),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

/** All five renderings as plain values. */
const renderingsOf = (prompt: Prompt): readonly JsonValue[] =>
  [{ messages: prompt.messages }, ...PROVIDERS.map((name) => prompt.as(name))].map((value) =>
    JSON.parse(JSON.stringify(value)),
  );

function expectWhole(prompt: Prompt): void {
  expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
  for (const provider of PROVIDERS) expect(validate(prompt.as(provider), provider)).toEqual([]);
  // JSON writes half of a surrogate pair as an escape, and no text of these tests contains one.
  for (const rendering of renderingsOf(prompt)) expect(JSON.stringify(rendering)).not.toMatch(/\\ud[89a-f]/i);
}

const { aUserMessage, aRound } = messageBuilder();
const text = (words: string): Part => ({ type: "text", text: words });
const longWords = `First words. ${PROSE.repeat(300)}Last words.`;

describe("the middle of an oversized message", () => {
  test(
    shows(
      ["X-4", "S2-49"],
      "is cut with a marker that names the missing length and its place, without a summarizer call",
    ),
    async () => {
      await using play = await stage();
      const message = aUserMessage(longWords);
      await play.say(message);
      const prompt = await play.session.prompt();
      expect(play.provider.requests).toEqual([]);
      expect(prompt.report.summary).toBeUndefined();
      expect(prompt.report.compaction?.steps).toEqual(["cut"]);
      for (const rendering of renderingsOf(prompt)) {
        const words = wordsOf(rendering);
        expect(words).toContain("First words.");
        expect(words).toContain("Last words.");
        const [, leftOut, id] = /\[… (\d+) characters cut to save room; message (\S+) has them …\]/.exec(words) ?? [];
        const kept = words.slice(words.indexOf("First words."), words.indexOf("Last words.") + "Last words.".length);
        const marker = /\n\[….*…\]\n/.exec(kept)?.[0] ?? "";
        expect(kept.length - marker.length + Number(leftOut)).toBe(longWords.length);
        expect(id).toBe(message.id);
        expect((await play.session.message(id ?? "")).parts).toEqual(message.parts);
      }
      expectWhole(prompt);
    },
  );

  test("is never cut inside a character", async () => {
    for (const shift of ["", "a", "ab", "abc"]) {
      await using play = await stage();
      await play.say(aUserMessage(`${shift}${"🦊🐕".repeat(4_000)}`));
      const prompt = await play.session.prompt();
      expect(prompt.report.compaction?.steps).toEqual(["cut"]);
      expectWhole(prompt);
    }
  });

  test.each([
    ["inside one block", `Look:\n\`\`\`ts\n${"const fox = dog();\n".repeat(1_500)}\`\`\`\nWhat does it do?`],
    ["from text into a block", `${PROSE.repeat(200)}\n\`\`\`ts\n${"const fox = dog();\n".repeat(300)}\`\`\`\nWhy?`],
    ["from a block into text", `\`\`\`ts\n${"const fox = dog();\n".repeat(1_500)}\`\`\`\n${PROSE.repeat(200)}`],
    [
      "across two kinds of block",
      `~~~py\n${"fox()\n".repeat(2_000)}~~~\nand\n\`\`\`\n${"dog()\n".repeat(2_000)}\`\`\`\nSo?`,
    ],
  ])("is cut without leaving a code block open: %s", async (_, words) => {
    await using play = await stage();
    await play.say(aUserMessage(words));
    const prompt = await play.session.prompt();
    for (const rendering of renderingsOf(prompt)) {
      const lines = wordsOf(rendering).split("\n");
      let open: string | undefined;
      for (const line of lines) {
        const [, mark] = /^(`{3,}|~{3,})/.exec(line) ?? [];
        if (line.startsWith("[…")) expect(open).toBeUndefined();
        if (mark !== undefined) open = open === undefined ? mark : undefined;
      }
      expect(open).toBeUndefined();
    }
    expectWhole(prompt);
  });

  test("is removed from the largest part first; an image next to it stays while there is room", async () => {
    await using play = await stage();
    const image: Part = {
      type: "image",
      source: { type: "url", url: "https://example.com/fox.png" },
      mediaType: "image/png",
      widthPixels: 300,
      heightPixels: 200,
    };
    await play.say(aUserMessage("", { parts: [text("See."), image, text(longWords), text("What is it?")] }));
    const prompt = await play.session.prompt();
    for (const rendering of renderingsOf(prompt)) {
      const written = JSON.stringify(rendering);
      expect(written).toContain("https://example.com/fox.png");
      expect(written).toContain("See.");
      expect(written).toContain("What is it?");
      expect(written).toContain("characters cut to save room");
    }
    expectWhole(prompt);
  });

  test("has a note in place of an image if there is no long text to cut, and the text stays", async () => {
    await using play = await stage();
    const image: Part = {
      type: "image",
      source: { type: "url", url: "https://example.com/fox.png" },
      mediaType: "image/png",
      widthPixels: 4_000,
      heightPixels: 4_000,
    };
    const pictures = Array.from({ length: 9 }, () => image);
    await play.say(aUserMessage("", { parts: [text("Compare these."), ...pictures] }));
    const prompt = await play.session.prompt();
    for (const rendering of renderingsOf(prompt)) {
      expect(wordsOf(rendering)).toContain("Compare these.");
      expect(JSON.stringify(rendering)).toContain("image removed to save room");
    }
    expectWhole(prompt);
  });
});

describe("an oversized turn with tools", () => {
  test(shows("X-4", "loses tool output before its message is cut"), async () => {
    await using play = await stage();
    const words = `Request. ${PROSE.repeat(70)}The end.`;
    const output = `Output. ${PROSE.repeat(70)}Its end.`;
    await play.say(aUserMessage(words), ...aRound([{ callId: "a", output }]));
    const prompt = await play.session.prompt();
    expect(play.provider.requests).toEqual([]);
    for (const rendering of renderingsOf(prompt)) {
      const shown = wordsOf(rendering);
      expect(shown).toContain(words);
      expect(shown).not.toContain(output);
      expect(shown).toMatch(/Output\. .*characters cut to save room.*Its end\./s);
    }
    expectWhole(prompt);
  });

  test("keeps a tool's arguments as an object, and cuts its long strings one by one", async () => {
    await using play = await stage();
    const input = { path: "fox.ts", before: "🦊 old ".repeat(2_000), after: "🐕 new ".repeat(2_000), lines: [1, 2] };
    await play.say(aUserMessage("Edit it."), ...aRound([{ callId: "a", tool: "edit_file", input, output: "done" }]));
    const prompt = await play.session.prompt();
    const calls = prompt.messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.filter((part) => part.type === "tool-call"),
    );
    expect(calls).toMatchObject([{ input: { path: "fox.ts", lines: [1, 2] } }]);
    for (const rendering of renderingsOf(prompt)) {
      expect(JSON.stringify(rendering)).toMatch(/\[… \d+ characters cut …\]/);
    }
    expectWhole(prompt);
  });
});

describe("workspace files in a prompt with an oversized message", () => {
  const files: Readonly<Record<string, string>> = {
    "large.md": PROSE.repeat(300),
    "small.md": "a small file",
  };
  const workspace: Workspace = {
    listTree: async () => ({ paths: Object.keys(files), isCut: false }),
    findFile: async (path) => {
      const found = files[path];
      if (found === undefined) return undefined;
      return { path, text: found, hash: createHash("sha256").update(found).digest("hex") };
    },
    listOutlines: async () => [],
    readLink: async (url) => ({ type: "refused", url, reason: "There is no network." }),
  };
  const chosen = async (options: Partial<OpenOptions> = {}) => {
    const play = await stage({ workspace, ...options });
    for (const path of Object.keys(files)) await play.session.workspace.files.add(path);
    return play;
  };

  test.each(["default", "agent-rounds", "workspace"] as const)(
    shows("X-4", "are left out first, the largest first, and the message stays whole if that is enough: %s"),
    async (policy) => {
      await using play = await chosen({ policy, budgetTokens: 10_000 });
      const words = `Request. ${PROSE.repeat(430)}The end.`;
      await play.say(aUserMessage(words));
      const prompt = await play.session.prompt();
      expect(wordsOf(renderingsOf(prompt)[0])).toContain(words);
      expect(wordsOf(renderingsOf(prompt)[0])).not.toContain(files["large.md"]?.trim().concat("\n"));
      expect(play.session.workspace.files.paths).toEqual(["small.md"]);
      expect(prompt.report.warnings.join("\n")).toContain("large.md");
      expect(play.provider.requests).toEqual([]);
      expectWhole(prompt);
    },
  );

  test(shows("X-4", "are all shed before a word of the message is cut"), async () => {
    await using play = await chosen();
    await play.say(aUserMessage(longWords));
    const prompt = await play.session.prompt();
    expect(play.session.workspace.files.paths).toEqual([]);
    expect(wordsOf(renderingsOf(prompt)[0])).toContain("characters cut to save room");
    expectWhole(prompt);
  });
});

test(
  shows(["X-4", "S2-49"], "a turn that cannot be made to fit causes one error that names the floor and its parts"),
  async () => {
    await using play = await stage();
    await play.say(aUserMessage(longWords));
    const error = await play.session.prompt({ instructions: PROSE.repeat(200) }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ code: "does-not-fit", details: { floor: { limitTokens: BUDGET_TOKENS } } });
    expect(String(error)).toContain("instructions");
    expect(play.provider.requests).toEqual([]);
    // The message is in the log: with enough room it is shown unchanged.
    const later = await play.session.prompt({ windowTokens: 100_000, reserveTokens: 0 });
    expect(wordsOf(renderingsOf(later)[0])).toContain(longWords);
  },
);
