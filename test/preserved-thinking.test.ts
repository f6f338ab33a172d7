import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, isStepCount, type ToolSet, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fit as fitHistory, openPalimpsest } from "../src/compose.ts";
import type { JsonObject } from "../src/core/message/json.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { PromptOptions } from "../src/engine/session/session-options.ts";
import type { FitState } from "../src/index.ts";
import { createAnthropicDouble } from "../src/testing/anthropic-double.ts";
import { scriptedClock } from "../src/testing/scripted-clock.ts";
import { shows } from "../src/testing/shows.ts";
import { startAnthropicDouble } from "../src/testing/start-anthropic-double.ts";
import { ThinkingTalk, TOOLS, textBlock, thinkingBlock, toolUseBlock } from "./support/thinking-talk.ts";

const open = (options: Parameters<typeof openPalimpsest>[0] = {}) =>
  openPalimpsest({ counter: "estimate", ...options });

/** Words that do not repeat, so that nothing is pruned as a duplicate. */
const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");

const user = (content: string) => ({ role: "user", content });
const reply = (turn: number) => [
  thinkingBlock(`Thought ${turn}: ${words(8, turn)}`),
  textBlock(`Answer ${turn}: ${words(8, turn)}`),
];
const question = (turn: number) => user(`Question ${turn}: ${words(8, turn)}?`);

/**
 * Small enough that a requested summary folds most of ten turns, and large enough that nothing is folded without a
 * request.
 */
const ROOM = { budgetTokens: 2_000 };

/** Turns of a chat, each with a thought. */
async function chat(talk: ThinkingTalk, session: Session, turns: number, options: PromptOptions = {}, from = 0) {
  for (let turn = from; turn < from + turns; turn += 1) {
    await talk.ask(session, reply(turn), { next: question(turn), budgetTokens: 20_000, ...options });
  }
}

/** One step of a tool loop: a call with a thought, and its result. */
async function step(talk: ThinkingTalk, session: Session, index: number, options: PromptOptions = {}) {
  const id = `call_${index}`;
  const content = [thinkingBlock(`Step ${index}: ${words(6, index)}`), toolUseBlock(id, { path: `src/${index}.ts` })];
  const judged = await talk.ask(session, content, options);
  const result = { type: "tool_result", tool_use_id: id, content: `File ${index}: ${words(30, index)}` };
  await session.append([{ role: "user", content: [result] }], { format: "anthropic" });
  return judged;
}

const expectValid = (talk: ThinkingTalk) => {
  expect(talk.refusals).toEqual([]);
  expect({ refused: talk.refused, missed: talk.missed }).toEqual({ refused: 0, missed: 0 });
};

