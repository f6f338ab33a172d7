/**
 * The preset of a windowed chat in a database, as in its document: the prompt is one summary and the last messages. It
 * folds before a request, by a count of messages or words, and deletes folded messages. Messages are numbered.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../../src/compose.ts";
import type { JsonValue } from "../../src/core/message/json.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { shows } from "../../src/testing/shows.ts";
import { scriptedReplies as replies, type ScriptedReply } from "../support/scripted-provider-reply.ts";
import {
  askedOf,
  lastBody,
  linesOf,
  playGeneration,
  playPreset,
  previewPrompt,
  wordsOf,
  writeRecap,
} from "./play-preset.ts";

const MAX = 12;
const policy = "windowed-sql";

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

const numbered = (number: number, words = "") => ({
  role: number % 2 === 1 ? "user" : "assistant",
  content: `message ${number}.${words}`,
});

const numbersIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => [...line.matchAll(/message (\d+)\./g)].map(([, number]) => Number(number)));

const shownBy = (prompt: Prompt): readonly number[] => numbersIn(linesOf(prompt));

/** The first `count` messages, as a client would import them. */
const fill = (session: Session, count: number) => session.append(range(1, count).map((number) => numbered(number)));

/** Requests a prompt with one more user message. */
const ask = (session: Session, number: number, words = "") =>
  session.prompt({ next: { role: "user", content: `message ${number}.${words}` } });

const sayPair = (session: Session, number: number): Promise<Prompt> =>
  playGeneration(session, { question: `message ${number}.`, answer: `message ${number + 1}.` });

/** A text after the number that gives the message this many tokens by the document's estimate. */
function wordsFor(tokens: number): string {
  const words = Math.floor((tokens - 10) / 1.3);
  return ` ${Array.from({ length: words - 2 }, () => "word").join(" ")}`;
}

