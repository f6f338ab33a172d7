import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import { createIds } from "../src/engine/context/create-ids.ts";
import { floorOfError } from "../src/engine/context/errors.ts";
import type { EngineEvents } from "../src/engine/context/events.ts";
import type { Session } from "../src/engine/session/session.ts";
import { isDue } from "../src/engine/state/session-status.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { shows } from "../src/testing/shows.ts";

const open = (options: Parameters<typeof openPalimpsest>[0] = {}) =>
  openPalimpsest({ counter: "estimate", budgetTokens: 2_000, ...options });

/** No summary fits into ten tokens, so messages are truncated. */
const TRUNCATING = { policy: { summary: { maxTokens: 10 } } };
const WAYS = [
  ["summarise", {}],
  ["truncate", TRUNCATING],
] as const;

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const textOf = (value: unknown) => JSON.stringify(value);

/** `count` messages of about forty tokens, alternately from user and assistant. */
const talk = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const text = `Message ${index + from}: ${"the quick brown fox jumps over the lazy dog ".repeat(4)}`;
    return index % 2 === 0 ? user(text) : assistant(text);
  });

describe("history of a session", () => {
  test(shows(["S3-6", "S3-7", "S3-85"], "appends one message at a time, and an exchange as a pair"), async () => {
    const session = await (await open()).session();
    await session.append(user("one"));
    await session.append([user("two"), assistant("three")]);
    const history = await session.history();
    expect(history.map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ type: "text", text: "one" }]],
      ["user", [{ type: "text", text: "two" }]],
      ["assistant", [{ type: "text", text: "three" }]],
    ]);
  });

  test(shows("S3-8", "appends an exchange whole or not at all"), async () => {
    const session = await (await open()).session();
    await expect(session.append([user("question"), { role: "assistant", content: 42 }])).rejects.toThrow(
      /messages\[1\]/,
    );
    expect(await session.history()).toEqual([]);
  });

  test(shows(["S3-9", "S3-86"], "returns a copy: changing it changes nothing"), async () => {
    const session = await (await open()).session();
    await session.append(user("mine"));
    const copy = (await session.history()) as unknown as { parts: { text: string }[] }[];
    for (const message of copy) for (const part of message.parts) part.text = "changed";
    copy.pop();
    expect(textOf(await session.history())).toContain("mine");
  });

  test(shows(["S3-10", "S3-87"], "replaces everything at once, and the log keeps the earlier messages"), async () => {
    const session = await (await open()).session();
    const { messages } = await session.append([user("old"), assistant("older")]);
    await session.replace([user("new"), assistant("newer")]);
    expect((await session.history()).map(({ parts }) => textOf(parts))).toEqual([
      '[{"type":"text","text":"new"}]',
      '[{"type":"text","text":"newer"}]',
    ]);
    expect((await session.explain(messages[0]?.id ?? "")).fate).toBe("cleared");
    expect((await session.search("old")).map(({ snippet }) => snippet)).toContain("old");
  });

  test("reports the same fate in explain and in the plan for a deleted message that was then cleared", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append([user("first"), assistant("second"), user("third")]);
    const id = messages[1]?.id ?? "";
    await session.delete(id);
    expect((await session.explain(id)).fate).toBe("deleted");
    await session.clear();
    expect((await session.explain(id)).fate).toBe("cleared");
    expect((await session.plan()).runs.map(({ fate }) => fate)).toEqual(["cleared"]);
  });

  test("refuses a resent list that contains an id twice, and makes no fork of it", async () => {
    const engine = await open();
    const session = await engine.session();
    await session.append([
      { id: "1", role: "user", content: "a" },
      { id: "2", role: "assistant", content: "b" },
    ]);
    for (const content of ["zzz", "a"]) {
      const list = [
        { id: "1", role: "user", content: "a" },
        { id: "1", role: "user", content },
      ];
      await expect(session.sync(list)).rejects.toMatchObject({ code: "message-conflict" });
    }
    expect(await engine.sessions()).toHaveLength(1);
  });

  test.each<readonly [string, (session: Session) => Promise<unknown>]>([
    ["instructions that are not a string", (session) => session.resummarize({ signal: undefined } as never)],
    ["a strip without buckets", (session) => session.strip({ foo: 1 } as never)],
    ["an empty note", (session) => session.pin({ note: "" })],
    ["a note with a misspelled key", (session) => session.pin({ not: "x" } as never)],
  ])("refuses %s", async (_, call) => {
    const session = await (await open()).session();
    await session.append(user("old"));
    await expect(call(session)).rejects.toMatchObject({ code: "config-invalid" });
  });

  test("is unchanged if the replacement is invalid", async () => {
    const session = await (await open()).session();
    await session.append(user("old"));
    await expect(session.replace([{ role: "nobody", content: "x" }])).rejects.toThrow(PalimpsestError);
    expect(textOf(await session.history())).toContain("old");
  });

  test(shows("S3-88", "is empty after a clear"), async () => {
    const session = await (await open()).session();
    await session.append([user("one"), assistant("two")]);
    await session.clear();
    expect(await session.history()).toEqual([]);
    expect((await session.prompt({ next: user("three") })).messages).toHaveLength(1);
  });

  test(shows(["S3-13", "S3-89"], "counts its tokens"), async () => {
    const session = await (await open()).session();
    expect((await session.budget()).historyTokens).toBe(0);
    await session.append(talk(4));
    const { historyTokens } = await session.budget();
    expect(historyTokens).toBeGreaterThan(100);
    expect(historyTokens).toBe((await session.compactionStatus()).currentTokens);
  });

  test(
    shows(
      ["S3-1", "S3-2"],
      "is reported with its counter, sections and limits, and its session has a compaction status",
    ),
    async () => {
      const session = await (await open({ model: "gpt-4o", budgetTokens: undefined, counter: undefined })).session();
      await session.append(talk(2));
      const { report } = await session.prompt({ instructions: "Be brief." });
      expect(report.counter.id).toContain("o200k");
      expect(report.sections.map(({ name }) => name)).toEqual([
        "instructions",
        "tools",
        "summary",
        "pinned",
        "history",
        "notes",
      ]);
      expect(report.windowTokens - report.reserveTokens).toBe(report.limitTokens);
      expect(await session.compactionStatus()).toMatchObject({ enabled: true });
    },
  );
});