describe("the report of thinking", () => {
  const FORMATS = ["ai-sdk", "anthropic", "openai", "openai-responses", "gemini"] as const;
  const signed = (thought: string) => ({ ...thinkingBlock(thought), signature: `signed ${thought}` });
  const compacted = { type: "compaction", content: "They spoke of tides." };
  const result = { type: "tool_result", tool_use_id: "call_1", content: "High water at six." };
  const replies: readonly (readonly [string, number, readonly (readonly JsonObject[])[]])[] = [
    ["thinking first", 1, [[signed("Thought 1"), textBlock("At six.")]]],
    ["thinking after a compaction", 0, [[compacted, signed("Thought 1"), toolUseBlock("call_1")]]],
    [
      "thinking of a later message of the turn",
      1,
      [
        [signed("Thought 1"), textBlock("At")],
        [signed("Thought 2"), textBlock("six.")],
      ],
    ],
    ["thinking without a signature", 0, [[thinkingBlock("Thought 1"), textBlock("At six.")]]],
    ["thinking before a call", 1, [[signed("Thought 1"), toolUseBlock("call_1")]]],
    ["nothing but thinking", 1, [[signed("Thought 1")]]],
  ];
  const cases = FORMATS.flatMap((provider) => replies.map((each) => [provider, ...each] as const));

  test.each(cases)(
    shows("X-32", "agrees with a prompt for %s that has %s"),
    async (provider, name, anthropic, replyContents) => {
      const session = await (await open()).session();
      const asked = { model: "claude-fable-5-1", provider, tools: TOOLS } as const;
      const { id } = await session.prompt({ ...asked, next: user("When is high water?") });
      const messages = replyContents.map((content) => ({ role: "assistant", content }));
      await session.append(messages, { format: "anthropic", promptId: id });
      const hasCall = JSON.stringify(replyContents).includes("call_1");
      const next = hasCall ? [{ role: "user", content: [result] }] : [user("Thank you.")];
      await session.append(next, { format: hasCall ? "anthropic" : undefined });
      const prompt = await session.prompt(asked);
      const sent = JSON.stringify(provider === "ai-sdk" ? prompt.forStreamText() : prompt.as(provider));
      const blocks = new Set(sent.match(/(?<=")Thought \d/g)).size;
      const { sentBlocks, leftOut = [] } = prompt.report.thinking ?? {};
      expect(sentBlocks).toBe(blocks);
      expect(blocks + leftOut.reduce((sum, left) => sum + left.blocks, 0)).toBe(replyContents.length);
      if (provider === "anthropic") expect([name, blocks]).toEqual([name, anthropic]);
    },
  );
});

describe("a chat with thinking", () => {
  test(shows("X-32", "of 80 turns under a budget of 3,000 tokens sends no block that would be refused"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    await chat(talk, session, 80, { budgetTokens: 3_000 });
    expectValid(talk);
    expect(talk.sent).toBeGreaterThan(700);
    expect(talk.judged.some(({ prompt }) => prompt.report.compactions.length > 0)).toBe(true);
  });

  test(shows("X-32", "reports how much thinking a compaction cost, and does not count its tokens"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    await chat(talk, session, 10, ROOM);
    const { prompt: before } = (await talk.send(session, { next: question(10), budgetTokens: 2_000 })).judged;
    expect(before.report.thinking).toEqual({ sentBlocks: 10, leftOut: [] });
    await session.compact();
    const { prompt: after } = (await talk.send(session, { budgetTokens: 2_000 })).judged;
    const { thinking, tokens, changes } = after.report;
    expect(thinking?.sentBlocks).toBe(0);
    expect(thinking?.leftOut).toEqual([{ reason: "summary", blocks: expect.any(Number), tokens: expect.any(Number) }]);
    expect(changes.map(({ section }) => section)).toContain("history");
    const free = await session.prompt({
      model: "claude-opus-5",
      provider: "anthropic",
      tools: TOOLS,
      preview: true,
      budgetTokens: 2_000,
    });
    expect(free.report.thinking).toBeUndefined();
    const lost = thinking?.leftOut[0]?.tokens ?? 0;
    expect(lost).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(free.report.tokens - lost);
    expectValid(talk);
  });

  test(shows("X-32", "sends its thinking again after an undo, and not after a redo"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    await chat(talk, session, 10, ROOM);
    await session.compact();
    await chat(talk, session, 3, ROOM, 10);
    expect(talk.judged.at(-1)?.sent).toBe(2);
    await session.undo();
    await chat(talk, session, 1, ROOM, 13);
    expect(talk.judged.at(-1)).toMatchObject({ sent: 10 });
    expect(talk.judged.at(-1)?.prompt.report.thinking?.leftOut).toEqual([
      { reason: "view", blocks: 3, tokens: expect.any(Number) },
    ]);
    const [undo] = await session.entries({ types: ["undo"] });
    await session.undo(undo?.id);
    await chat(talk, session, 1, ROOM, 14);
    expect(talk.judged.at(-1)).toMatchObject({ sent: 3 });
    expectValid(talk);
  });

  test.each([
    ["instructions", { instructions: "Answer in French." }],
    ["tools", { tools: [...TOOLS, { name: "write", description: "Writes.", input_schema: { type: "object" } }] }],
  ] as const)(
    "names changed %s as the reason for thinking that is left out, and in the list of changes",
    async (reason, options) => {
      const session = await (await open()).session();
      const talk = new ThinkingTalk();
      await chat(talk, session, 4);
      await chat(talk, session, 1, options, 4);
      const { sent, prompt } = talk.judged.at(-1) ?? {};
      expect(sent).toBe(0);
      expect(prompt?.report.thinking?.leftOut).toMatchObject([{ reason, blocks: 4 }]);
      expect(prompt?.report.changes.map(({ section }) => section)).toEqual([reason, "history"]);
      expect(prompt?.report.changes.at(-1)?.reason).toBe(`thinking is left out, because other ${reason} were given`);
      await chat(talk, session, 1, {}, 5);
      expect(talk.judged.at(-1)?.sent).toBe(4);
      await chat(talk, session, 1, options, 6);
      expect(talk.judged.at(-1)?.sent).toBe(1);
      expectValid(talk);
    },
  );

  test(
    shows("X-32", "sends a model only its own thinking, also after a change to another model and back"),
    async () => {
      const session = await (await open()).session();
      const talk = new ThinkingTalk();
      const [first, second] = [{ model: "claude-opus-5-5" }, { model: "claude-sonnet-5-5" }];
      await chat(talk, session, 3, first);
      await chat(talk, session, 2, second, 3);
      expect(talk.judged.at(-1)?.sent).toBe(1);
      expect(talk.judged.at(-1)?.prompt.report.thinking?.leftOut).toMatchObject([{ reason: "other-model", blocks: 3 }]);
      await chat(talk, session, 2, { model: "anthropic/claude-opus-5.5-20260901" }, 5);
      expect(talk.judged.map(({ sent }) => sent)).toEqual([0, 1, 2, 0, 1, 3, 4]);
      expectValid(talk);
    },
  );

  test(
    shows("X-32", "keeps thinking after notes that stay, and loses it after a note for one prompt only"),
    async () => {
      const session = await (await open()).session();
      const talk = new ThinkingTalk();
      for (let turn = 0; turn < 4; turn += 1) await chat(talk, session, 1, { notes: `It is day ${turn}.` }, turn);
      expect(talk.judged.at(-1)?.sent).toBe(3);
      await chat(talk, session, 1, { notes: { text: "Only now.", keep: false } }, 4);
      await chat(talk, session, 1, {}, 5);
      expect(talk.judged.at(-1)?.sent).toBe(4);
      expect(talk.judged.at(-1)?.prompt.report.thinking?.leftOut).toMatchObject([{ reason: "messages", blocks: 1 }]);
      expectValid(talk);
    },
  );

  test(shows("X-32", "leaves out thinking of an unknown prompt"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    const stray = talk.issue({ model: "claude-fable-5-1", messages: [question(0)] }, reply(0));
    await session.append([question(0), { role: "assistant", content: stray }], { format: "anthropic" });
    await chat(talk, session, 2, {}, 1);
    expect(talk.judged.at(-1)?.sent).toBe(1);
    expect(talk.judged.at(-1)?.prompt.report.thinking?.leftOut).toMatchObject([
      { reason: "unknown-prompt", blocks: 1 },
    ]);
    expectValid(talk);
  });

  test(
    shows(
      "X-32",
      "sends the same thinking in a fork, in another engine on the same store and after the store is reopened",
    ),
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "thinking-"));
      const store = `sqlite:${join(folder, "chats.db")}`;
      const talk = new ThinkingTalk();
      const options = {
        instructions: "Be brief.",
        provider: "anthropic",
        model: "claude-fable-5-1",
        tools: TOOLS,
        ...ROOM,
      } as const;
      const previewRequest = async (session: Session) => {
        const prompt = await session.prompt({ ...options, next: question(99), preview: true });
        const { system, messages } = prompt.as("anthropic");
        return JSON.stringify([system, messages, prompt.report.thinking?.sentBlocks], (key, value) =>
          key === "cache_control" ? undefined : value,
        );
      };
      const first = await open({ store });
      const session = await first.session("one");
      await chat(talk, session, 12, options);
      await session.compact();
      await chat(talk, session, 4, options, 12);
      const before = await previewRequest(session);
      const fork = await session.fork((await session.entries({ newestFirst: true, limit: 1 }))[0]?.seq ?? 0);
      expect(await previewRequest(fork)).toBe(before);
      const beside = await open({ store });
      expect(await previewRequest(await beside.session("one"))).toBe(before);
      await beside.close();
      await chat(talk, fork, 2, options, 20);
      await first.close();
      const second = await open({ store });
      const reopened = await second.session("one");
      expect(await previewRequest(reopened)).toBe(before);
      await chat(talk, reopened, 2, options, 30);
      expect(talk.judged.at(-1)?.sent).toBe(5);
      expectValid(talk);
      await second.close();
      await rm(folder, { recursive: true });
    },
  );
});