describe("the window", () => {
  test(
    shows(["S1-44", "S1-49", "S1-39", "S1-26", "S1-28"], "is unchanged at twelve messages and folded at thirteen"),
    async () => {
      await using play = await playPreset({ policy });
      await fill(play.session, MAX - 1);
      const full = await ask(play.session, MAX);
      expect(shownBy(full)).toEqual(range(1, 12));
      expect(full.report.compactions).toEqual([]);
      expect(play.provider.requests).toHaveLength(0);
      const folded = await ask(play.session, MAX + 1);
      expect(play.provider.requests).toHaveLength(1);
      expect(numbersIn(askedOf(play.provider))).toEqual([1]);
      expect(shownBy(folded)).toEqual(range(2, 13));
      expect(folded.report.compactions).toMatchObject([{ isRecorded: true, reason: "13 messages, more than 12" }]);
    },
  );

  test(
    shows(
      ["S1-42", "S1-31", "S1-27", "S1-53", "S1-55", "S1-1"],
      "is one summary and at most twelve messages, folded once a turn, and every turn reports it",
    ),
    async () => {
      await using play = await playPreset({ policy });
      for (let number = 1; number < 40; number += 2) {
        const prompt = await sayPair(play.session, number);
        const { messages } = prompt.as("openai");
        const isFull = number > MAX;
        expect(messages.length).toBeLessThanOrEqual(MAX + 1);
        expect(shownBy(prompt)).toEqual(range(Math.max(1, number - MAX + 1), number));
        expect(prompt.report.compactions).toHaveLength(isFull ? 1 : 0);
        expect(prompt.report.summary !== undefined).toBe(isFull);
        expect(messages[0]?.role).toBe(isFull ? "system" : "user");
      }
      const turns = range(1, 14);
      expect(play.eventsOf("compaction")).toHaveLength(turns.length);
      expect(play.eventsOf("compaction")).toMatchObject(turns.map(() => ({ phase: "pre-request" })));
      expect(play.provider.requests).toHaveLength(turns.length);
      for (const [index, text] of askedOf(play.provider).slice(1).entries()) {
        expect(text).toMatch(new RegExp(`Previous summary: <[^>]+>\\s*${writeRecap(index)}`));
        expect(text).toContain("one updated summary that takes the place of both");
      }
      // The summary is not counted as a message, so a full window alone triggers nothing.
      await play.session.append([numbered(41)]);
      await play.session.prompt();
      const requests = play.provider.requests.length;
      expect((await play.session.prompt()).as("openai").messages).toHaveLength(MAX + 1);
      expect(play.provider.requests).toHaveLength(requests);
    },
  );

  test(shows("S1-55", "costs no call under the default policy while there is room"), async () => {
    await using play = await playPreset({ policy: "default" });
    for (let number = 1; number < 40; number += 2) await sayPair(play.session, number);
    expect(play.provider.requests).toHaveLength(0);
    expect(shownBy(await previewPrompt(play.session))).toEqual(range(1, 40));
  });

  test(shows("S1-32", "keeps earlier facts that still hold, even if the small model forgets them"), async () => {
    await using play = await playPreset({ policy });
    const rule = "Never open port 4711 on the ledger host.";
    await playGeneration(play.session, { question: `message 1. ${rule}`, answer: "message 2." });
    for (let number = 3; number < 40; number += 2) await sayPair(play.session, number);
    const prompt = await ask(play.session, 41);
    expect(shownBy(prompt)).toEqual(range(30, 41));
    expect(prompt.report.summary?.depth).toBeGreaterThan(10);
    expect(prompt.instructions).toContain(rule);
  });

  test.each([4, 5, 20])(
    shows(["S1-2", "S1-7", "S1-9"], "has the length that MAX_CHAT_HISTORY sets: %d"),
    async (limit) => {
      await using play = await playPreset({ policy, environment: { MAX_CHAT_HISTORY: String(limit) } });
      await fill(play.session, limit - 1);
      await play.session.append(numbered(limit));
      expect(shownBy(await play.session.prompt())).toEqual(range(1, limit));
      expect(play.provider.requests).toHaveLength(0);
      await play.session.append(numbered(limit + 1));
      const folded = await play.session.prompt();
      expect(play.provider.requests).toHaveLength(1);
      expect(shownBy(folded)).toEqual(range(2, limit + 1));
      expect(folded.as("openai").messages).toHaveLength(limit + 1);
    },
  );

  test(shows("S1-3", "is read back with its summary by a host that opens the session again"), async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, MAX);
    const first = await ask(play.session, 13);
    const again = await (await play.openAgain()).session(play.session.id);
    const second = await again.prompt();
    expect(second.as("openai")).toEqual(first.as("openai"));
    expect(second.report.summary?.text).toContain(writeRecap(0));
    expect(play.provider.requests).toHaveLength(1);
  });

  test(shows("S1-45", "is empty for a new session, whatever another session contains"), async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, MAX);
    expect((await ask(play.session, 13)).report.summary).toBeDefined();
    const other = await play.palimpsest.session();
    const prompt = await ask(other, 1);
    expect(prompt.report.summary).toBeUndefined();
    expect(prompt.as("openai").messages).toEqual([{ role: "user", content: "message 1." }]);
  });

  test(shows("C-30", "is not folded if ENABLE_CHAT_SUMMARIZATION is false"), async () => {
    await using play = await playPreset({ policy, environment: { ENABLE_CHAT_SUMMARIZATION: "false" } });
    await fill(play.session, 20);
    const prompt = await ask(play.session, 21);
    expect(shownBy(prompt)).toEqual(range(1, 21));
    expect(prompt.report.plan.need?.suppressed).toMatchObject([
      { type: "messages", why: "compaction is switched off" },
    ]);
    expect(play.provider.requests).toHaveLength(0);
    expect((await play.entries()).every(({ type }) => type === "message" || type === "request")).toBe(true);
  });
});