describe("budget and compaction status", () => {
  test(shows("S3-90", "the budget reports history, limits and remaining tokens"), async () => {
    const session = await (await open({ model: "gpt-4o", budgetTokens: undefined })).session();
    await session.append(talk(2));
    const budget = await session.budget();
    expect(Object.keys(budget).sort()).toEqual(
      ["historyTokens", "promptTokens", "maxHistoryTokens", "maxInputTokens", "needsSummary", "remainingTokens"].sort(),
    );
    expect(budget.remainingTokens).toBe(budget.maxInputTokens - budget.historyTokens);
    expect(budget.remainingTokens).toBeGreaterThan(0);
    expect(budget.maxHistoryTokens).toBe(Math.floor(budget.maxInputTokens / 16));
  });

  test(shows("S3-91", "a compaction is not due below the trigger, nor when switched off"), async () => {
    const below = await (await open({ policy: { triggerTokens: 10_000 } })).session();
    await below.append(talk(6));
    expect(isDue(await below.compactionStatus())).toBe(false);
    const off = await (await open({ policy: { triggerTokens: 10, enabled: false } })).session();
    await off.append(talk(6));
    expect(isDue(await off.compactionStatus())).toBe(false);
    const due = await (await open({ policy: { triggerTokens: 10 } })).session();
    await due.append(talk(6));
    expect(isDue(await due.compactionStatus())).toBe(true);
    expect((await due.budget()).needsSummary).toBe(true);
  });

  test(
    shows("S3-92", "the status reports whether compaction is on, its trigger, and the used share of the trigger"),
    async () => {
      const session = await (await open({ policy: { triggerTokens: 500 } })).session();
      await session.append(talk(4));
      const status = await session.compactionStatus();
      expect(status).toEqual({
        enabled: true,
        triggerTokens: 500,
        currentTokens: status.currentTokens,
        percent: Math.round((status.currentTokens / 500) * 1000) / 10,
      });
      expect(status.percent).toBeGreaterThan(0);
    },
  );
});