describe("a tool loop with thinking", () => {
  test(shows("X-32", "of 60 steps sends every thought of the turn while it fits"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    await session.append(question(0));
    for (let index = 0; index < 60; index += 1) await step(talk, session, index, { budgetTokens: 40_000 });
    expect(talk.judged.at(-1)?.sent).toBe(59);
    expectValid(talk);
  });

  test(shows("X-32", "of 60 steps continues after hard folds without a block that would be refused"), async () => {
    const session = await (await open()).session();
    const talk = new ThinkingTalk();
    await session.append(question(0));
    for (let index = 0; index < 60; index += 1) await step(talk, session, index, { budgetTokens: 3_000 });
    expect(talk.judged.some(({ prompt }) => prompt.report.compactions.length > 0)).toBe(true);
    expect(talk.sent).toBeGreaterThan(100);
    expectValid(talk);
  });

  test(
    shows("X-32", "keeps the thoughts of an open turn on a model with manual thinking after a hard fold"),
    async () => {
      const session = await (await open()).session();
      const talk = new ThinkingTalk({
        model: "claude-sonnet-4-5",
        thinking: { type: "enabled", budget_tokens: 1_024 },
      });
      await session.append(question(0));
      for (let index = 0; index < 60; index += 1) await step(talk, session, index, { budgetTokens: 3_000 });
      expect(talk.judged.some(({ prompt }) => prompt.report.compactions.length > 0)).toBe(true);
      expect(talk.refusals).toEqual([]);
    },
  );

  test(
    shows("X-32", "sends all its thinking again if all its steps are appended with the id of its first prompt"),
    async () => {
      await using provider = await startAnthropicDouble({
        reply: (_request, index) => {
          const isLast = index % 3 === 2;
          const content = isLast ? textBlock(`Done ${index}.`) : toolUseBlock(`call_${index}`, { path: `${index}.ts` });
          return { content: [thinkingBlock(`Thought ${index}`), content] };
        },
      });
      const model = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "key" })("claude-opus-5-5");
      const tools: ToolSet = {
        read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => `text of ${path}` }),
      };
      const session = await (await open()).session();
      const sent: number[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const prompt = await session.prompt({ next: question(turn), tools, model: "claude-opus-5-5" });
        sent.push(prompt.report.thinking?.sentBlocks ?? -1);
        const result = await generateText({ model, tools, stopWhen: isStepCount(5), ...prompt.forStreamText() });
        await session.append(result.responseMessages, { promptId: prompt.id });
      }
      expect(provider.verdicts.filter(({ type }) => type === "refusal")).toEqual([]);
      expect(sent).toEqual([0, 3, 6, 9]);
    },
  );
});

