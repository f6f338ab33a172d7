/**
 * The preset of a rolling chat, as in its document: what is summarized after which message, what the model then sees,
 * and what is shortened inside a tool loop. Messages are numbered like the rows of the document's table.
 */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { shows } from "../../src/testing/shows.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { askedOf, lastBody, linesOf, playGeneration, playPreset, previewPrompt, writeRecap } from "./play-preset.ts";

const ACKNOWLEDGEMENT = "assistant: Understood, I have context from our earlier conversation.";
const COUNT_MODES = ["unsummarized", "beyondTail"] as const;

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Plays a generation that adds one message: a user message that gets no answer, or the answer of a second attempt. */
async function sayOne(session: Session, number: number): Promise<void> {
  const content = `message ${number}.`;
  if (number % 2 === 1) {
    const { id } = await session.prompt({ next: { role: "user", content } });
    await session.ended(id, "the provider did not answer");
  } else {
    const { id } = await session.prompt();
    await session.append({ role: "assistant", content }, { promptId: id });
  }
  await session.settle();
}

/** Plays a generation that adds a user message and its answer. */
const sayPair = (session: Session, number: number): Promise<Prompt> =>
  playGeneration(session, { question: `message ${number}.`, answer: `message ${number + 1}.` });

async function sayPairs(session: Session, through: number): Promise<void> {
  for (let number = 1; number < through; number += 2) await sayPair(session, number);
}

interface Row {
  readonly n: number;
  readonly covered: number;
  readonly sees: readonly number[];
  readonly lost: readonly number[];
}

const numbersIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => [...line.matchAll(/message (\d+)\./g)].map(([, number]) => Number(number)));

/** Returns the lines of the conversation, without the two messages that show a summary. */
const saidIn = (prompt: Prompt): readonly string[] =>
  linesOf(prompt).slice(prompt.report.summary === undefined ? 0 : 2);

async function liveCoverage(session: Session): Promise<number> {
  const history = await session.getSummaryHistory();
  return history.find(({ isLive }) => isLive)?.record.coverage.count ?? 0;
}

/** The next user message, which has no number because it is not one of the messages in the table. */
const NEW_PROMPT = { role: "user", content: "What now?" } as const;

async function rowOf(session: Session, n: number): Promise<Row> {
  const covered = await liveCoverage(session);
  const prompt = await previewPrompt(session, { next: NEW_PROMPT });
  expect(linesOf(prompt).at(-1)).toBe("user: What now?");
  const sees = numbersIn(saidIn(prompt));
  return { n, covered, sees, lost: range(covered + 1, n).filter((number) => !sees.includes(number)) };
}

async function playRows(countMode: (typeof COUNT_MODES)[number], last: number) {
  await using play = await playPreset({ policy: { preset: "rolling-chat", countMode } });
  const rows: Row[] = [];
  for (const n of range(1, last)) {
    await sayOne(play.session, n);
    rows.push(await rowOf(play.session, n));
  }
  return { rows, asked: askedOf(play.provider) };
}

const summarisedAt = (rows: readonly Row[]): readonly number[] =>
  rows.filter(({ covered }, index) => covered !== (rows[index - 1]?.covered ?? 0)).map(({ n }) => n);