describe("ids", () => {
  test(shows("S3-122", "are {epoch_ms}-{8 hex} for messages and sess_{epoch_ms}_{6 hex} for sessions"), async () => {
    const palimpsest = await open();
    const session = await palimpsest.session();
    const { messages } = await session.append(user("hello"));
    expect(session.id).toMatch(/^sess_\d{13}_[0-9a-f]{6}$/);
    expect(messages[0]?.id).toMatch(/^\d{13}-[0-9a-f]{8}$/);
  });

  test(shows("S3-123", "are different for a hundred messages of one millisecond"), async () => {
    const session = await (await open({ clock: { now: () => 1_700_000_000_000 } })).session();
    const { messages } = await session.append(Array.from({ length: 100 }, () => user("same")));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(100);
  });

  const repeating = { clock: { now: () => 1_700_000_000_000 }, randomHex: (digits: number) => "f".repeat(digits) };

  test("come from the injected clock and randomness", () => {
    const ids = createIds(repeating);
    expect([ids.message(), ids.session()]).toEqual(["1700000000000-ffffffff", "sess_1700000000000_ffffff"]);
  });

  test("are different within a millisecond even if a random number repeats, and an import loses no message", async () => {
    const ids = createIds(repeating);
    expect([ids.message(), ids.message(), ids.session(), ids.session()]).toEqual([
      "1700000000000-ffffffff",
      "1700000000000-00000000",
      "sess_1700000000000_ffffff",
      "sess_1700000000000_000000",
    ]);
    const palimpsest = await open({ ids: createIds(repeating) });
    const lines = Array.from({ length: 500 }, () => JSON.stringify(user("hi")));
    expect((await palimpsest.importTranscript(lines)).messages).toBe(500);
  });
});

describe("append", () => {
  test("returns a message that is sent again as it was stored, without a new seq", async () => {
    const session = await (await open()).session();
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] };
    const first = await session.append(message);
    expect(await session.append(message)).toEqual(first);
    expect(await session.history()).toHaveLength(1);
  });

  test("refuses another text under a used id, and stores nothing of the batch", async () => {
    const session = await (await open()).session();
    const createMessage = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] });
    await session.append(createMessage("m1", "hello"));
    await expect(session.append([createMessage("m2", "new"), createMessage("m1", "other")])).rejects.toMatchObject({
      code: "message-conflict",
    });
    expect(await session.history()).toHaveLength(1);
  });

  test("a hundred concurrent appends get a hundred seqs without a gap", async () => {
    const store = createMemoryStore();
    const session = await (await open({ store })).session();
    await Promise.all(Array.from({ length: 100 }, (_, index) => session.append(user(`message ${index}`))));
    const entries = await store.tenant("local").readEntries(session.id, {});
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test("entries of two handles in two engines are visible to both", async () => {
    const store = createMemoryStore();
    const here = await (await open({ store })).session("shared");
    const there = await (await open({ store })).session("shared");
    await here.append(user("from here"));
    await there.append(assistant("from there"));
    expect(textOf(await here.history())).toContain("from there");
    expect(textOf((await there.prompt()).messages)).toContain("from here");
  });

  test("tenants with equal session ids cannot read each other's data", async () => {
    const store = createMemoryStore();
    const ours = await (await open({ store, tenant: "ours" })).session("same");
    const theirs = await (await open({ store, tenant: "theirs" })).session("same");
    await ours.append(user("secret"));
    expect(await theirs.history()).toEqual([]);
    expect(await theirs.search("secret")).toEqual([]);
  });
});

