/** Imports that are repeated, continued, or disagree with what is stored. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";
import { CLAUDE_RECORDS, claudeAnswer, claudeRecord, claudeUser, toJsonLines } from "../support/claude-records.ts";

const openMemory = () => openPalimpsest({ store: "memory:", counter: "estimate" });
type Engine = Awaited<ReturnType<typeof openMemory>>;

const MORE = [
  claudeRecord(8, 7, claudeUser("And on Sunday?")),
  claudeRecord(9, 8, claudeAnswer("msg_c", { type: "text", text: "At nine." })),
];
const textsOf = async (palimpsest: Engine, id: string) =>
  (await (await palimpsest.load(id)).transcript()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );

describe("an import of a longer version of a file", () => {
  test("adds only what is new", async () => {
    const palimpsest = await openMemory();
    const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS));
    const longer = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    expect(longer).toMatchObject({ sessionId, messages: 7, added: 2, skipped: 0 });
    expect(await textsOf(palimpsest, sessionId)).toEqual([
      "When does the ferry leave?",
      "At 17:40.",
      "And on Sunday?",
      "At nine.",
    ]);
  });

  test.each([2, 3, 4, 5, 6])("completes a response that was cut off after record %i", async (cut) => {
    const [palimpsest, whole] = [await openMemory(), await openMemory()];
    const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS.slice(0, cut)));
    await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS));
    const again = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    expect(again).toMatchObject({ added: 2, skipped: 0 });
    await whole.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    const partsOf = async (engine: Engine) =>
      (await (await engine.load(sessionId)).transcript()).flatMap(({ parts }) => parts);
    const sorted = (parts: readonly unknown[]) => parts.map((part) => JSON.stringify(part)).toSorted();
    expect(sorted(await partsOf(palimpsest))).toEqual(sorted(await partsOf(whole)));
    // Records of one response repeat its usage, which counts once. The first record may name fewer output tokens.
    const usageOf = async (engine: Engine) => {
      const { models } = await (await engine.load(sessionId)).usage();
      return models.map(({ answers, inputTokens, cacheReadTokens }) => ({ answers, inputTokens, cacheReadTokens }));
    };
    expect(await usageOf(palimpsest)).toEqual(await usageOf(whole));
    expect(await palimpsest.sessions()).toHaveLength(1);
  });

  test("adds nothing for a shorter version", async () => {
    const palimpsest = await openMemory();
    await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    expect(await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS))).toMatchObject({ added: 0 });
    expect(await palimpsest.sessions()).toHaveLength(1);
  });

  test("recognizes messages without ids by what comes before them", async () => {
    const palimpsest = await openMemory();
    const talk = ["Hi.", "Hello.", "Hi.", "Hello."].map((content, index) => ({
      role: index % 2 ? "assistant" : "user",
      content,
    }));
    const first = await palimpsest.importTranscript(JSON.stringify(talk.slice(0, 3)), { name: "talk.json" });
    expect(await palimpsest.importTranscript(JSON.stringify(talk), { name: "other.json" })).toMatchObject({
      sessionId: first.sessionId,
      added: 1,
    });
  });
});

describe("a file that repeats another one", () => {
  test("of a resumed session continues it, without a message twice", async () => {
    const palimpsest = await openMemory();
    const resumed = { sessionId: "77777777-1111-4222-8333-444455556666" };
    const { sessionId } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS));
    // Older versions write the new session's id into the copied records.
    const copied = [...CLAUDE_RECORDS, ...MORE].map((record) => ({ ...record, ...resumed }));
    expect(await palimpsest.importTranscript(toJsonLines(...copied))).toMatchObject({ sessionId, added: 2 });
    expect(await palimpsest.search("17:40")).toHaveLength(1);
  });

  test("and continues differently becomes a fork, which is found again", async () => {
    const palimpsest = await openMemory();
    const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    const other = toJsonLines(...CLAUDE_RECORDS, claudeRecord(18, 7, claudeUser("And on Monday?")));
    const fork = await palimpsest.importTranscript(other);
    expect(fork).toMatchObject({ messages: 6, added: 1, skipped: 0 });
    expect(fork.sessionId).not.toBe(sessionId);
    expect(await textsOf(palimpsest, fork.sessionId ?? "")).toEqual([
      "When does the ferry leave?",
      "At 17:40.",
      "And on Monday?",
    ]);
    expect(await palimpsest.forks(sessionId)).toEqual([fork.sessionId]);
    expect(await palimpsest.importTranscript(other)).toMatchObject({ sessionId: fork.sessionId, added: 0 });
    expect(await palimpsest.search("17:40")).toHaveLength(1);
  });

  test("of a resumed session is exported as one session with what it inherits", async () => {
    const [palimpsest, other] = [await openMemory(), await openMemory()];
    const resumed = { sessionId: "77777777-1111-4222-8333-444455556666" };
    const { sessions } = await palimpsest.importTranscript(
      toJsonLines(...CLAUDE_RECORDS, claudeRecord(8, 7, { ...claudeUser("Once more."), ...resumed })),
    );
    let text = "";
    const fork = sessions[1]?.sessionId ?? "";
    for await (const piece of palimpsest.exportTranscript(fork, { format: "claude-code" })) text += piece;
    const again = await other.importTranscript(text);
    expect(again.sessions).toMatchObject([{ messages: 6 }]);
    expect(await textsOf(other, again.sessionId ?? "")).toEqual(await textsOf(palimpsest, fork));
  });

  test("keeps what was written to the session after its import", async () => {
    const palimpsest = await openMemory();
    const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS));
    await (await palimpsest.load(sessionId)).append({ role: "user", content: "My own question." });
    const longer = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, ...MORE));
    expect(longer).toMatchObject({ added: 2 });
    expect((await textsOf(palimpsest, sessionId)).at(-1)).toBe("My own question.");
    expect((await textsOf(palimpsest, longer.sessionId ?? "")).at(-1)).toBe("At nine.");
  });
});

describe("a summary that another tool has written", () => {
  const text = "This session is being continued. The user asked for the ferry; it leaves at 17:40 from pier 4.";
  const summary = claudeRecord(9, undefined, { ...claudeUser(text), isCompactSummary: true });
  const next = claudeRecord(10, 9, claudeUser("Go on."));

  test("is live if the messages before it are missing, marked as imported, and not said by the user", async () => {
    const palimpsest = await openMemory();
    const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(summary, next));
    const session = await palimpsest.load(sessionId);
    const live = await session.liveSummary();
    expect(live?.origin).toEqual({ type: "imported", renderer: "data" });
    expect((await session.transcript()).map(({ parts }) => parts)).toEqual([[{ type: "text", text: "Go on." }]]);
    const prompt = await session.prompt();
    expect(JSON.stringify(prompt.messages)).toContain("pier 4");
    expect(prompt.messages).toHaveLength(2);
    await palimpsest.importTranscript(toJsonLines(summary, next));
    expect(await session.getSummaryHistory()).toHaveLength(1);
    // The session can be moved to another store.
    const lines: string[] = [];
    for await (const line of palimpsest.exportSession(sessionId)) lines.push(line);
    const other = await openMemory();
    await other.importSession(lines);
    expect((await (await other.load(sessionId)).liveSummary())?.origin?.type).toBe("imported");
  });

  test("is a note of the log and not in prompts if the messages before it are there", async () => {
    const palimpsest = await openMemory();
    const { sessionId = "", sessions } = await palimpsest.importTranscript(
      toJsonLines(...CLAUDE_RECORDS, summary, next),
    );
    expect(sessions[0]).toMatchObject({ messages: 6, summaries: 1 });
    const session = await palimpsest.load(sessionId);
    expect(await session.liveSummary()).toBeUndefined();
    expect(JSON.stringify((await session.prompt()).messages)).not.toContain("being continued");
    const notes = await session.entries({ types: ["note"], limit: 10 });
    expect(notes).toMatchObject([
      { kind: "imported-summary", text, details: { marked: "imported", format: "claude-code" } },
    ]);
    await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS, summary, next));
    expect(await session.entries({ types: ["note"], limit: 10 })).toHaveLength(1);
  });
});

test("an imported session has the times, models and usage of its file", async () => {
  const palimpsest = await openMemory();
  const { sessionId = "" } = await palimpsest.importTranscript(toJsonLines(...CLAUDE_RECORDS));
  const session = await palimpsest.load(sessionId);
  expect(await palimpsest.describe(sessionId)).toMatchObject({
    createdAt: Date.UTC(2026, 3, 5, 9, 0, 1),
    updatedAt: Date.UTC(2026, 3, 5, 9, 0, 7),
  });
  const { models } = await session.usage();
  expect(models).toMatchObject([{ model: "claude-sonnet-4-5", answers: 2, inputTokens: 468, outputTokens: 50 }]);
  const prompt = await session.prompt({ provider: "anthropic" });
  expect(prompt.as("anthropic").messages).toHaveLength(4);
});

test("a title with control characters does not hide the session", async () => {
  const palimpsest = await openMemory();
  const talk = (title: string) => JSON.stringify({ conversationId: "lc", title, messages: [TIDE] });
  await palimpsest.importTranscript(talk("\u0000importing \ud800"));
  expect(await palimpsest.sessions()).toMatchObject([{ id: "librechat-lc", title: "importing \ufffd" }]);
});

const TIDE = { messageId: "l1", isCreatedByUser: true, text: "High tide?" };

test("a file of no known format is refused with a list of the formats, and one of another tool is named", async () => {
  const palimpsest = await openMemory();
  const refused = (text: string, name: string) =>
    palimpsest.importTranscript(text, { name }).catch((error: Error) => error.message);
  expect(await refused('{"name":"ferry","version":"1.0.0","type":"module"}', "package.json")).toMatch(
    /package\.json has no known format\. Accepted are Claude Code session .*; and lists of messages .*langchain/s,
  );
  expect(await refused("# Notes\n\nNothing.", "notes.md")).toContain("has no known format");
  expect(
    await refused('{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}\n', "chat.jsonl"),
  ).toContain("was written by Cursor, which is not supported");
  const droid = toJsonLines(
    { type: "session_start", id: "d1", title: "t" },
    { type: "message", id: "m", message: { role: "user", content: [] } },
  );
  expect(await refused(droid, "d.jsonl")).toContain("Factory Droid");
  expect(await refused('{"sessionId": "x", "mess', "cut.json")).toContain("is not valid JSON");
  expect(await palimpsest.sessions()).toEqual([]);
});