describe("folds of a rolling chat", () => {
  test(
    shows(
      ["S0-44", "S0-45", "S0-46", "S0-56"],
      "happen at 11, 21 and 31 messages by the document's table, and never leave out more than nine",
    ),
    async () => {
      const { rows } = await playRows("beyondTail", 31);
      const row = (n: number) => rows[n - 1];
      for (const n of range(1, 10)) expect(row(n)).toEqual({ n, covered: 0, sees: range(1, n), lost: [] });
      expect(row(11)).toEqual({ n: 11, covered: 5, sees: range(6, 11), lost: [] });
      for (const n of range(12, 20)) expect(row(n)).toMatchObject({ covered: 5, sees: range(n - 5, n) });
      expect(row(20)).toEqual({ n: 20, covered: 5, sees: range(15, 20), lost: range(6, 14) });
      expect(row(21)).toEqual({ n: 21, covered: 15, sees: range(16, 21), lost: [] });
      for (const n of range(22, 30)) expect(row(n)).toMatchObject({ covered: 15, sees: range(n - 5, n) });
      expect(row(30)).toEqual({ n: 30, covered: 15, sees: range(25, 30), lost: range(16, 24) });
      expect(row(31)).toEqual({ n: 31, covered: 25, sees: range(26, 31), lost: [] });
      expect(summarisedAt(rows)).toEqual([11, 21, 31]);
      expect(Math.max(...rows.map(({ lost }) => lost.length))).toBe(9);
    },
  );

  test(
    shows(
      ["S0-36", "S0-37", "S0-45", "S0-46", "S0-56"],
      "happen at 11, 16, 21, 26 and 31 messages by the formula, and never leave out more than four",
    ),
    async () => {
      const { rows } = await playRows("unsummarized", 31);
      expect(summarisedAt(rows)).toEqual([11, 16, 21, 26, 31]);
      for (const { n, covered, sees } of rows.filter((row) => row.covered > 0)) {
        expect(n - covered).toBeLessThanOrEqual(10);
        expect(sees).toEqual(range(n - 5, n));
      }
      expect(Math.max(...rows.map(({ lost }) => lost.length))).toBe(4);
    },
  );

  test.each([
    ["unsummarized", [12, 18, 24]],
    ["beyondTail", [12, 22, 32]],
  ] as const)(
    shows("S0-45", "happen at the pair of messages that reaches the count in the mode %s"),
    async (countMode, expected) => {
      await using play = await playPreset({ policy: { preset: "rolling-chat", countMode } });
      const at: number[] = [];
      for (let number = 1; number < 32 && at.length < 3; number += 2) {
        await sayPair(play.session, number);
        if (play.provider.requests.length > at.length) at.push(number + 1);
      }
      expect(at).toEqual(expected);
      expect(await liveCoverage(play.session)).toBe((expected.at(-1) ?? 0) - 6);
    },
  );

  test(shows(["S0-19", "S0-20"], "start at more than ten text messages, and not at ten"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    await sayPairs(play.session, 10);
    expect(play.provider.requests).toHaveLength(0);
    expect((await previewPrompt(play.session)).report.summary).toBeUndefined();
    await sayPair(play.session, 11);
    expect(play.provider.requests).toHaveLength(1);
    expect((await previewPrompt(play.session)).report.summary?.text).toContain(writeRecap(0));
  });
});