describe("prompt", () => {
  test(shows("S1-14", "token counts are logged: in the request entry and as an event"), async () => {
    const store = createMemoryStore();
    const palimpsest = await open({ store });
    const seen: EngineEvents["prompt"][] = [];
    palimpsest.on("prompt", (event) => seen.push(event));
    const session = await palimpsest.session();
    const prompt = await session.prompt({ next: user("How long is this?"), instructions: "Be brief." });
    const entries = await store.tenant("local").readEntries(session.id, { types: ["request"] });
    expect(entries).toMatchObject([{ type: "request", promptId: prompt.id, countedTokens: prompt.report.tokens }]);
    expect(seen).toEqual([
      { sessionId: session.id, promptId: prompt.id, tokens: prompt.report.tokens, limitTokens: 2_000 },
    ]);
  });

  test("a preview leaves no trace, even if it would have to compact", async () => {
    const store = createMemoryStore();
    const session = await (await open({ store })).session();
    await session.append(talk(80));
    const before = await store.tenant("local").readEntries(session.id, {});
    const preview = await session.prompt({ preview: true });
    expect(preview.report.compaction).toMatchObject({ isRecorded: false });
    expect(preview.report.tokens).toBeLessThanOrEqual(2_000);
    expect(await store.tenant("local").readEntries(session.id, {})).toEqual(before);
  });

  test("a compaction happens once and shrinks the view, and the next prompt continues the compacted one", async () => {
    const palimpsest = await open();
    const compactions: EngineEvents["compaction"][] = [];
    palimpsest.on("compaction", (event) => compactions.push(event));
    const session = await palimpsest.session();
    await session.append(talk(80));
    const first = await session.prompt({ next: user("go on") });
    expect(first.report.compaction).toMatchObject({ steps: ["summarise"], isRecorded: true });
    const second = await session.prompt({ next: assistant("done") });
    expect(second.report.changes).toEqual([]);
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(compactions).toHaveLength(1);
    expect(compactions[0]?.tokensAfter).toBeLessThan(compactions[0]?.tokensBefore ?? 0);
  });

  test("a note with keep: false is the last block of the new message and is gone in the next prompt", async () => {
    const session = await (await open()).session();
    const first = await session.prompt({ next: user("hello"), notes: { text: "It is Sunday.", keep: false } });
    expect(textOf(first.messages)).toMatch(/hello.*It is Sunday\./);
    expect(textOf(first.as("anthropic").messages.at(-1))).toMatch(/hello.*It is Sunday\./);
    expect(first.report.volatileBlocks).toBe(1);
    const second = await session.prompt({ next: assistant("hi") });
    expect(textOf(second.messages)).not.toContain("Sunday");
    expect(second.report.changes).toEqual([]);
  });

  test("changed instructions and tools are reported as moved", async () => {
    const session = await (await open()).session();
    await session.prompt({ next: user("hello"), instructions: "Be brief." });
    const other = await session.prompt({ instructions: "Be long." });
    expect(other.report.changes).toEqual([{ section: "instructions", reason: "other instructions were given" }]);
    const tools = [{ name: "read_file", description: "Reads a file.", inputSchema: { type: "object" } }];
    const armed = await session.prompt({ instructions: "Be long.", tools });
    expect(armed.report.changes).toEqual([{ section: "tools", reason: "other tools were given" }]);
    expect(armed.report.sections.find(({ name }) => name === "tools")?.tokens).toBeGreaterThan(5);
  });

  test.each(WAYS)(
    "system messages at the start are instructions and survive every compaction (%s)",
    async (step, way) => {
      const session = await (await open(way)).session();
      await session.append([{ role: "system", content: "You are a lighthouse keeper." }, ...talk(80)]);
      const prompt = await session.prompt();
      expect(prompt.report.compaction?.steps).toContain(step);
      expect(prompt.instructions).toContain("lighthouse keeper");
    },
  );

  test("instructions that do not fit cause an error that names the floor, and the new message stays in the log", async () => {
    const session = await (await open()).session();
    const error = await session
      .prompt({ next: user("hello"), instructions: "x ".repeat(5_000) })
      .catch((caught) => caught);
    expect(error).toMatchObject({ code: "does-not-fit", retryable: false });
    expect(floorOfError(error)?.parts.map(({ name }) => name)).toContain("instructions");
    expect(await session.history()).toHaveLength(1);
  });

  test("with compaction turned off a prompt still fits, and nothing is written", async () => {
    const store = createMemoryStore();
    const session = await (await open({ store, policy: { enabled: false } })).session();
    await session.append(talk(80));
    const prompt = await session.prompt();
    expect(prompt.report.tokens).toBeLessThanOrEqual(2_000);
    const entries = await store.tenant("local").readEntries(session.id, {});
    expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(["message", "request"]));
  });

  test("a refused prompt is followed by a smaller one", async () => {
    const session = await (await open()).session();
    await session.append(talk(20));
    const first = await session.prompt({ instructions: "Be brief." });
    const second = await session.refused(new Error("prompt is too long"), { promptId: first.id });
    expect(second.report.tokens).toBeLessThanOrEqual(first.report.tokens * 0.8);
    expect(second.instructions).toBe("Be brief.");
  });

  test("reported usage above the count raises the factor", async () => {
    const session = await (
      await open({ model: "claude-sonnet-4-5", budgetTokens: 50_000, counter: undefined })
    ).session();
    await session.append(talk(20));
    const first = await session.prompt();
    expect(first.report.counter).toMatchObject({ exact: false, factor: 1.25 });
    await session.append(assistant("fine"), { promptId: first.id, usage: { inputTokens: first.report.tokens * 2 } });
    expect((await session.prompt()).report.counter.factor).toBeGreaterThan(1.25);
  });
});

describe("clear for one generation", () => {
  test(shows("X-18", "the next prompt has no history, and the prompt after the reply has all of it"), async () => {
    const session = await (await open()).session();
    await session.append([user("remember the lamp"), assistant("I will")]);
    await session.clear({ scope: "next-generation" });
    const bare = await session.prompt({ next: user("hello") });
    expect(textOf(bare.messages)).not.toContain("lamp");
    await session.append(assistant("hi"), { promptId: bare.id });
    expect(textOf((await session.prompt()).messages)).toContain("lamp");
  });

  test(
    shows("X-18", "ends when a generation fails, but not when its prompt was never sent or is older than the clear"),
    async () => {
      const session = await (await open()).session();
      await session.append([user("remember the lamp"), assistant("I will")]);
      const earlier = await session.prompt();
      await session.clear({ scope: "next-generation" });
      await session.ended(earlier.id, "canceled before it was sent");
      await session.prompt({ next: user("hello") });
      const bare = await session.prompt();
      expect(textOf(bare.messages)).not.toContain("lamp");
      await session.ended(bare.id, "the provider failed");
      expect(textOf((await session.prompt()).messages)).toContain("lamp");
    },
  );
});