describe("the token threshold", () => {
  const AT_6000 = { preset: policy, CHAT_TOKEN_THRESHOLD: 6_000 } as const;

  const sizes: readonly (readonly [string, Pick<OpenOptions, "model" | "windowTokens" | "budgetTokens">, number])[] = [
    ["a model of 8k", { model: "gpt-4-0613" }, 6_000],
    ["a model of 16k", { model: "gpt-3.5-turbo" }, 12_000],
    ["a window of 4,096", { windowTokens: 4_096 }, 3_000],
    ["a window of 32,768", { windowTokens: 32_768 }, 24_000],
    ["a model of 16k with a budget of 8,000", { model: "gpt-3.5-turbo", budgetTokens: 8_000 }, 6_000],
    ["the default of 8k", { budgetTokens: 50_000 }, 6_000],
  ];

  test.each(sizes)(
    shows(["S1-15", "S1-34"], "follows from %s if it is not set, and a conversation above it is folded"),
    async (_, size, threshold) => {
      await using play = await playPreset({ policy, windowTokens: undefined, ...size });
      const { session } = play;
      // Only user messages: one long message is then far below the window by every counter.
      const [first, second, third] = [numbered(1), numbered(3), numbered(5)];
      await session.append([first, second, { ...third, content: `message 5.${wordsFor(threshold - 60)}` }]);
      expect(await session.compactionStatus()).toMatchObject({ triggerTokens: threshold });
      await session.prompt();
      expect(play.provider.requests).toHaveLength(0);
      const folded = await ask(session, 7, wordsFor(60));
      expect(play.provider.requests).toHaveLength(1);
      expect(folded.report.compactions[0]?.reason).toMatch(
        new RegExp(`^\\d+ tokens of conversation, more than ${threshold}$`),
      );
    },
  );

  test.each([
    ["the document's key", { CHAT_TOKEN_THRESHOLD: "500" }, {}],
    ["our own setting", { triggerTokens: 500, tail: { otherwiseTokens: 200 } }, {}],
    ["a trigger", { triggers: [{ type: "tokens", maxTokens: 500 }], tail: { otherwiseTokens: 200 } }, {}],
    ["the environment", {}, { CHAT_TOKEN_THRESHOLD: "500" }],
  ] as const)(shows("S1-6", "is the number that %s sets, for any model"), async (_, keys, environment) => {
    await using play = await playPreset({ policy: { preset: policy, ...keys }, environment, model: "gpt-3.5-turbo" });
    await play.session.append([1, 3, 5].map((number) => numbered(number, wordsFor(150))));
    await play.session.prompt();
    expect(play.provider.requests).toHaveLength(0);
    const folded = await ask(play.session, 7, wordsFor(150));
    expect(folded.report.compactions[0]?.reason).toMatch(/^\d+ tokens of conversation, more than 500$/);
  });

  test(shows("S1-15", "can differ for a model that the policy names"), async () => {
    const models = { "gpt-3.5-turbo": { CHAT_TOKEN_THRESHOLD: 500 } } as const;
    await using play = await playPreset({ policy: { preset: policy, models }, windowTokens: undefined });
    const triggerOf = async (model: string) => (await play.session.compactionStatus({ model })).triggerTokens;
    expect([await triggerOf("gpt-3.5-turbo"), await triggerOf("gpt-4-0613")]).toEqual([500, 6_000]);
  });

  test(
    shows(
      ["S1-38", "X-13"],
      "folds below the message limit, and keeps the newest messages that leave room for a summary",
    ),
    async () => {
      await using play = await playPreset({ policy: AT_6000 });
      await play.session.append(range(1, 4).map((number) => numbered(number, wordsFor(1_300))));
      expect(shownBy(await play.session.prompt())).toEqual(range(1, 4));
      expect(play.provider.requests).toHaveLength(0);
      const folded = await ask(play.session, 5, wordsFor(1_300));
      expect(play.provider.requests).toHaveLength(1);
      expect(shownBy(folded)).toEqual(range(2, 5));
      expect(folded.report.compactions[0]?.reason).toMatch(/^6\d\d\d tokens of conversation, more than 6000$/);
      expect(folded.report.tokens).toBeLessThanOrEqual(6_000);
    },
  );

  test(shows(["X-13", "S1-38"], "never leaves fewer than the last two user messages"), async () => {
    await using play = await playPreset({ policy: AT_6000 });
    await play.session.append(range(1, 2).map((number) => numbered(number, wordsFor(4_000))));
    // Two user messages in sequence, so there is nothing before them to fold.
    const two = await ask(play.session, 3, wordsFor(4_000));
    expect(shownBy(two)).toEqual([1, 2, 3]);
    expect(play.provider.requests).toHaveLength(0);
    await play.session.append(numbered(4, wordsFor(4_000)));
    const three = await ask(play.session, 5, wordsFor(4_000));
    expect(play.provider.requests).toHaveLength(1);
    expect(shownBy(three)).toEqual([3, 4, 5]);
  });

  test.each([undefined, "claude-sonnet-4-5", "gpt-4.1"])(
    "is counted by the document's estimate for any model: %s",
    async (model) => {
      await using play = await playPreset({ policy: AT_6000, model });
      const sizes = [1_500, 1_500, 1_500, 1_500];
      await play.session.append([{ role: "assistant", content: `message 0.${wordsFor(sizes[0] ?? 0)}` }]);
      for (const [index, size] of sizes.slice(1).entries()) {
        await play.session.append(numbered(index + 1, wordsFor(size)));
      }
      await play.session.prompt();
      expect(play.provider.requests).toHaveLength(0);
      await ask(play.session, 5);
      expect(play.provider.requests).toHaveLength(1);
    },
  );

  test(shows("S1-48", "ignores the very first message at any length"), async () => {
    await using play = await playPreset({ policy: AT_6000 });
    const prompt = await ask(play.session, 1, wordsFor(20_000));
    expect(shownBy(prompt)).toEqual([1]);
    expect(play.provider.requests).toHaveLength(0);
    expect(prompt.report.plan.need?.suppressed).toMatchObject([{ type: "tokens" }]);
  });
});

