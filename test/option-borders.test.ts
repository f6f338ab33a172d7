/** Options of every call: an invalid one is an error that names the option before any store, model or job is called. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Session } from "../src/engine/session/session.ts";
import { fit as fitHistory } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

interface Scene {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
}

async function scene(): Promise<Scene> {
  const palimpsest = await openPalimpsest({ store: createMemoryStore(), counter: "estimate" });
  const session = await palimpsest.session("s");
  await session.append([
    { role: "user", content: "One." },
    { role: "assistant", content: "Two." },
  ]);
  return { palimpsest, session };
}

/** Calls a method as a program without type checks would. */
const entries = (range: unknown) => (on: Scene) => on.session.entries(range as never);
const refused = (options: unknown) => (on: Scene) => on.session.refused(new Error("too long"), options as never);
const prompt = (options: unknown) => (on: Scene) => on.session.prompt(options as never);
const append = (options: unknown) => (on: Scene) =>
  on.session.append({ role: "user", content: "Three." }, options as never);
const compact = (options: unknown) => (on: Scene) => on.session.compact(options as never);
const fitWith = (options: unknown) => () => fitHistory([{ role: "user", content: "One." }], options as never);
const open = (options: unknown) => () => openPalimpsest(options as never);
const work = (options: unknown) => (on: Scene) => on.palimpsest.work(options as never);
const close = (options: unknown) => (on: Scene) => on.palimpsest.close(options as never);