describe("pins", () => {
  test("a pinned round stays verbatim after it is covered, with its results", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append([
      user("what does it say?"),
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "the vault code is 4711" },
      assistant("4711"),
    ]);
    const outcome = await session.pin(messages[2]?.id ?? "");
    expect(outcome.type).toBe("pinned");
    await session.append(talk(80));
    const prompt = await session.prompt();
    expect(textOf(prompt.messages)).toContain("the vault code is 4711");
    expect(prompt.report.sections.find(({ name }) => name === "pinned")?.tokens).toBeGreaterThan(10);
    expect(await session.explain(messages[1]?.id ?? "")).toMatchObject({ fate: "pinned", isShown: true });
  });

  test("a pinned note counts as a pin", async () => {
    const session = await (await open()).session();
    await session.append(user("hello"));
    await session.pin({ note: "Never deploy on Fridays." });
    expect(textOf((await session.prompt()).messages)).toContain("Never deploy on Fridays.");
  });

  test("above a quarter of the budget are refused", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append(user("word ".repeat(700)));
    expect(await session.pin(messages[0]?.id ?? "")).toMatchObject({ type: "pins-exceed-budget", allowedTokens: 500 });
  });

  test("an unpinned message is covered like any other", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append(user("the vault code is 4711"));
    const id = messages[0]?.id ?? "";
    await session.pin(id);
    expect(await session.unpin(id)).toBe(true);
    expect(await session.unpin(id)).toBe(false);
    await session.append(talk(80));
    const { report } = await session.prompt();
    expect(await session.explain(id)).toMatchObject({ fate: "summarised", isShown: false });
    expect(report.sections.find(({ name }) => name === "pinned")?.tokens).toBe(0);
  });
});

describe("undo", () => {
  test.each([
    ["summary", {}],
    ["truncate", TRUNCATING],
  ])("reverts a compaction, and undoing the undo redoes it (%s)", async (kind, way) => {
    const session = await (await open(way)).session();
    await session.append(talk(80));
    const small = await session.prompt();
    const undone = await session.undo();
    expect(undone).toMatchObject({ type: "undone", undid: { kinds: [kind] } });
    const whole = await session.prompt({ budgetTokens: 100_000 });
    expect(whole.messages.length).toBeGreaterThan(small.messages.length);
    if (undone.type !== "undone") return;
    expect(await session.undo(undone.entryId)).toMatchObject({ type: "undone" });
    expect((await session.prompt()).messages).toEqual(small.messages);
  });

  test("reverts a compaction of several entries as one step, and redoes it as one", async () => {
    const tail = { messages: 6, exchanges: 2, rounds: 2, ratio: 0.25 };
    const session = await (await open({ policy: { ...TRUNCATING.policy, pruneFirst: true, tail } })).session();
    const round = [
      user("Build it"),
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "build", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "compiled one more file\n".repeat(150) },
      assistant("It is built."),
    ];
    await session.append([...talk(40), ...round, ...talk(16)]);
    const small = await session.prompt();
    expect(small.report.compaction?.steps).toEqual(["prune", "truncate"]);
    const undone = await session.undo();
    if (undone.type !== "undone") throw new Error(undone.type);
    expect(new Set(undone.undid.kinds)).toEqual(new Set(["prune", "truncate"]));
    expect((await session.plan({ budgetTokens: 1e6 })).runs.map(({ fate }) => fate)).toEqual(["verbatim"]);
    expect((await session.plan()).runs).toEqual((await session.prompt({ preview: true })).report.plan.runs);
    expect(await session.undo()).toEqual({ type: "nothing-to-undo" });
    await session.undo(undone.entryId);
    expect((await session.prompt()).messages).toEqual(small.messages);
  });

  test("reports that nothing can be undone, or that a change is not the newest or cannot be undone", async () => {
    const session = await (await open()).session();
    expect(await session.undo()).toEqual({ type: "nothing-to-undo" });
    const { messages } = await session.append([user("one"), user("two")]);
    const first = await session.pin(messages[0]?.id ?? "");
    const second = await session.pin(messages[1]?.id ?? "");
    if (first.type !== "pinned" || second.type !== "pinned") throw new Error("not pinned");
    expect(await session.undo(first.pinId)).toEqual({ type: "not-newest", newestId: second.pinId });
    await session.delete(messages[0]?.id ?? "");
    expect(await session.undo(second.pinId)).toEqual({ type: "not-undoable" });
  });
});

