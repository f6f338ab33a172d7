import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/compose.ts";
import type { FitState } from "../src/engine/fit/fit-state.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { shows } from "../src/testing/shows.ts";
import { expectEachFate } from "./support/expect-each-fate.ts";

const words = "the quick brown fox jumps over the lazy dog ".repeat(4);
const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${words}`,
  }));

function talk(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content:
      index % 2 === 0
        ? `How far is station ${index} from the harbour, and who keeps the key of shed ${index + 3}? ${words}`
        : `About ${index} miles by the coast road; Mrs ${NAMES[index % NAMES.length]} keeps it in drawer ${index}.`,
  }));
}

const NAMES = ["Alvarez", "Brandt", "Chowdhury", "Duval", "Eriksen"];

function work(rounds: number) {
  return Array.from({ length: rounds }, (_, index) => [
    ...(index % 5 === 0 ? [{ role: "user", content: `Now look at module ${index / 5} and mend what is wrong.` }] : []),
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: `call_${index}`, name: "read_file", input: { path: `src/module-${index}.ts` } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `call_${index}`, content: listing(index) }] },
  ]).flat();
}

function listing(index: number): string {
  const lines = Array.from(
    { length: 20 },
    (_, line) => `  const value${line} = compute_${index}_${line}(input.field${line});`,
  );
  return `export function handle${index}(input: Input${index}) {\n${lines.join("\n")}\n}`;
}

/** No summary fits into ten tokens, so messages are truncated. */
const TRUNCATING = { summary: { maxTokens: 10 } };
const size = { budgetTokens: 1_000, counter: "estimate" };

describe("fit", () => {
  test("returns the same message objects if the history fits", async () => {
    const history = plain(4);
    const { messages, report } = await fitHistory(history, size);
    expect(messages).toEqual(history);
    for (const [index, message] of messages.entries()) expect(message).toBe(history[index]);
    expect(report.compactions).toEqual([]);
  });

  test(
    shows("X-33", "returns a fitting history unchanged, even if the last call had no room for a pending result"),
    async () => {
      const call = { id: "call_1", type: "function", function: { name: "transfer", arguments: "{}" } };
      const pending = [...plain(8), { role: "assistant", content: null, tool_calls: [call] }];
      const answered = [...pending, { role: "tool", tool_call_id: "call_1", content: "Done" }];
      const format = "openai-chat" as const;
      const { report } = await fitHistory(answered, { ...size, format });
      const tight = { ...size, format, budgetTokens: report.tokens };
      const before = await fitHistory(pending.slice(0, -1), tight);
      const passing = await fitHistory(pending, { ...tight, state: before.state });
      expect(passing.report.compactions).toMatchObject([{ isRecorded: false }]);
      for (const state of [undefined, passing.state]) {
        const after = await fitHistory(answered, { ...tight, state });
        expect(after.report.compactions).toEqual([]);
        expect(after.messages).toEqual(answered);
        expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
      }
    },
  );

  test.each([
    ["summarised", size, /\[Summary of the (\d+) earlier messages\]/],
    ["truncated", { ...size, policy: TRUNCATING }, /\[(\d+) earlier messages \(\d+ tokens\) not shown here/],
  ])("returns the newest messages as the same objects and reports how many are %s", async (fate, options, marker) => {
    const history = plain(100);
    const { messages, report } = await fitHistory(history, options);
    expect(report.tokens).toBeLessThanOrEqual(1_000);
    expect(messages.at(-1)).toBe(history.at(-1));
    const shown = messages.slice(1);
    expect(shown.every((message) => history.includes(message))).toBe(true);
    const [, count] = marker.exec(JSON.stringify(messages[0])) ?? [];
    expect(Number(count)).toBe(history.length - shown.length);
    expect(report.plan.runs.map((run) => run.fate)).toEqual([fate, "verbatim"]);
  });

  test("keeps constraints in its summary from call to call", async () => {
    const rule = "Whatever you do, the price must stay below 4711 euros.";
    const history = [{ role: "user", content: rule }, { role: "assistant", content: "Understood." }, ...plain(100)];
    let state: FitState | undefined;
    for (const length of [40, 70, 102]) {
      const fitted = await fitHistory(history.slice(0, length), { ...size, state });
      state = fitted.state;
      expect(JSON.stringify(fitted.messages[0])).toContain("must stay below 4711 euros");
    }
  });

  test("returns the same prompts as a session under a policy with a trigger, after each message", async () => {
    const policy = { triggerRatio: 0.6 };
    const history = plain(60).map((message, index) => ({
      id: `m${index}`,
      role: message.role,
      parts: [{ type: "text", text: message.content }],
    }));
    const session = await (await openPalimpsest({ ...size, policy })).session();
    for (let length = 1; length <= history.length; length += 1) {
      await session.append(history[length - 1] ?? {});
      const prompt = await session.prompt();
      const fitted = await fitHistory(history.slice(0, length), { ...size, policy });
      expect(texts(fitted.messages)).toEqual(texts(prompt.messages));
    }
  });

  test("keeps the folds of the last call while the history fits, even with a state read from JSON", async () => {
    const history = plain(80);
    let live: FitState | undefined;
    let stored: FitState | undefined;
    let folds = 0;
    for (let length = 1; length <= history.length; length += 1) {
      const list = history.slice(0, length);
      const fromLive = await fitHistory(list, { ...size, state: live });
      const fromStored = await fitHistory(list, { ...size, state: stored });
      live = fromLive.state;
      stored = JSON.parse(JSON.stringify(fromStored.state)) as FitState;
      expect(fromStored.messages).toEqual(fromLive.messages);
      expectEachFate(fromLive, length);
      expect(fromLive.report.startedOver || fromStored.report.startedOver).toBe(false);
      folds += fromLive.report.compactions.length;
    }
    const whole = await fitHistory(history, size);
    expect(folds).toBeGreaterThan(3);
    expect(folds).toBeLessThanOrEqual(whole.report.compactions.length);
  });

  test(shows("X-33", "returns a fitting history unchanged, even if the budget is nearly full"), async () => {
    const history = plain(150);
    const { messages, report } = await fitHistory(history, { budgetTokens: 10_000 });
    expect(report.tokens).toBeGreaterThan(6_600);
    expect(messages).toEqual(history);
    expect(report.compactions).toEqual([]);
    const exactly = await fitHistory(history, { budgetTokens: report.tokens });
    expect(exactly.messages).toEqual(history);
    const onlyOne = await fitHistory(history, { budgetTokens: report.tokens - 1 });
    expect(onlyOne.report.compactions).toHaveLength(1);
  });

  test.each([
    ["a chat", talk(400), 8_000],
    ["a repetitive chat", plain(400), 8_000],
    ["an agent at work", work(120), 8_000],
    ["an agent at work with a larger budget", work(120), 20_000],
  ])(
    shows("X-33", "folds a history that exceeds its budget to 60 to 75 percent of the budget: %s"),
    async (_, history, budgetTokens) => {
      let state: FitState | undefined;
      const shares: number[] = [];
      for (let length = 10; length <= history.length; length += 1) {
        const fitted = await fitHistory(history.slice(0, length), { budgetTokens, state });
        state = fitted.state;
        if (fitted.report.compactions.length > 0) shares.push(fitted.report.tokens / budgetTokens);
      }
      expect(shares.length).toBeGreaterThan(1);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.6);
      expect(Math.max(...shares)).toBeLessThanOrEqual(0.75);
    },
  );

  test("writes one summary of everything that it covers, however often the history was folded", async () => {
    const asked: number[] = [];
    const summarizer = {
      name: "counting",
      estimateCost: () => 0,
      summarize: async ({ stretch }: { readonly stretch: readonly unknown[] }) => {
        asked.push(stretch.length);
        const origin = emptyOrigin("brief");
        return { type: "summary", text: "The quick brown fox jumps over the lazy dog.", origin } as const;
      },
    };
    const { messages, report } = await fitHistory(plain(100), { ...size, summarizer });
    expect(report.compactions.length).toBeGreaterThan(3);
    expect(asked).toEqual([100 - (messages.length - 1)]);
  });

  test.each([
    ["a preset", "windowed-sql"],
    ["a ratio trigger", { triggerRatio: 0.6 }],
    ["a tokens trigger", { triggerTokens: 500 }],
  ] as const)("folds a history even if it fits, under a policy with %s", async (_, policy) => {
    const { report } = await fitHistory(plain(30), { budgetTokens: 2_000, counter: "estimate", policy });
    expect(report.compactions.length).toBeGreaterThan(0);
    const settings = await fitHistory(plain(30), { budgetTokens: 2_000, counter: "estimate", policy: "default" });
    expect(settings.report.compactions).toEqual([]);
  });

  test("counts instructions and tools that are sent with the messages", async () => {
    const tools = { search: { description: words, inputSchema: { type: "object", properties: {} } } };
    const instructions = words.repeat(3);
    const history = plain(10);
    const alone = await fitHistory(history, { budgetTokens: 800 });
    expect(alone.report.compactions).toEqual([]);
    const beside = await fitHistory(history, { budgetTokens: 2_000, instructions, tools });
    const aroundTokens = beside.report.tokens - alone.report.tokens;
    expect(aroundTokens).toBeGreaterThan(150);
    const within = await fitHistory(history, { budgetTokens: 600, instructions, tools });
    expect(within.report.compactions.length).toBeGreaterThan(0);
    expect(within.report.tokens).toBeLessThanOrEqual(600);
    const counted = await fitHistory(within.messages, { budgetTokens: 600 });
    expect(counted.report.tokens + aroundTokens).toBe(within.report.tokens);
  });

  test("names instructions and tools in the floor, and refuses them in an invalid format", async () => {
    const options = { ...size, budgetTokens: 200, instructions: words.repeat(3), tools: [{ name: "search" }] };
    await expect(fitHistory(plain(4), options)).rejects.toMatchObject({
      code: "does-not-fit",
      message: expect.stringMatching(/instructions \d+, tools \d+/),
    });
    await expect(fitHistory([], { tools: "search" as never })).rejects.toMatchObject({
      code: "config-invalid",
      message: 'fit: tools: expected a list of tool definitions, or an object of them by name, found "search".',
    });
    await expect(fitHistory([], { instructions: ["Be brief."] as never })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringContaining("fit: instructions: expected a string"),
    });
  });

  test.each([2_320, 2_440, 2_860, 3_340])("changes nothing if nothing is new (%i tokens)", async (budgetTokens) => {
    const history = plain(80).map(({ role }, index) => ({
      role,
      content: `Message ${index}: ${"alpha beta gamma delta ".repeat(1 + ((index * 7) % 12))}`,
    }));
    let state: FitState | undefined;
    for (let length = 1; length <= history.length; length += 1) {
      const list = history.slice(0, length);
      const first = await fitHistory(list, { ...size, budgetTokens, state });
      const again = await fitHistory(list, { ...size, budgetTokens, state: first.state });
      state = again.state;
      expect(again.report.compactions).toEqual([]);
      expect(again.messages).toEqual(first.messages);
    }
  });

  test("accepts the same state twice", async () => {
    const history = plain(30);
    const { state } = await fitHistory(history.slice(0, 20), size);
    const one = await fitHistory(history, { ...size, state });
    const two = await fitHistory(history, { ...size, state });
    expect(two.messages).toEqual(one.messages);
  });

  test("starts over, and reports it, when the history does not continue the state", async () => {
    const { state } = await fitHistory(plain(20), size);
    const other = plain(20).map((message) => ({ ...message, content: `Other ${message.content}` }));
    const { messages, report } = await fitHistory(other, { ...size, state });
    expect(report.startedOver).toBe(true);
    expect(messages).toEqual((await fitHistory(other, size)).messages);
  });

  test("starts over, and reports it, when the state is from another version", async () => {
    const { state } = await fitHistory(plain(20), size);
    const { report } = await fitHistory(plain(20), { ...size, state: { ...state, schemaVersion: 1 } as never });
    expect(report.startedOver).toBe(true);
  });

  test.each([
    ["a string", () => JSON.stringify({ schemaVersion: 2 }), /found "\{\\"schemaVersion\\":2\}"\.$/],
    ["the whole result", (fitted: object) => fitted, /found the whole result\.$/],
    ["an unrelated object", () => ({ turns: 3 }), /found an object with turns\.$/],
    [
      "a state without places",
      ({ state }: { readonly state: FitState }) => ({ ...state, places: undefined }),
      /state\.places/,
    ],
    [
      "a state without most of its head",
      ({ state }: { readonly state: FitState }) => ({ ...state, head: { pins: [] } }),
      /head\.\w+/,
    ],
  ])("refuses %s as its state, and names what to pass", async (_, make, message) => {
    const fitted = await fitHistory(plain(20), size);
    const asked = fitHistory(plain(22), { ...size, state: make(fitted) as never });
    await expect(asked).rejects.toMatchObject({ code: "config-invalid", message: expect.stringMatching(message) });
    await expect(asked).rejects.toThrow(
      /^fit: state: expected the `state` of an earlier result, as in const \{ state \}/,
    );
  });

  test("reads only new messages when it has the state", async () => {
    let touched = 0;
    const watch = (message: object) =>
      new Proxy(message, {
        get: (target, key) => {
          touched += 1;
          return Reflect.get(target, key);
        },
      });
    // The last item is checked again: it may have grown in place.
    const history: object[] = plain(40).map((message, index) => (index < 39 ? watch(message) : message));
    const { state } = await fitHistory(history, size);
    touched = 0;
    await fitHistory([...history, { role: "user", content: "new" }], { ...size, state });
    expect(touched).toBe(0);
  });

  test("starts over when an older message that the prompt shows was replaced", async () => {
    const history = plain(10);
    const { state } = await fitHistory(history.slice(0, 4), size);
    const edited = history.map((message, index) => (index === 2 ? { ...message, content: "edited" } : message));
    const { messages, report } = await fitHistory(edited, {
      ...size,
      state: JSON.parse(JSON.stringify(state)) as FitState,
    });
    expect(messages).toEqual((await fitHistory(edited, size)).messages);
    expect(report.tokens).toBe((await fitHistory(edited, size)).report.tokens);
  });

  test("fits again when the limit has become smaller, even when nothing is new", async () => {
    const history = plain(20);
    const { state } = await fitHistory(history, { ...size, budgetTokens: 5_000 });
    const { report } = await fitHistory(history, { ...size, budgetTokens: 300, state });
    expect(report.tokens).toBeLessThanOrEqual(300);
    expect(report.compactions).toMatchObject([{ atItem: 20 }]);
  });

  test("fits a history with a large message that is no longer the last one", async () => {
    const thought = { type: "reasoning", text: "I wonder. ".repeat(1_500) };
    const history = [
      { id: "a", role: "user", parts: [{ type: "text", text: "First." }] },
      { id: "b", role: "assistant", parts: [thought, { type: "text", text: "Answer." }] },
      { id: "c", role: "user", parts: [{ type: "text", text: "Second." }] },
      { id: "d", role: "assistant", parts: [{ type: "text", text: "Another." }] },
      { id: "e", role: "user", parts: [{ type: "text", text: "Third." }] },
    ];
    const { report } = await fitHistory(history, { ...size, format: "palimpsest" });
    expect(report.tokens).toBeLessThanOrEqual(1_000);
  });

  test("calls no summarizer if compaction is turned off", async () => {
    let calls = 0;
    const summarizer = {
      name: "counting",
      estimateCost: () => 0,
      summarize: () => {
        calls += 1;
        throw new Error("must not be asked");
      },
    };
    const { report } = await fitHistory(plain(100), { ...size, policy: { enabled: false }, summarizer });
    expect(report.tokens).toBeLessThanOrEqual(1_000);
    expect(calls).toBe(0);
  });

  test("refuses a list of mixed formats instead of dropping text", async () => {
    const mixed = [
      { role: "user", content: "x" },
      { role: "model", parts: [{ text: "y" }] },
    ];
    await expect(fitHistory(mixed, size)).rejects.toMatchObject({
      code: "message-invalid",
      message: expect.stringContaining("messages[0]"),
    });
  });

  test("never separates a call from its result, in OpenAI's format", async () => {
    const history = Array.from({ length: 20 }, (_, index) => [
      { role: "user", content: `Look at file ${index}` },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `call_${index}`,
            type: "function",
            function: { name: "read_file", arguments: `{"path":"src/${index}.ts"}` },
          },
        ],
      },
      { role: "tool", tool_call_id: `call_${index}`, content: `content of ${index}: ${words}` },
      { role: "assistant", content: `File ${index} is fine.` },
    ]).flat();
    const { messages, report } = await fitHistory(history, { ...size, budgetTokens: 600 });
    expect(report.format).toBe("openai-chat");
    const calls = messages.flatMap((message) =>
      "tool_calls" in message ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    );
    const results = messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
    expect(calls.length).toBeGreaterThan(0);
    expect(results).toEqual(calls);
  });

  test.each(["windowed-sql", "ratio-chain"] as const)(
    "moves a text that %s has in the system role to the user role, if the format has no system role",
    async (policy) => {
      const turns = Array.from({ length: 30 }, (_, index) => {
        const text = `${index} ${"words ".repeat(40)}`;
        return index % 2 === 0
          ? { role: "user", content: text }
          : { role: "assistant", content: [{ type: "text", text }] };
      });
      const { messages } = await fitHistory(turns, { format: "anthropic", policy, budgetTokens: 1_200 });
      expect(messages.length).toBeLessThan(turns.length);
      expect(new Set(messages.map(({ role }) => role))).toEqual(new Set(["user", "assistant"]));
      expect(JSON.stringify(messages[0])).toContain("[system note]");
    },
  );

  test("adds a stand-in for a pending result, and drops it when the result is there", async () => {
    const call = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "run", input: {} }] };
    const open = await fitHistory([{ role: "user", content: "run it" }, call], size);
    expect(open.report.volatileBlocks).toBe(1);
    expect(JSON.stringify(open.messages)).toContain("no result was recorded");
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] };
    const closed = await fitHistory([{ role: "user", content: "run it" }, call, result], {
      ...size,
      state: open.state,
    });
    expect(closed.report.volatileBlocks).toBe(0);
    expect(closed.messages).toEqual([{ role: "user", content: "run it" }, call, result]);
  });

  test("counts the missing messages in one line if even a small summary is too large, instead of failing", async () => {
    const history = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `${"word ".repeat(40)}${index}`,
    }));
    const { messages, report } = await fitHistory(history, { budgetTokens: 120, counter: "estimate" });
    expect(report.tokens).toBeLessThanOrEqual(120);
    expect(JSON.stringify(messages[0])).toContain("earlier messages");
    await expect(fitHistory(history, { budgetTokens: 60, counter: "estimate" })).rejects.toMatchObject({
      code: "does-not-fit",
    });
  });

  test("cuts the middle of one message that is larger than the budget", async () => {
    const { messages, report } = await fitHistory(
      [{ role: "user", content: `begin ${"word ".repeat(5_000)}end` }],
      size,
    );
    expect(report.compactions[0]?.steps).toEqual(["cut"]);
    expect(String(messages[0]?.content)).toMatch(/^begin .*\[… \d+ characters cut.*…\].* end$/s);
  });

  test("reports an invalid message with its path", async () => {
    await expect(
      fitHistory(
        [
          { role: "user", content: "a" },
          { role: "alien", content: "b" },
        ],
        size,
      ),
    ).rejects.toMatchObject({
      code: "message-invalid",
      message: expect.stringContaining("messages[1]"),
    });
    await expect(fitHistory("text" as never, size)).rejects.toMatchObject({ code: "message-invalid" });
  });
});

function texts(messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((message) => strings(message)).filter((text) => text.length > 12);
}

function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