describe("several messages at once", () => {
  test(shows("S1-50", "are folded by one call if they go to one session"), async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, MAX);
    const prompts = await Promise.all(range(13, 16).map((number) => ask(play.session, number)));
    expect(play.provider.requests).toHaveLength(1);
    expect(numbersIn(askedOf(play.provider))).toEqual(range(1, 4));
    expect(play.eventsOf("compaction")).toHaveLength(1);
    for (const prompt of prompts) {
      expect(shownBy(prompt)).toEqual(range(5, 16));
      expect(prompt.as("openai").messages.length).toBeLessThanOrEqual(MAX + 1);
    }
  });

  test(shows("S1-50", "are folded by one call if two hosts have the session open"), async () => {
    const rest = Promise.withResolvers<void>();
    await using play = await playPreset({ policy, script: () => replies.held(writeRecap(0), rest.promise) });
    await fill(play.session, MAX);
    const other = await (await play.openAgain()).session(play.session.id);
    const asked = [ask(play.session, 13), ask(other, 14)];
    await Promise.race(asked);
    rest.resolve();
    const prompts = await Promise.all(asked);
    expect(play.provider.requests).toHaveLength(1);
    expect(play.eventsOf("compaction")).toHaveLength(1);
    const summaries = (await play.entries()).filter(({ type }) => type === "summary");
    expect(summaries).toHaveLength(1);
    // The request that did not write the summary uses the full history.
    expect(prompts.map(({ report }) => report.summary !== undefined).toSorted()).toEqual([false, true]);
  });

  test("are processed if they are valid, even if another one is not", async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, MAX);
    const outcomes = await Promise.allSettled([
      ask(play.session, 13),
      play.session.prompt({ next: { role: "nobody", content: 5 } }),
      ask(play.session, 14),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await play.session.history()).length).toBe(MAX);
    expect(shownBy(await previewPrompt(play.session))).toEqual(range(3, 14));
  });

  test("are processed in the order of the calls, together with an append between them", async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, 2);
    const [first, , second] = await Promise.all([
      ask(play.session, 3),
      play.session.append(numbered(4)),
      ask(play.session, 5),
    ]);
    expect(shownBy(first)).toEqual([1, 2, 3]);
    expect(shownBy(second)).toEqual(range(1, 5));
  });
});

describe("an unavailable summary", () => {
  const faults: readonly (readonly [string, readonly ScriptedReply[]])[] = [
    ["an empty answer", [replies.empty()]],
    ["a blank answer", [replies.whitespace()]],
    ["a server that fails twice", [replies.serverError(), replies.serverError(503)]],
    ["a refusal", [replies.refusal()]],
    ["a call of a tool", [replies.toolCall("search", { query: "x" })]],
    ["a rejected API key", [replies.unauthorised()]],
  ];

  test.each(faults)(
    shows(
      ["S1-25", "S1-32", "S1-46", "S1-47", "S1-23"],
      "leaves the full history and an error event, and the next turn folds instead: %s",
    ),
    async (_, script) => {
      await using play = await playPreset({ policy, script: [...script, replies.text(writeRecap(0))] });
      await fill(play.session, MAX);
      const prompt = await ask(play.session, 13);
      expect(shownBy(prompt)).toEqual(range(1, 13));
      expect(prompt.report).toMatchObject({ summary: undefined, compactions: [] });
      expect(play.eventsOf("compaction-end")).toMatchObject([{ outcome: "failed", phase: "pre-request" }]);
      expect(play.eventsOf("compaction-end")[0]?.reason).not.toBe("");
      expect(play.eventsOf("summary").map(({ outcome }) => outcome)).not.toContain("accepted");
      const entries = await play.entries();
      expect(entries.some((entry) => entry.type === "summary" || ("erased" in entry && entry.erased))).toBe(false);
      await play.session.append(numbered(14), { promptId: prompt.id });
      const next = await ask(play.session, 15);
      expect(shownBy(next)).toEqual(range(4, 15));
      expect(next.report.summary?.text).toContain(writeRecap(0));
      expect(numbersIn(askedOf(play.provider).slice(-1))).toEqual([1, 2, 3]);
    },
  );
});