describe("delete", () => {
  test("removes the text from the log, the search and every fork that reads it", async () => {
    const store = createMemoryStore();
    const session = await (await open({ store })).session();
    const { messages } = await session.append([user("my password is swordfish"), assistant("noted")]);
    const fork = await session.fork();
    await fork.append(user("in the fork"));
    const deletion = await fork.delete(messages[0]?.id ?? "");
    expect(new Set(deletion.sessionIds)).toEqual(new Set([session.id, fork.id]));
    expect(textOf(await store.tenant("local").readEntries(session.id, {}))).not.toContain("swordfish");
    for (const reader of [session, fork]) {
      expect(textOf((await reader.prompt()).messages)).not.toContain("swordfish");
      expect(await reader.search("swordfish")).toEqual([]);
      expect(await reader.explain(messages[0]?.id ?? "")).toMatchObject({ fate: "deleted" });
    }
  });

  test("continues when another engine deletes forks that read the message", async () => {
    const store = createMemoryStore();
    const other = await open({ store });
    const session = await (await open({ store })).session();
    const { messages } = await session.append([user("my password is swordfish"), assistant("noted")]);
    const kept = await session.fork();
    const forks = await Promise.all(Array.from({ length: 8 }, () => session.fork()));
    const [deletion] = await Promise.all([
      session.delete(messages[0]?.id ?? ""),
      ...forks.map(({ id }) => other.deleteSession(id)),
    ]);
    expect(deletion.sessionIds).toEqual(expect.arrayContaining([session.id, kept.id]));
    expect(await other.sessions()).toHaveLength(2);
    expect(textOf(await store.tenant("local").readEntries(session.id, {}))).not.toContain("swordfish");
    expect(textOf((await kept.prompt()).messages)).not.toContain("swordfish");
  });

  test("of one half of a round leaves a prompt that providers accept", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append([
      user("read it"),
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "secret" },
      assistant("read"),
    ]);
    await session.delete(messages[2]?.id ?? "");
    const prompt = await session.prompt();
    expect(prompt.report.repairs.map(({ kind }) => kind)).toContain("unanswered-call");
    expect(textOf(prompt.messages)).not.toContain("secret");
  });
});

describe("fork and sync", () => {
  const createMessage = (id: string, role: string, text: string) => ({ id, role, parts: [{ type: "text", text }] });

  test("a fork continues from a message and leaves the parent unchanged", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append([user("one"), assistant("two"), user("three")]);
    const fork = await session.fork(messages[1]?.seq);
    await fork.append(user("another three"));
    expect((await fork.history()).map(({ parts }) => textOf(parts))).toEqual([
      '[{"type":"text","text":"one"}]',
      '[{"type":"text","text":"two"}]',
      '[{"type":"text","text":"another three"}]',
    ]);
    expect(textOf(await session.history())).not.toContain("another");
  });

  test("sync appends new messages, keeps known ones, and forks if the list differs", async () => {
    const session = await (await open()).session();
    const list = [createMessage("u1", "user", "hello"), createMessage("a1", "assistant", "hi")];
    expect(await session.sync(list)).toMatchObject({ type: "appended", appended: 2 });
    expect(await session.sync(list)).toMatchObject({ type: "unchanged" });
    expect(await session.sync([...list, createMessage("u2", "user", "more")])).toMatchObject({
      type: "appended",
      appended: 1,
    });
    const edited = await session.sync([...list, createMessage("u3", "user", "edited")]);
    expect(edited).toMatchObject({ type: "forked", appended: 1 });
    expect(edited.session.id).not.toBe(session.id);
    expect(textOf(await edited.session.history())).toContain("edited");
    expect(textOf(await session.history())).toContain("more");
  });
});