describe("the prompt", () => {
  test("is the summary, its acknowledgment, the last six messages and the new prompt, and is valid for every provider", async () => {
    for (const [countMode, through] of [
      ["unsummarized", 11],
      ["unsummarized", 14],
      ["beyondTail", 20],
    ] as const) {
      await using play = await playPreset({ policy: { preset: "rolling-chat", countMode } });
      for (const n of range(1, through)) await sayOne(play.session, n);
      const prompt = await previewPrompt(play.session, { next: NEW_PROMPT });
      const [pair, acknowledgement, ...rest] = linesOf(prompt);
      expect(pair).toMatch(/^user: \[Earlier conversation summary: Recap a\.[\s\S]*\]$/);
      expect(acknowledgement).toBe(ACKNOWLEDGEMENT);
      expect(numbersIn(rest)).toEqual(range(through - 5, through));
      expect(rest.at(-1)).toBe("user: What now?");
      for (const provider of ["anthropic", "gemini", "openai"] as const) {
        const rendered = prompt.as(provider);
        expect(validate(rendered, provider), provider).toEqual([]);
        expect(JSON.stringify(rendered)).toContain("[Earlier conversation summary: Recap a.");
        expect(JSON.stringify(rendered)).toContain("Understood, I have context from our earlier conversation.");
      }
    }
  });

  test("is the last twenty messages before the new prompt while there is no summary, and the plan names the gap", async () => {
    await using play = await playPreset({ policy: "rolling-chat", script: () => replies.empty() });
    await sayPairs(play.session, 24);
    const prompt = await previewPrompt(play.session, { next: NEW_PROMPT });
    expect(linesOf(prompt).at(-1)).toBe("user: What now?");
    expect(numbersIn(linesOf(prompt))).toEqual(range(5, 24));
    expect(prompt.report.relaxedLaws).toEqual(["3 no gap", "6 stable"]);
    const [gap, shown] = prompt.report.plan.runs;
    expect(gap).toMatchObject({
      fate: "truncated",
      reason: expect.stringContaining("not among the last 20 messages before the prompt"),
    });
    expect(shown).toMatchObject({ fate: "verbatim" });
    expect(prompt.report.plan.relaxedLaws).toEqual(["3 no gap", "6 stable"]);
  });

  test(
    shows("X-19", "has a plan and a report that list the laws that a preset relaxes, and none for the default policy"),
    async () => {
      for (const [policy, laws] of [
        ["rolling-chat", ["3 no gap", "6 stable"]],
        ["windowed-sql", ["4 nothing lost"]],
        ["default", []],
      ] as const) {
        await using play = await playPreset({ policy });
        const { report } = await playGeneration(play.session, { question: "message 1.", answer: "message 2." });
        expect([report.relaxedLaws, report.plan.relaxedLaws]).toEqual([laws, laws]);
      }
      // Size is counted in messages here, so a summary is smaller than its source even if it has more words.
      for (const policy of ["rolling-chat", "windowed-sql"] as const) {
        const words = `${"A longer story than the one that was told, in every respect. ".repeat(3)}The end.`;
        await using play = await playPreset({ policy, script: () => replies.text(words) });
        await sayPairs(play.session, 14);
        const [record] = (await play.session.getSummaryHistory()).map((version) => version.record);
        expect(record?.tokensAfter).toBeGreaterThan(record?.tokensBefore ?? Number.POSITIVE_INFINITY);
      }
    },
  );

  test(
    shows(["S0-24", "S0-35"], "is the same for a host that opens the session again: summary and count are stored"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      await sayPairs(play.session, 14);
      const again = await (await play.openAgain()).session(play.session.id);
      const [first, second] = [await previewPrompt(play.session), await previewPrompt(again)];
      expect(second.report.summary).toEqual(first.report.summary);
      expect(second.report.summary?.text).toContain(writeRecap(0));
      expect(linesOf(second)).toEqual(linesOf(first));
      expect(await liveCoverage(again)).toBe(6);
      await sayPairs(again, 4);
      expect(await liveCoverage(again)).toBe(12);
    },
  );

  test(
    shows("S0-55", "is counted, cut and shown from one list, without system messages and blank messages"),
    async () => {
      await using play = await playPreset({ policy: { preset: "rolling-chat", countMode: "beyondTail" } });
      const { session } = play;
      const { aSystemMessage, aUserMessage } = messageBuilder();
      const pad = (id: string): readonly Message[] => [
        aSystemMessage("Be kind.", { id: `system-${id}` }),
        aUserMessage(" \n ", { id: `blank-${id}` }),
      ];
      for (const n of range(1, 21)) {
        await session.append(pad(String(n)), { format: "palimpsest" });
        await sayOne(session, n);
        if (n === 10) expect(play.provider.requests).toHaveLength(0);
        if (n < 11) continue;
        // A fold also covers blank messages, but the table counts only messages with text.
        const asked = numbersIn(askedOf(play.provider).slice(-1));
        if (n === 11) expect(asked).toEqual(range(1, 5));
        if (n === 21) expect(asked.filter((number) => number > 5)).toEqual(range(6, 15));
        expect(numbersIn(saidIn(await previewPrompt(session, { next: NEW_PROMPT })))).toEqual(range(n - 5, n));
      }
      expect(play.provider.requests).toHaveLength(2);
    },
  );
});

const PLACES = "gate, dry well, wall, bench, green shed, hedge, new path, rose bed, apple tree, far end, pond".split(
  ", ",
);
/** More than 500 tokens of different sentences. */
const LONG_STORY = ["The baker", "A sailor", "Her uncle", "The painter", "Some child", "An old friend", "The gardener"]
  .flatMap((who, person) =>
    [
      "quietly",
      "gladly",
      "seldom",
      "rather late",
      "at last",
      "by chance",
      "for once",
      "in vain",
      "with care",
      "again",
    ].map((how, index) => `${who} ${how} spoke of the ${PLACES[(person + index) % PLACES.length]} of the garden.`),
  )
  .join(" ");