describe("an optional compaction", () => {
  /** A long conversation, then an open turn that continues while the soft trigger fires. */
  async function workInOpenTurn(model: string, { steps = 9, idleMs = 0 } = {}) {
    const clock = scriptedClock({ startMs: 1_000_000 });
    const session = await (await open({ clock })).session();
    const talk = new ThinkingTalk({ model });
    await chat(talk, session, 20, { budgetTokens: 3_000 });
    await session.append(question(20));
    for (let index = 0; index < steps; index += 1) {
      if (index === steps - 1) clock.advance(idleMs);
      const content = [thinkingBlock(words(8, index)), toolUseBlock(`call_${index}`, { path: `${index}.ts` })];
      await talk.ask(session, content, { budgetTokens: 3_000 });
      const result = { type: "tool_result", tool_use_id: `call_${index}`, content: `File ${index}` };
      await session.append([{ role: "user", content: [result] }], { format: "anthropic" });
    }
    const reports = talk.judged.slice(20).map(({ prompt }) => prompt.report);
    expect(talk.refusals).toEqual([]);
    return { last: reports.at(-1), folds: reports.flatMap(({ compactions }) => compactions.length).filter(Boolean) };
  }

  test(shows("X-32", "waits for the end of a turn whose thinking would be lost"), async () => {
    expect((await workInOpenTurn("claude-opus-5")).folds).toEqual([1]);
    const { folds, last } = await workInOpenTurn("claude-opus-5-5");
    expect(folds).toEqual([]);
    expect(last?.thinking).toEqual({ sentBlocks: 28, leftOut: [] });
    expect(last?.plan.need?.need).toBe("soft");
    expect(last?.plan.held).toBe("A compaction does not pay for itself yet.");
    const { gain = 0, terms } = last?.plan.gate ?? {};
    const { saved = 0, rewritten = 0, lostThinking = 0 } = terms ?? {};
    expect(lostThinking).toBeGreaterThan(0);
    expect(gain).toBeCloseTo(saved - rewritten - lostThinking);
  });

  test(shows("X-32", "runs in an open turn if it saves more than the lost thinking costs"), async () => {
    const { folds, last } = await workInOpenTurn("claude-opus-5-5", { steps: 3, idleMs: 3_600_000 });
    expect(folds).toEqual([1]);
    expect(last?.plan.gate).toMatchObject({ isCold: true, acts: true, terms: { lostThinking: expect.any(Number) } });
    expect(last?.thinking).toMatchObject({ sentBlocks: 0, leftOut: [{ reason: "summary" }] });
  });
});