describe("errors, warnings and side effects of calls", () => {
  test.each([
    ["a store that does not exist", { store: "floppy:" }, "config-invalid", /store/],
    ["a negative budget", { budgetTokens: -1 }, "config-invalid", /budgetTokens/],
    ["a ratio above one", { policy: { targetRatio: 7 } }, "config-invalid", /targetRatio.*7/],
    ["an unknown key", { policy: { targetRation: 0.5 } }, "config-invalid", /targetRation/],
  ])("openPalimpsest refuses %s and names the option", async (_, options, code, text) => {
    const error = await openPalimpsest(options as never).catch((caught) => caught);
    expect(error).toMatchObject({ code, message: expect.stringMatching(text) });
  });

  test("an unknown model causes a warning, once per session, unless a window is given", async () => {
    const palimpsest = await openPalimpsest({ model: "nobody-1", counter: "estimate" });
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    const session = await palimpsest.session();
    const prompt = await session.prompt({ next: user("hello") });
    await session.prompt();
    expect(warnings).toEqual(prompt.report.warnings);
    expect(warnings).toMatchObject([expect.stringContaining("nobody-1")]);
    const known = await (await openPalimpsest({ windowTokens: 2_000, counter: "estimate" })).session();
    expect((await known.prompt({ next: user("hello") })).report.warnings).toEqual([]);
  });

  test("a preview with a next message leaves no trace of it", async () => {
    const session = await (await open()).session();
    const preview = await session.prompt({ preview: true, next: user("only looking") });
    expect(textOf(preview.messages)).toContain("only looking");
    expect(await session.history()).toEqual([]);
  });

  test.each([
    [
      "an unknown option",
      (session: Session) => session.prompt({ role: "user" } as never),
      /session\.prompt: Unknown option "role"/,
    ],
    ["a scope that does not exist", (session: Session) => session.clear({ scope: "all" } as never), /scope.*for-good/],
    [
      "a budget that is not a number",
      (session: Session) => session.prompt({ budgetTokens: Number.NaN }),
      /budgetTokens/,
    ],
    [
      "instructions that are not a string",
      (session: Session) => session.prompt({ instructions: 5 } as never),
      /instructions/,
    ],
    ["a pin without a target", (session: Session) => session.pin(undefined as never), /session\.pin/],
  ])("a session refuses %s and names the call or option", async (_, ask, text) => {
    const session = await (await open()).session();
    await expect(ask(session)).rejects.toMatchObject({ code: "config-invalid", message: expect.stringMatching(text) });
  });

  test("a returned value cannot change the log", async () => {
    const session = await (await open()).session();
    const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } };
    await session.append([user("read it"), { role: "assistant", content: [call] }]);
    const [, callMessage] = (await session.prompt()).messages as unknown as [
      unknown,
      { content: [{ input: { path: string } }] },
    ];
    expect(() => {
      callMessage.content[0].input.path = "CHANGED";
    }).toThrow(TypeError);
    expect(textOf(await session.history())).toContain("a.ts");
  });

  test("a closed engine refuses to open a session", async () => {
    const palimpsest = await open();
    await palimpsest.close();
    await expect(palimpsest.session()).rejects.toMatchObject({ code: "closed" });
  });
});

describe("combinations of calls", () => {
  test.each(WAYS)("instructions of a replaced history survive every compaction (%s)", async (step, way) => {
    const session = await (await open(way)).session();
    await session.append(talk(4));
    await session.replace([{ role: "system", content: "You are a lighthouse keeper." }, ...talk(80)]);
    const prompt = await session.prompt();
    expect(prompt.report.compaction?.steps).toContain(step);
    expect(prompt.instructions).toContain("lighthouse keeper");
  });

  test("a reply to the first of two open prompts ends a clear for one generation", async () => {
    const session = await (await open()).session();
    await session.append([user("remember the lamp"), assistant("I will")]);
    await session.clear({ scope: "next-generation" });
    const first = await session.prompt({ next: user("hello") });
    await session.prompt();
    await session.append(assistant("hi"), { promptId: first.id });
    expect(textOf((await session.prompt()).messages)).toContain("lamp");
  });

  test("during a clear for one generation, a view that is too large is made smaller for that request alone", async () => {
    const session = await (await open()).session();
    await session.append([user("remember the lamp"), assistant("I will")]);
    await session.clear({ scope: "next-generation" });
    await session.append(talk(80));
    const bare = await session.prompt();
    expect(bare.report.compaction).toMatchObject({ isRecorded: false });
    await session.append(assistant("hi"), { promptId: bare.id });
    const whole = await session.prompt({ budgetTokens: 100_000 });
    expect(textOf(whole.messages)).toContain("lamp");
  });

  test("the text of a pinned message that a summary contains is deleted with the message", async () => {
    const store = createMemoryStore();
    const session = await (await open({ store })).session();
    const { messages } = await session.append([
      user(`the vault code is 4711 ${"and more ".repeat(200)}`),
      assistant("noted"),
    ]);
    const id = messages[0]?.id ?? "";
    expect((await session.pin(id)).type).toBe("pinned");
    await session.append(talk(10));
    await session.prompt({ budgetTokens: 250 });
    expect(textOf((await session.prompt({ budgetTokens: 250 })).messages)).toContain("4711");
    await session.delete(id);
    expect(textOf((await session.prompt({ budgetTokens: 250 })).messages)).not.toContain("4711");
    expect(textOf(await store.tenant("local").readEntries(session.id, {}))).not.toContain("code is 4711");
  });

  test("a message is read back verbatim, whatever its fate", async () => {
    const session = await (await open()).session();
    const { messages } = await session.append(user("the vault code is 4711"));
    await session.append(talk(80));
    await session.prompt();
    expect((await session.message(messages[0]?.id ?? "")).parts).toEqual([
      { type: "text", text: "the vault code is 4711" },
    ]);
    await expect(session.message("nobody")).rejects.toMatchObject({ code: "message-not-found" });
  });
});