describe("an invalid option", () => {
  test.each([
    [
      "a misspelled option",
      fitWith({ windowToken: 9 }),
      /^fit: Unknown option "windowToken"\. Did you mean "windowTokens"\?$/,
    ],
    [
      "an option of another style",
      prompt({ window_tokens: 9 }),
      /^session\.prompt: Unknown option "window_tokens"\. Did you mean "windowTokens"\?$/,
    ],
    [
      "two letters in the wrong order",
      open({ polciy: "default" }),
      /^openPalimpsest: Unknown option "polciy"\. Did you mean "policy"\?$/,
    ],
    [
      "a misspelled option of compact",
      compact({ instruction: "Keep." }),
      /^session\.compact: Unknown option "instruction"\. Did you mean "instructions"\?$/,
    ],
    [
      "a misspelled option of append",
      append({ promptID: "p" }),
      /^session\.append: Unknown option "promptID"\. Did you mean "promptId"\?$/,
    ],
    [
      "tools as a string",
      prompt({ tools: "x" }),
      /^session\.prompt: tools: expected a list of tool definitions.*found "x"\.$/,
    ],
    [
      "tools as a list of strings",
      prompt({ tools: ["x"] }),
      /^session\.prompt: tools\[0\]: expected a tool definition.*found "x"\.$/,
    ],
    [
      "named tools as strings",
      prompt({ tools: { search: "x" } }),
      /^session\.prompt: tools\.search: expected a tool definition/,
    ],
    [
      "instructions as a list",
      prompt({ instructions: ["Be brief."] }),
      /^session\.prompt: instructions: expected a string, found a list/,
    ],
    ["a preview as a string", prompt({ preview: "yes" }), /^session\.prompt: preview: expected true or false/],
    [
      "a size as a string",
      open({ windowTokens: "8k" }),
      /^openPalimpsest: windowTokens: expected a whole number.*found "8k"/,
    ],
    ["models as a list", open({ models: [] }), /^openPalimpsest: models: expected an object, found a list/],
    [
      "a misspelled figure of a model",
      fitWith({ models: { small: { windowToken: 9 } } }),
      /^fit: models\.small: Unknown option "windowToken"\. Did you mean "windowTokens"\?$/,
    ],
    [
      "a figure of a model as a string",
      open({ models: { small: { windowTokens: "8k" } } }),
      /^openPalimpsest: models\.small: windowTokens: expected a whole number/,
    ],
    [
      "an environment as a string",
      open({ environment: "production" }),
      /^openPalimpsest: environment: expected an object/,
    ],
    ["an empty prompt id", append({ promptId: "" }), /^session\.append: promptId: expected a non-empty string/],
    ["usage as a number", append({ usage: 12 }), /^session\.append: usage: expected an object, found 12/],
    [
      "usage in an unknown format",
      append({ usage: { tokens_used: 12 } }),
      /^session\.append: usage: Unknown field "tokens_used"\. The fields are .*inputTokens.*prompt_tokens/,
    ],
    [
      "misspelled usage",
      append({ usage: { inputToken: 12 } }),
      /^session\.append: usage: Unknown field "inputToken"\. Did you mean "inputTokens"\?$/,
    ],
    [
      "a misspelled figure of usage",
      append({ usage: { inputTokens: 12, outputToken: 3 } }),
      /^session\.append: usage: Unknown field "outputToken"\. Did you mean "outputTokens"\?$/,
    ],
    [
      "a figure of usage as a string",
      append({ usage: { prompt_tokens: "12" } }),
      /^session\.append: usage\.prompt_tokens: expected a number of tokens from 0 to .*, found "12"/,
    ],
    ["an invalid range", entries(5), /^session\.entries: expected an object of options, found 5/],
    [
      "an unknown option of a range",
      entries({ from: 1 }),
      /^session\.entries: Unknown option "from"\. .*afterSeq, throughSeq/,
    ],
    ["a seq below zero", entries({ afterSeq: -1 }), /^session\.entries: afterSeq: expected a whole number/],
    ["a fractional seq", entries({ throughSeq: 1.5 }), /^session\.entries: throughSeq: .*found 1\.5/],
    ["a limit as a string", entries({ limit: "ten" }), /^session\.entries: limit: .*found "ten"/],
    [
      "one type instead of a list",
      entries({ types: "message" }),
      /^session\.entries: types: expected a list of message/,
    ],
    ["a type that does not exist", entries({ types: ["message", "toString"] }), /^session\.entries: types/],
    [
      "a direction as a string",
      entries({ newestFirst: "yes" }),
      /^session\.entries: newestFirst: expected true or false/,
    ],
    [
      "an unknown option of a refusal",
      refused({ prompt: "p" }),
      /^session\.refused: Unknown option "prompt"\. .*promptId/,
    ],
    [
      "a prompt id as a number",
      refused({ promptId: 5 }),
      /^session\.refused: promptId: expected a non-empty string.*found 5/,
    ],
    ["invalid options of a refusal", refused("p"), /^session\.refused: expected an object/],
    [
      "work with an unknown option",
      work({ twice: true }),
      /^work: Unknown option "twice"\. .*once, newestSessions, everyMs, signal/,
    ],
    ["once as a string", work({ once: "yes" }), /^work: once/],
    ["no sessions", work({ newestSessions: 0 }), /^work: newestSessions: expected a whole number of at least 1/],
    ["a pause that is too long for a timer", work({ everyMs: 2 ** 31 }), /^work: everyMs/],
    ["an invalid signal", work({ signal: {} }), /^work: signal: expected an AbortSignal/],
    ["a time limit as a string", close({ withinMs: "long" }), /^close: withinMs/],
    ["an unknown option of close", close({ force: true }), /^close: Unknown option "force"\. .*withinMs/],
  ])("is refused with an error that names it: %s", async (_, ask, text) => {
    const on = await scene();
    await expect(ask(on)).rejects.toMatchObject({ code: "config-invalid", message: expect.stringMatching(text) });
    expect((await on.session.entries()).length).toBe(2);
  });
});

test("valid values of options are accepted", async () => {
  const { palimpsest, session } = await scene();
  const range = { afterSeq: 0, throughSeq: 9, types: ["message"], limit: 1, newestFirst: true } as const;
  expect((await session.entries(range)).map(({ seq }) => seq)).toEqual([2]);
  expect(await session.entries({ limit: 0 })).toEqual([]);
  expect(await session.entries({ limit: undefined })).toHaveLength(2);
  await palimpsest.work({ once: true, newestSessions: 5, everyMs: 10, signal: new AbortController().signal });
  await palimpsest.close({ withinMs: 100 });
});