describe("fit for a model that binds thinking", () => {
  const model = "claude-opus-5-5";
  /** Plays a chat whose replies answer the output of `fit`, like a program without sessions. */
  async function play(next: (history: object[], fitted: object[]) => object[]) {
    const talk = new ThinkingTalk({ model });
    const refusals: string[] = [];
    let history: object[] = [];
    let sent = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      history = [...history, question(turn)];
      const { messages, report } = await fitHistory(history, { model, budgetTokens: 1_500, counter: "estimate" });
      const body = { model, max_tokens: 100, messages: messages as JsonObject[] };
      const verdict = talk.double.judge({ body });
      if (verdict.type === "refusal") refusals.push(verdict.message);
      sent += report.thinking?.sentBlocks ?? 0;
      history = [...next(history, messages), { role: "assistant", content: talk.issue(body, reply(turn)) }];
    }
    return { refusals, sent };
  }

  test.each([
    ["over the whole history", (history: object[]) => history],
    ["over its own output", (_history: object[], fitted: object[]) => fitted],
  ])(shows("X-32", "returns no thinking that would be refused, %s"), async (_name, next) => {
    const { refusals, sent } = await play(next);
    expect(refusals).toEqual([]);
    expect(sent).toBeGreaterThan(50);
  });

  test.each(["instructions", "tools"] as const)(
    shows("X-32", "leaves out older thinking if %s changed since the call that returned the state"),
    async (changed) => {
      const talk = new ThinkingTalk({ model });
      const options = { model, budgetTokens: 4_000, counter: "estimate" } as const;
      let state: FitState | undefined;
      let history: object[] = [];
      const reasons = new Set<string>();
      for (let turn = 0; turn < 20; turn += 1) {
        history = [...history, question(turn)];
        const isSecond = Math.floor(turn / 5) % 2 === 1;
        const instructions = changed === "instructions" && isSecond ? "Be kind." : "Be brief.";
        const tools = changed === "tools" && isSecond ? [...TOOLS, { ...TOOLS[0], name: "other" }] : TOOLS;
        const fitted = await fitHistory(history, { ...options, instructions, tools, state });
        state = JSON.parse(JSON.stringify(fitted.state)) as FitState;
        const messages = fitted.messages as JsonObject[];
        const body = { model, max_tokens: 100, system: instructions, tools: tools as JsonObject[], messages };
        expect(talk.double.judge({ body })).not.toMatchObject({ type: "refusal" });
        for (const { reason } of fitted.report.thinking?.leftOut ?? []) reasons.add(reason);
        history = [...history, { role: "assistant", content: talk.issue(body, reply(turn)) }];
      }
      expect([...reasons]).toContain(changed);
    },
  );
});