describe("other session calls", () => {
  test("a counter of one request does not apply to the next", async () => {
    const session = await (await open()).session();
    await session.append(talk(4));
    await session.prompt({ counter: "words13" });
    expect((await session.prompt()).report.counter.id).toBe("estimate@1");
  });

  test("Gemini's function declarations inside one tool are counted, and counted again after a change in place", async () => {
    const session = await (await open()).session();
    const declared = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, description: "Does one thing well." }));
    const tools = [{ functionDeclarations: declared(2) }];
    const toolsTokens = async () =>
      (await session.prompt({ tools })).report.sections.find(({ name }) => name === "tools")?.tokens ?? 0;
    const few = await toolsTokens();
    tools[0]?.functionDeclarations.push(...declared(20));
    expect(await toolsTokens()).toBeGreaterThan(few * 5);
  });

  test("a Gemini response without an id answers the earlier call of the same function", async () => {
    const session = await (await open()).session();
    await session.append({ role: "user", parts: [{ text: "what time is it?" }] });
    await session.append({ role: "model", parts: [{ functionCall: { name: "clock", args: {} } }] });
    await session.append({
      role: "user",
      parts: [{ functionResponse: { name: "clock", response: { output: "noon" } } }],
    });
    const prompt = await session.prompt();
    expect(prompt.report.repairs).toEqual([]);
    expect(textOf(prompt.as("gemini").contents)).toContain("noon");
  });

  test("a history can be replaced by a part of itself", async () => {
    const session = await (await open()).session();
    const createMessage = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] });
    await session.append([createMessage("a", "one"), createMessage("b", "two")]);
    await session.replace([createMessage("a", "one")]);
    expect((await session.history()).map(({ parts }) => textOf(parts))).toEqual(['[{"type":"text","text":"one"}]']);
  });

  test("a fork made between two clears shows the messages after the first clear", async () => {
    const session = await (await open()).session();
    await session.append(user("first"));
    await session.clear();
    const { messages } = await session.append([user("second"), user("third")]);
    await session.clear();
    const fork = await session.fork(messages[1]?.seq);
    expect(textOf(await fork.history())).toMatch(/second.*third/);
    expect(textOf(await fork.history())).not.toContain("first");
  });

  test("a listener that throws causes a warning, and the work continues", async () => {
    const palimpsest = await open();
    palimpsest.on("append", () => {
      throw new Error("a fault of the host");
    });
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const session = await palimpsest.session();
    await session.append(user("hello"));
    expect((await warned).message).toBe("a fault of the host");
    expect(await session.history()).toHaveLength(1);
  });
});

test.each([
  ["a large model", "gpt-4.1", 1_500],
  ["a model that the catalogue does not know", "house-model", 1_500],
])("the engine's budget applies to a prompt that names %s", async (_, model, limitTokens) => {
  const palimpsest = await openPalimpsest({ budgetTokens: 1_500 });
  const session = await palimpsest.session("s");
  const { report } = await session.prompt({ next: { role: "user", content: "Hello." }, model });
  expect(report.limitTokens).toBe(limitTokens);
  await palimpsest.close();
});

test("the window of a small model limits an engine's larger budget", async () => {
  const palimpsest = await openPalimpsest({ budgetTokens: 500_000 });
  const session = await palimpsest.session("s");
  const next = { role: "user", content: "Hello." };
  expect((await session.prompt({ next, model: "gpt-4" })).report.limitTokens).toBe(6_554);
  expect((await session.prompt({ model: "gpt-4", windowTokens: 4_000, reserveTokens: 0 })).report.limitTokens).toBe(
    4_000,
  );
  await palimpsest.close();
});