describe("the small model's request", () => {
  test(
    shows(
      ["S0-21", "S0-23", "S0-40"],
      "asks for two or three sentences in at most 500 tokens on everything but the last six messages",
    ),
    async () => {
      for (const [vendor, cap] of [
        ["anthropic", (body: Record<string, JsonValue | undefined>) => body.max_tokens],
        ["google", (body: Record<string, JsonValue | undefined>) => Object(body.generationConfig).maxOutputTokens],
        ["openai", (body: Record<string, JsonValue | undefined>) => body.max_completion_tokens ?? body.max_tokens],
      ] as const) {
        await using play = await playPreset({ policy: "rolling-chat", vendor });
        await sayPairs(play.session, 12);
        const [asked = ""] = askedOf(play.provider);
        expect(asked).toContain("in 2–3 sentences");
        expect(asked).not.toContain("Previous summary:");
        expect(numbersIn([asked])).toEqual(range(1, 6));
        expect(cap({ ...lastBody(play.provider) })).toBe(500);
      }
    },
  );

  test(
    shows("S0-21", "limits the answer to 500 tokens of the called model, even if the chat's own model counts more"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat", vendor: "anthropic", model: "claude-haiku-4-5" });
      await sayPairs(play.session, 12);
      expect(lastBody(play.provider).max_tokens).toBe(500);
      await play.session.resummarize();
      expect(play.provider.requests.length).toBeGreaterThan(1);
      expect(lastBody(play.provider).max_tokens).toBe(500);
    },
  );

  test(
    shows(
      ["S0-38", "S0-39", "S0-41", "S0-42", "S0-43", "S0-34", "S0-29"],
      "contains the previous summary and the later messages every time, for a summary that replaces both",
    ),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const covered: number[] = [];
      for (let number = 1; number < 36; number += 2) {
        await sayPair(play.session, number);
        covered.push(await liveCoverage(play.session));
      }
      const asked = askedOf(play.provider);
      expect(asked).toHaveLength(5);
      for (const [index, text] of asked.slice(1).entries()) {
        const [, previous = ""] = text.match(/Previous summary: <[^>]+>([\s\S]*?)<\/previous-summary/) ?? [];
        expect(previous).toContain(writeRecap(index));
        expect(text).toContain("one updated summary that takes the place of both");
        const folded = numbersIn([text.slice(text.indexOf("</previous-summary"))]);
        expect(folded).toEqual(range(7 + index * 6, 12 + index * 6));
      }
      expect([...new Set(covered)]).toEqual([0, 6, 12, 18, 24, 30]);
      expect((await previewPrompt(play.session)).report.summary?.text).toContain(writeRecap(4));
    },
  );

  test(
    shows(["S0-50", "X-1"], "is repeated once for a shorter summary, which is trimmed if it is still too long"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat", script: () => replies.text(LONG_STORY) });
      await sayPairs(play.session, 24);
      const counter = await loadCounter("o200k");
      const history = await play.session.getSummaryHistory();
      expect(history).toHaveLength(3);
      expect(play.provider.requests).toHaveLength(6);
      for (const { record } of history) {
        expect(countText(record.text, counter)).toBeLessThanOrEqual(500);
        expect(record.text.split("\n")[0]).toMatch(/ of the garden\.$/);
      }
      const trimmed = play.eventsOf("summary.trimmed");
      expect(trimmed).toHaveLength(3);
      for (const { tokensBefore, tokensAfter } of trimmed) {
        expect(tokensBefore).toBeGreaterThan(500);
        expect(tokensAfter).toBeLessThanOrEqual(500);
      }
      expect(play.eventsOf("summary").map(({ outcome }) => outcome)).toEqual(
        range(1, 3).flatMap(() => ["reask", "accepted"]),
      );
    },
  );
});