describe("thinking in a tool loop that is appended as a whole", () => {
  const model = "claude-opus-5-5";
  const call = (more: JsonObject = {}) => ({ ...toolUseBlock("c1"), ...more });
  const result = (content: unknown, more: JsonObject = {}) => ({
    type: "tool_result",
    tool_use_id: "c1",
    content,
    ...more,
  });
  const image = JSON.stringify({ content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo".repeat(40) }] });
  const cited = { type: "text", text: "Read.", citations: null };

  /** Plays two steps of a loop, appends them as a whole, and judges the next prompt. */
  async function judgeLoop(first: readonly JsonObject[], results: readonly unknown[]) {
    const double = createAnthropicDouble();
    const session = await (await open({ budgetTokens: 8_000 })).session();
    const options = { model, tools: TOOLS, provider: "anthropic" } as const;
    const prompt = await session.prompt({ ...options, next: user("Read it.") });
    const body = { ...prompt.as("anthropic"), model, tools: TOOLS };
    const issue = (messages: readonly unknown[], content: readonly JsonObject[]) =>
      double.issue({ body: { ...body, messages } as never }, content as never);
    const { messages } = body as { messages: readonly unknown[] };
    const asked = { role: "assistant", content: issue(messages, first) };
    const answered = { role: "user", content: results };
    const last = {
      role: "assistant",
      content: issue([...messages, asked, answered], [thinkingBlock("Done."), textBlock("Done.")]),
    };
    await session.append([asked, answered, last], { format: "anthropic", promptId: prompt.id });
    const next = await session.prompt({ ...options, next: user("Go on.") });
    const verdict = double.judge({ body: { ...next.as("anthropic"), model, max_tokens: 100, tools: TOOLS } as never });
    return { type: verdict.type, sent: next.report.thinking?.sentBlocks };
  }

  test("is all sent if every message is sent exactly as it came", async () => {
    expect(await judgeLoop([thinkingBlock("Look."), call()], [result("ok")])).toEqual({ type: "accepted", sent: 2 });
  });

  test.each([
    ["a blank result", [thinkingBlock("Look."), call()], [result(" ")]],
    ["a result without content", [thinkingBlock("Look."), call()], [result([])]],
    ["a result with is_error: false", [thinkingBlock("Look."), call()], [result("ok", { is_error: false })]],
    ["a result with an image inside its JSON", [thinkingBlock("Look."), call()], [result(image)]],
    ["a text with citations", [thinkingBlock("Look."), cited, call()], [result("ok")]],
    ["a call with the field caller", [thinkingBlock("Look."), call({ caller: { type: "direct" } })], [result("ok")]],
  ] as const)(shows("X-32", "is not sent after a message that the prompt changes: %s"), async (_, first, results) => {
    expect(await judgeLoop(first, results)).toEqual({ type: "accepted", sent: 1 });
  });

  test("is left out if it comes from a second reply to the same prompt", async () => {
    const double = createAnthropicDouble();
    const session = await (await open({ budgetTokens: 8_000 })).session();
    const options = { model, tools: TOOLS, provider: "anthropic" } as const;
    const prompt = await session.prompt({ ...options, next: user("Read it.") });
    const body = { ...prompt.as("anthropic"), model, tools: TOOLS } as never;
    const answer = (content: readonly JsonObject[]) => ({
      role: "assistant",
      content: double.issue({ body }, content as never),
    });
    await session.append([answer([thinkingBlock("Look."), call()])], { format: "anthropic", promptId: prompt.id });
    await session.append([{ role: "user", content: [result("ok")] }], { format: "anthropic" });
    await session.append([answer([thinkingBlock("Late."), textBlock("Late.")])], {
      format: "anthropic",
      promptId: prompt.id,
    });
    const next = await session.prompt({ ...options, next: user("Go on.") });
    const verdict = double.judge({ body: { ...next.as("anthropic"), model, max_tokens: 100, tools: TOOLS } as never });
    expect([verdict.type, next.report.thinking?.sentBlocks]).toEqual(["accepted", 1]);
  });
});