describe("a failing small model", () => {
  test(shows("C-30", "is called once more if only the transport failed"), async () => {
    await using play = await playPreset({ policy, script: [replies.serverError(), replies.text(writeRecap(0))] });
    await fill(play.session, MAX);
    const prompt = await ask(play.session, 13);
    expect(prompt.report.summary?.text).toContain(writeRecap(0));
    expect(play.eventsOf("summary")).toMatchObject([{ outcome: "accepted", calls: 2 }]);
  });

  test(shows("C-30", "is not called for 30 seconds after five failures within two minutes"), async () => {
    let isDown = true;
    const script = () => (isDown ? replies.serverError() : replies.text(writeRecap(0)));
    await using play = await playPreset({ policy, script });
    await fill(play.session, MAX);
    const requests: number[] = [];
    for (const number of range(13, 17)) {
      expect(shownBy(await ask(play.session, number))).toEqual(range(1, number));
      requests.push(play.provider.requests.length);
    }
    // Each failed request is retried once; the fifth failure opens the breaker.
    expect(requests).toEqual([2, 4, 5, 5, 5]);
    isDown = false;
    play.clock.advance(29_999);
    await ask(play.session, 18);
    expect(play.provider.requests).toHaveLength(5);
    play.clock.advance(1);
    expect(shownBy(await ask(play.session, 19))).toEqual(range(8, 19));
    expect(play.provider.requests).toHaveLength(6);
  });
});

describe("the request for a summary", () => {
  test(
    shows(
      ["S1-20", "S1-21"],
      "asks for the main topics, decisions, key facts and open questions of user and assistant messages",
    ),
    async () => {
      await using play = await playPreset({ policy });
      await fill(play.session, 14);
      await ask(play.session, 15);
      const { messages } = lastBody(play.provider);
      const [system, opening, ...rest] = Array.isArray(messages) ? messages.map((each) => Object(each)) : [];
      for (const demand of [
        "main topics",
        "decisions and conclusions",
        "key facts",
        "ongoing questions and open items",
      ]) {
        expect(system?.content).toContain(demand);
      }
      expect(system?.content).toMatch(/concise, and leave nothing important out/);
      expect(system?.content).toMatch(/later turns can rely on them/);
      expect(opening?.role).toBe("user");
      const mapped = rest.map(({ role, content }) => [role, numbersIn([wordsOf(content as JsonValue)])[0]]);
      expect(mapped.slice(0, 3)).toEqual([
        ["user", 1],
        ["assistant", 2],
        ["user", 3],
      ]);
    },
  );

  const llama = (url: string) =>
    createOpenAICompatible({ name: "workers-ai", baseURL: `${url}/v1` })("@cf/meta/llama-3.1-8b-instruct");
  test(
    shows("S1-23", "goes to a small open model as a system message, and an empty answer is not a summary"),
    async () => {
      const missing = { type: "text", text: "", stop: "end" } as const;
      await using play = await playPreset({
        policy,
        summarizer: llama,
        script: [missing, replies.text(writeRecap(0))],
      });
      await fill(play.session, MAX);
      expect(shownBy(await ask(play.session, 13))).toEqual(range(1, 13));
      const { model, messages, max_tokens } = lastBody(play.provider);
      expect([model, max_tokens]).toEqual(["@cf/meta/llama-3.1-8b-instruct", 500]);
      expect(Array.isArray(messages) ? messages[0] : undefined).toMatchObject({
        role: "system",
        content: expect.stringContaining("main topics"),
      });
      expect(await play.session.getSummaryHistory()).toEqual([]);
      const whole = (await play.entries()).filter((entry) => entry.type === "message");
      expect(whole.every(({ message }) => message.parts.length > 0)).toBe(true);
    },
  );
});