describe("after a generation", () => {
  test(shows("S0-18", "a summary is written in the background, and the next prompt does not wait for it"), async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using play = await playPreset({ policy: "rolling-chat", script: () => replies.held(writeRecap(0), rest) });
    const { session } = play;
    await sayPairs(session, 10);
    const prompt = await session.prompt({ next: { role: "user", content: "message 11." } });
    await session.append({ role: "assistant", content: "message 12." }, { promptId: prompt.id });
    const next = await session.prompt({ next: { role: "user", content: "message 13." } });
    expect(play.eventsOf("compaction")).toHaveLength(0);
    expect(numbersIn(linesOf(next))).toEqual(range(1, 13));
    goOn();
    await session.settle();
    expect(play.eventsOf("compaction")).toMatchObject([{ phase: "post-response", compressedMessages: 6 }]);
    // Message 13 is the prompt that waits for its reply.
    expect(numbersIn(saidIn(await previewPrompt(session)))).toEqual(range(7, 13));
  });

  test("a summary of messages that were cleared in the meantime is discarded", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using play = await playPreset({ policy: "rolling-chat", script: () => replies.held(writeRecap(0), rest) });
    const { session } = play;
    await sayPairs(session, 10);
    const prompt = await session.prompt({ next: { role: "user", content: "message 11." } });
    await session.append({ role: "assistant", content: "message 12." }, { promptId: prompt.id });
    await session.clear({ scope: "for-good" });
    goOn();
    await session.settle();
    expect(play.provider.requests).toHaveLength(1);
    expect(play.eventsOf("compaction")).toEqual([]);
    expect(play.eventsOf("compaction-end")).toMatchObject([{ outcome: "stale", phase: "post-response" }]);
    expect(await session.getSummaryHistory()).toEqual([]);
    expect(linesOf(await previewPrompt(session))).toEqual([]);
  });

  test("no summary is requested while a tool call is open, or before the assistant has answered", async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    const { session } = play;
    const { aRound } = messageBuilder();
    await sayPairs(session, 10);
    await session.append({ role: "user", content: "message 11." });
    const prompt = await session.prompt();
    const [call, result] = aRound([{ callId: "c1", output: "found" }], { text: "message 12." });
    await session.append([call ?? {}], { format: "palimpsest", promptId: prompt.id });
    await session.append([result ?? {}], { format: "palimpsest" });
    await session.settle();
    expect(play.eventsOf("compaction-start")).toEqual([]);
    await session.append({ role: "assistant", content: "message 13." });
    await session.settle();
    expect(play.eventsOf("compaction")).toHaveLength(1);
  });

  test.each([
    ["an empty answer", [replies.empty()]],
    ["a server that fails twice", [replies.serverError(), replies.serverError()]],
    ["a refusal", [replies.refusal()]],
  ])(
    "the previous summary and count stay after %s, without a warning, and the next reply causes a retry",
    async (_, faults) => {
      const good = [replies.text(writeRecap(0))];
      await using play = await playPreset({
        policy: "rolling-chat",
        script: [...good, ...faults, replies.text(writeRecap(1))],
      });
      const { session } = play;
      await sayPairs(session, 16);
      expect(play.provider.requests).toHaveLength(1);
      const before = await previewPrompt(session);
      await sayPair(session, 17);
      expect(play.provider.requests).toHaveLength(1 + faults.length);
      const after = await previewPrompt(session);
      expect(after.report.summary).toEqual(before.report.summary);
      expect(await liveCoverage(session)).toBe(6);
      expect(numbersIn(saidIn(after))).toEqual(range(13, 18));
      expect(play.eventsOf("compaction-end")).toMatchObject([{ outcome: "failed", phase: "post-response" }]);
      expect(play.eventsOf("warning").filter(({ sessionId }) => sessionId !== undefined)).toEqual([]);
      await sayPair(session, 19);
      expect(await liveCoverage(session)).toBe(14);
      expect((await previewPrompt(session)).report.summary?.text).toContain(writeRecap(1));
    },
  );
});

describe("clearing", () => {
  test(
    shows(
      ["S0-31", "S0-54"],
      "hides summary and history for one reply; the next summary starts over with all messages",
    ),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const { session } = play;
      await sayPairs(session, 12);
      expect((await previewPrompt(session)).report.summary).toBeDefined();
      await session.clear();
      const cleared = await session.prompt({ next: { role: "user", content: "message 13." } });
      expect(cleared.report.summary).toBeUndefined();
      expect(linesOf(cleared)).toEqual(["user: message 13."]);
      // The history stays hidden until that generation ends, even if several prompts are requested.
      expect(numbersIn(linesOf(await session.prompt()))).toEqual([13]);
      await session.append({ role: "assistant", content: "message 14." }, { promptId: cleared.id });
      await session.settle();
      // The next summary has no parent, and includes messages from before the clear.
      const [, again = ""] = askedOf(play.provider);
      expect(again).not.toContain("Previous summary:");
      expect(numbersIn([again])).toEqual(range(1, 8));
      expect(await liveCoverage(session)).toBe(8);
      expect(numbersIn(saidIn(await previewPrompt(session)))).toEqual(range(9, 14));
    },
  );

  test(
    shows("S0-54", "ends after one reply: the prompt after it shows earlier messages again if no summary is due"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const { session } = play;
      await sayPairs(session, 6);
      await session.clear();
      expect(numbersIn(linesOf(await sayPair(session, 7)))).toEqual([7]);
      expect(numbersIn(linesOf(await previewPrompt(session)))).toEqual(range(1, 8));
      expect(play.provider.requests).toHaveLength(0);
    },
  );

  test(shows("S0-54", "is permanent under the default policy"), async () => {
    await using play = await playPreset({ policy: "default" });
    const { session } = play;
    await sayPairs(session, 6);
    await session.clear();
    await sayPair(session, 7);
    expect(numbersIn(linesOf(await previewPrompt(session)))).toEqual([7, 8]);
  });

  test("can be undone, summary included", async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    const { session } = play;
    await sayPairs(session, 12);
    const before = await previewPrompt(session);
    await session.clear();
    expect(linesOf(await previewPrompt(session))).toEqual([]);
    expect(await session.undo()).toMatchObject({ type: "undone", undid: { kinds: ["clear"] } });
    expect(linesOf(await previewPrompt(session))).toEqual(linesOf(before));
  });
});

/** Returns one call and its result as a prompt shows them. */
function shownCall({ messages }: Prompt, callId: string): { readonly input: unknown; readonly result: unknown } {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]));
  const call = parts.find((part) => part.type === "tool-call" && part.toolCallId === callId);
  const result = parts.find((part) => part.type === "tool-result" && part.toolCallId === callId);
  return {
    input: call?.type === "tool-call" ? call.input : undefined,
    result: result?.type === "tool-result" && result.output.type === "text" ? result.output.value : undefined,
  };
}

describe("rolling-chat inside a tool loop", () => {
  const long = (characters: number, letter: string): string => letter.repeat(characters);
  const request = `Build it. ${long(3_000, "r")}`;
  const thought = long(2_001, "t");
  const calls = [
    { tool: "write_files", input: { files: [file("a.ts", "A"), file("b.ts", long(3_000, "B"))] }, output: "ok" },
    { tool: "write_file", input: file("c.ts", long(2_000, "C")), output: "ok" },
    { tool: "write_file", input: file("d.ts", long(2_001, "D")), output: "ok" },
    { tool: "read_file", input: { path: long(2_500, "e") }, output: long(2_001, "E") },
    { tool: "read_files", input: { paths: [long(2_500, "f")] }, output: long(2_000, "F") },
    { tool: "run_command", input: { command: long(2_500, "g") }, output: long(5_000, "G") },
    { tool: "look", input: {}, output: "seen", text: thought },
    { tool: "run_command", input: { command: "h" }, output: long(5_000, "H") },
    { tool: "write_files", input: { files: [file("i.ts", "I")] }, output: "ok" },
    { tool: "write_file", input: file("j.ts", long(4_000, "J")), output: long(5_000, "K"), text: thought },
  ];

  function file(path: string, content: string): Record<string, string> {
    return { path, content };
  }

  /** Plays the loop, and returns the prompt before each call and the one after the last call. */
  async function playLoop(session: Session): Promise<readonly Prompt[]> {
    const { aUserMessage, aRound } = messageBuilder();
    await session.append([aUserMessage(request)], { format: "palimpsest" });
    const prompts = [await session.prompt()];
    for (const [index, { tool, input, output, text }] of calls.entries()) {
      const round = aRound([{ callId: `call${index}`, tool, input, output }], { text });
      await session.append(round, { format: "palimpsest", promptId: prompts.at(-1)?.id });
      prompts.push(await session.prompt());
    }
    return prompts;
  }

  test(
    shows(
      ["S0-1", "S0-10"],
      "shortens messages in the middle before every call, but not if there are at most seven messages",
    ),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const prompts = await playLoop(play.session);
      const kept = calls[0]?.input;
      const shortened = { files: [file("a.ts", "[truncated]"), file("b.ts", "[truncated]")] };
      // One message and two more each round: seven after the third.
      const inputs = prompts.slice(1).map((prompt) => shownCall(prompt, "call0").input);
      expect(inputs).toEqual([kept, kept, kept, ...range(4, 10).map(() => shortened)]);
      for (const [index, prompt] of prompts.entries()) expect(prompt.messages).toHaveLength(1 + 2 * index);
    },
  );

  test(shows(["S0-2", "S0-3", "S0-4"], "leaves the prompt of the loop and the last six messages whole"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    const last = (await playLoop(play.session)).at(-1) as Prompt;
    // A progress note may follow it; its own text is complete.
    expect(linesOf(last)[0]?.split("\n")[0]).toBe(`user: ${request}`);
    expect(shownCall(last, "call7").result).toBe(calls[7]?.output);
    expect(shownCall(last, "call8").input).toEqual(calls[8]?.input);
    expect(shownCall(last, "call9")).toEqual({ input: calls[9]?.input, result: calls[9]?.output });
    expect(linesOf(last).at(-2)).toContain(thought);
    const fates = last.report.plan.runs.map(({ fate }) => fate);
    expect([fates[0], fates.at(-1)]).toEqual(["verbatim", "verbatim"]);
    expect(fates).toContain("pruned");
  });

  test(
    shows(
      ["S0-5", "S0-6", "S0-7", "S0-8", "S0-9"],
      "keeps paths and short contents, the first 200 characters of long texts and results, and names of read files and commands",
    ),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const last = (await playLoop(play.session)).at(-1) as Prompt;
      const shown = (index: number) => shownCall(last, `call${index}`);
      expect(shown(0).input).toEqual({ files: [file("a.ts", "[truncated]"), file("b.ts", "[truncated]")] });
      expect(shown(1).input).toEqual(calls[1]?.input);
      expect(shown(2).input).toEqual(file("d.ts", "[truncated]"));
      expect(shown(3)).toEqual({ input: calls[3]?.input, result: long(200, "E") });
      expect(shown(4)).toEqual({ input: calls[4]?.input, result: long(2_000, "F") });
      expect(shown(5)).toEqual({ input: calls[5]?.input, result: long(200, "G") });
      const line = linesOf(last).find((each) => each.startsWith("assistant: ttt")) ?? "";
      expect(line).toContain(long(200, "t"));
      expect(line).not.toContain(long(201, "t"));
    },
  );

  /** Plays a generation of `rounds` rounds with its own prompt, and returns every prompt made for it. */
  async function playRounds(session: Session, prompt: string, rounds: number): Promise<readonly Prompt[]> {
    const { aRound } = messageBuilder();
    const prompts = [await session.prompt({ next: { role: "user", content: prompt } })];
    for (const step of range(1, rounds)) {
      const output = `Output ${step}. ${long(2_500, "o")}`;
      const round = aRound([{ callId: `${prompt.slice(0, 20)}-${step}`, tool: "look", output }], {
        text: `Step ${step}.`,
      });
      await session.append(round, { format: "palimpsest", promptId: prompts.at(-1)?.id });
      prompts.push(await session.prompt());
    }
    return prompts;
  }

  const stepsIn = (prompt: Prompt): readonly number[] =>
    linesOf(prompt).flatMap((line) => [...line.matchAll(/^assistant: Step (\d+)\./gm)].map(([, step]) => Number(step)));

  test(shows(["X-27", "X-28", "S0-2"], "keeps the prompt and every round in a first turn of 25 rounds"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    for (const [index, prompt] of (await playRounds(play.session, "Count the stars.", 25)).entries()) {
      expect(linesOf(prompt)[0]?.split("\n")[0]).toBe("user: Count the stars.");
      expect(stepsIn(prompt)).toEqual(range(1, index));
      expect(validate(prompt.as("anthropic"), "anthropic")).toEqual([]);
    }
  });

  test(
    shows(
      ["X-27", "X-28", "S0-2", "S0-12", "S0-17"],
      "keeps the summary, the six messages before the prompt, the prompt and all nine rounds of a later turn",
    ),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      await sayPairs(play.session, 12);
      for (const [index, prompt] of (await playRounds(play.session, "Count the stars.", 9)).entries()) {
        const [pair, acknowledgement, ...rest] = linesOf(prompt);
        expect(pair).toContain("[Earlier conversation summary: Recap a.");
        expect(acknowledgement).toBe(ACKNOWLEDGEMENT);
        expect(rest.slice(0, 7)).toEqual([
          ...range(7, 12).map((n) => `${n % 2 === 1 ? "user" : "assistant"}: message ${n}.`),
          expect.stringMatching(/^user: Count the stars\./),
        ]);
        expect(stepsIn(prompt)).toEqual(range(1, index));
      }
    },
  );

  test(
    shows(["X-27", "S0-16"], "keeps the twenty messages before the prompt of a loop without a summary"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat", script: () => replies.empty() });
      await sayPairs(play.session, 24);
      for (const prompt of await playRounds(play.session, "Count the stars.", 12)) {
        expect(numbersIn(linesOf(prompt))).toEqual(range(5, 24));
        expect(linesOf(prompt)[20]).toMatch(/^user: Count the stars\./);
      }
    },
  );

  test(shows("X-28", "keeps the request of a tool loop, with its image, when a manual fold covers it"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    const { session } = play;
    const { aRound } = messageBuilder();
    const image = { type: "image", image: "iVBORw0KGgo=", mediaType: "image/png" } as const;
    await sayPairs(session, 4);
    await session.append({ role: "user", content: [{ type: "text", text: "Count the stars." }, image] });
    for (const step of range(1, 9)) {
      await session.append(aRound([{ callId: `c${step}`, output: "seen" }], { text: `Step ${step}.` }), {
        format: "palimpsest",
      });
    }
    expect(await session.compact()).toMatchObject({ type: "compacted" });
    const prompt = await session.prompt();
    expect(await liveCoverage(session)).toBeGreaterThan(5);
    expect(linesOf(prompt).filter((line) => line.includes("Count the stars."))).toHaveLength(1);
    expect(JSON.stringify(prompt.as("anthropic"))).toContain("iVBORw0KGgo=");
    expect(stepsIn(prompt)).toEqual(range(4, 9));
  });

  test.each([2, 7])(
    shows(["X-28", "S0-2", "S0-8"], "keeps a prompt of 3,000 characters whole in turn %d, for 30 rounds"),
    async (turn) => {
      await using play = await playPreset({ policy: "rolling-chat" });
      await sayPairs(play.session, 2 * (turn - 1));
      const question = `Build it. ${long(3_000, "q")}`;
      for (const prompt of await playRounds(play.session, question, 30)) {
        // A progress note may follow in the same message.
        expect(linesOf(prompt).filter((line) => line.split("\n")[0] === `user: ${question}`)).toHaveLength(1);
      }
    },
  );

  test(
    shows(["X-28", "C-31"], "notes the progress of this generation after its own prompt, not after an earlier one"),
    async () => {
      await using play = await playPreset({ policy: "rolling-chat" });
      const { session } = play;
      const { aRound } = messageBuilder();
      const write = async (path: string) => {
        const call = { callId: path, tool: "write_file", input: file(path, long(3_000, "w")), output: "ok" };
        await session.append(aRound([call]), { format: "palimpsest" });
      };
      await session.append({ role: "user", content: "Build the first part." });
      for (const step of range(1, 5)) await write(`first-${step}.ts`);
      await session.append({ role: "assistant", content: "Built." });
      await session.append({ role: "user", content: "Build the second part." });
      for (const step of range(1, 5)) await write(`second-${step}.ts`);
      const lines = linesOf(await session.prompt());
      expect(lines[0]).toBe("user: Build the first part.");
      const note = lines.find((line) => line.startsWith("user: Build the second part."));
      expect(note).toContain(
        `[Progress so far]\nFiles created: ${range(1, 5)
          .map((n) => `second-${n}.ts`)
          .join(", ")}`,
      );
      expect(lines.join("\n")).not.toContain("Files created: first-1.ts");
    },
  );

  test(shows("S0-11", "uses fewer tokens and stays valid, and the log keeps every word"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    await using whole = await playPreset({ policy: { preset: "rolling-chat", prune: { inLoop: false } } });
    const [prompts, others] = [await playLoop(play.session), await playLoop(whole.session)];
    for (const [index, prompt] of prompts.entries()) {
      for (const provider of ["anthropic", "gemini", "openai", "openai-responses"] as const) {
        expect(validate(prompt.as(provider), provider)).toEqual([]);
      }
      const tokens = others[index]?.report.tokens ?? 0;
      if (index > 3) expect(prompt.report.tokens).toBeLessThan(tokens);
      else expect(prompt.report.tokens).toBe(tokens);
    }
    expect(await play.session.history()).toEqual(await whole.session.history());
    expect(JSON.stringify(await play.session.history())).not.toContain("[truncated]");
    expect((await play.entries()).map(({ type }) => type)).not.toContain("prune");
  });
});

describe("a summary on request", () => {
  test(shows("S0-52", "is rewritten with instructions, even if automatic compaction is off"), async () => {
    await using play = await playPreset({ policy: "rolling-chat" });
    const { session } = play;
    await sayPairs(session, 12);
    expect(await session.resummarize("Keep the names.")).toMatchObject({ type: "compacted" });
    const [first = "", second = ""] = askedOf(play.provider);
    expect(second).toContain("Keep the names.");
    expect(numbersIn([second])).toEqual(numbersIn([first]));
    expect((await previewPrompt(session)).report.summary?.text).toContain(writeRecap(1));
    expect(await liveCoverage(session)).toBe(6);

    await using off = await playPreset({ policy: { preset: "rolling-chat", enabled: false } });
    await sayPairs(off.session, 14);
    expect(off.provider.requests).toHaveLength(0);
    expect(await off.session.compact({ instructions: "Keep the names." })).toMatchObject({ type: "compacted" });
    expect(await liveCoverage(off.session)).toBe(8);
  });
});