describe("the summary in a prompt", () => {
  test("is system text where each provider expects it, before the messages, and the prompt is valid", async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, 14);
    const prompt = await play.session.prompt({ next: numbered(15), instructions: "Answer in one line." });
    for (const provider of ["openai", "openai-responses", "anthropic", "gemini"] as const) {
      const rendered = prompt.as(provider);
      expect(validate(rendered, provider), provider).toEqual([]);
      const text = JSON.stringify(rendered);
      expect(text.indexOf("Answer in one line.")).toBeLessThan(text.indexOf(writeRecap(0)));
      const messages: readonly unknown[] =
        "messages" in rendered ? rendered.messages : "input" in rendered ? rendered.input : rendered.contents;
      const isOutside = provider !== "openai";
      expect(JSON.stringify(messages).includes(writeRecap(0))).toBe(!isOutside);
    }
    expect(prompt.as("anthropic").system).toBeDefined();
    expect(prompt.instructions).toContain(writeRecap(0));
  });
});

describe("folded messages", () => {
  const textOf = async (session: Session) => JSON.stringify(await session.history());

  test("are deleted with the summary, and so is the earlier summary; the window stays", async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, 14);
    await ask(play.session, 15);
    const gone = async () =>
      (await play.entries()).flatMap((entry) => (entry.type === "message" && entry.erased === true ? [entry.seq] : []));
    expect(await gone()).toEqual([1, 2, 3]);
    expect(await textOf(play.session)).not.toMatch(/message [123]\./);
    await play.session.append(numbered(16));
    await ask(play.session, 17);
    const texts = (await play.entries()).flatMap((entry) => (entry.type === "summary" ? [entry.record.text] : []));
    expect(texts).toHaveLength(2);
    expect(texts[0]).toBe("");
    expect(texts[1]).toContain(writeRecap(1));
    expect((await play.entries()).map((entry) => JSON.stringify(entry)).join()).not.toContain(writeRecap(0));
    expect(await play.session.search("message 1.")).toEqual([]);
    expect(await play.session.search("message 17.")).toHaveLength(1);
  });

  test("cannot be restored by undo, and later changes can", async () => {
    await using play = await playPreset({ policy });
    await fill(play.session, MAX);
    const { report } = await ask(play.session, 13);
    const summaryId = report.summary?.id ?? "";
    expect(await play.session.undo()).toEqual({ type: "not-undoable" });
    expect(await play.session.undo(summaryId)).toEqual({ type: "not-undoable" });
    await play.session.pin({ note: "The port stays." });
    expect(await play.session.undo()).toMatchObject({ type: "undone", undid: { kinds: ["pin"] } });
    expect(await play.session.undo()).toEqual({ type: "not-undoable" });
    const again = await (await play.openAgain()).session(play.session.id);
    expect(await again.undo()).toEqual({ type: "not-undoable" });
    expect(await again.resummarize()).toMatchObject({ type: "nothing-to-compact" });
    expect(shownBy(await previewPrompt(again))).toEqual(range(2, 13));
  });

  test("can be restored if the policy keeps them", async () => {
    await using play = await playPreset({ policy: { preset: policy, retention: "keep" } });
    await fill(play.session, MAX);
    await ask(play.session, 13);
    expect(await play.session.undo()).toMatchObject({ type: "undone", undid: { kinds: ["summary"] } });
    expect(shownBy(await previewPrompt(play.session))).toEqual(range(1, 13));
  });

  test("stay while they are pinned, or while a fork reads them", async () => {
    await using play = await playPreset({ policy });
    const { messages } = await fill(play.session, MAX);
    const [first, second] = messages;
    await play.session.pin(second?.id ?? "");
    const fork = await play.session.fork(first?.seq ?? 0);
    await play.session.append([numbered(13), numbered(14)]);
    await ask(play.session, 15);
    const erased = (await play.entries()).flatMap((entry) =>
      entry.type === "message" && entry.erased === true ? [entry.seq] : [],
    );
    expect(erased).toEqual([3]);
    expect(shownBy(await previewPrompt(fork))).toEqual([1]);
    expect(shownBy(await previewPrompt(play.session))).toContain(2);
  });
});
