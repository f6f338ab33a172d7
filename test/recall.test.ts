/** Recall: passages of hidden messages come back with the request that they matter for, and stay at their place. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validate } from "../src/core/public/index.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import type { EngineEvents } from "../src/engine/context/events.ts";
import { fit as fitHistory, openPalimpsest, type Prompt, recallTool, type Session } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { scriptedClock } from "../src/testing/scripted-clock.ts";
import { shows } from "../src/testing/shows.ts";
import { everyNth, firstOf, propertyRuns } from "./support/property-runs.ts";
import { readClaudeCode, skipWithoutData } from "./support/real-logs.ts";
import { runCommand } from "./support/run-command.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies } from "./support/scripted-provider-reply.ts";
import { startTestServer } from "./support/start-server.ts";

const size = { budgetTokens: 3_000, counter: "estimate", policy: { recall: { enabled: true } } } as const;
const FACT = "The spare key of the boat shed hangs behind the blue barrel.";
const SUBJECTS = ["rope", "paint", "engine", "sail", "anchor", "ladder", "lantern", "bucket", "hammer", "winch"];
const QUESTION = { id: "question", role: "user", content: "Where does the spare key of the boat shed hang?" };

/** A talk of many turns after the fact, so that the fact is hidden by a summary that is too small to quote it. */
async function talk(session: Session, turns = 40): Promise<void> {
  await session.append([
    { id: "fact", role: "user", content: FACT },
    { id: "fact-reply", role: "assistant", content: "Noted." },
  ]);
  for (let index = 0; index < turns; index += 1) {
    const subject = SUBJECTS[index % SUBJECTS.length];
    const text = `Today I looked after the ${subject}, for the time number ${index}, and wrote all of it into the book. `;
    const { id } = await session.prompt({ next: { id: `u${index}`, role: "user", content: text.repeat(2) } });
    await session.append({ id: `a${index}`, role: "assistant", content: `The ${subject} is done.` }, { promptId: id });
  }
}

async function openTalk(options: Parameters<typeof openPalimpsest>[0] = {}): Promise<Session> {
  const session = await (await openPalimpsest({ ...size, ...options })).session("talk");
  await talk(session);
  return session;
}

function textsIn(messages: readonly unknown[]): readonly string[] {
  const parsed: readonly { readonly content: readonly { readonly text?: string }[] }[] = JSON.parse(
    JSON.stringify(messages),
  );
  return parsed.flatMap(({ content }) => content.map((block) => block.text ?? JSON.stringify(block)));
}

/** Expects each message of the log in exactly one run of the report. */
async function expectNoGap(session: Session, { plan }: Prompt["report"]): Promise<void> {
  const entries = await session.entries({ types: ["message"] });
  const runsOf = (seq: number) => plan.runs.filter(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
  expect(entries.map(({ seq }) => runsOf(seq).length)).toEqual(entries.map(() => 1));
}

const isBlock = (text: string): boolean => text.startsWith("[Earlier in this conversation");

/** Plays a talk whose questions recall earlier answers. Returns its compactions and the number of recalled blocks. */
async function listCompactions(enabled: boolean, budgetTokens: number) {
  const palimpsest = await openPalimpsest({ ...size, budgetTokens, policy: { recall: { enabled } } });
  const session = await palimpsest.session();
  const compactions: { readonly turn: number; readonly reason: string }[] = [];
  let [turn, blocks] = [0, 0];
  palimpsest.on("compaction", ({ reason }) => compactions.push({ turn, reason }));
  while (turn < 60) {
    turn += 1;
    const content = `Does rule ${turn} allow a refund after ${turn} days?`;
    const { id, report } = await session.prompt({ next: { id: `q${turn}`, role: "user", content } });
    if (report.recalled !== undefined) blocks += 1;
    const text = `Yes, on these conditions: ${"the goods are whole and the receipt is there; ".repeat(6)}`;
    await session.append({ id: `a${turn}`, role: "assistant", content: text }, { promptId: id });
  }
  return { compactions, blocks };
}

/** Repeats a text until it has this many tokens. */
function lengthen(text: string, tokens: number): string {
  let long = text;
  while (countTokens(long) < tokens) long += text;
  return long;
}

describe("recalled passages and compactions", () => {
  test.each([1_500, 4_000])("do not change when and why a talk within %i tokens is compacted", async (budgetTokens) => {
    const without = await listCompactions(false, budgetTokens);
    const { blocks, compactions } = await listCompactions(true, budgetTokens);
    expect(blocks).toBeGreaterThan(5);
    expect(compactions).toEqual(without.compactions);
  });

  test("recalled passages are left out, and nothing is folded, if the prompt fits only without them", async () => {
    const policy = { triggers: [], recall: { enabled: true } };
    const session = await (await openPalimpsest({ ...size, policy })).session();
    await talk(session, 55);
    const first = await session.prompt({ next: QUESTION });
    const { tokens, limitTokens, recalled } = first.report;
    expect(recalled).toBeDefined();
    await session.append({ id: "reply", role: "assistant", content: "Yes." }, { promptId: first.id });
    const summaries = await session.entries({ types: ["summary"] });
    const [block] = await session.entries({ types: ["recall"] });
    // Too long for the space that the passages leave, and short enough for the space without them.
    const wanted = limitTokens - tokens + (recalled?.tokens ?? 0) / 2;
    const content = lengthen("Good work. ", wanted);
    const preview = await session.prompt({ next: { id: "long", role: "user", content }, preview: true });
    expect(await session.entries({ types: ["prune"] })).toEqual([]);
    const second = await session.prompt({ next: { id: "long", role: "user", content } });
    expect(second.report.compactions).toEqual([]);
    expect(second.report.tokens).toBeLessThanOrEqual(limitTokens);
    expect(second.report.changes).not.toEqual([]);
    const texts = textsIn(second.as("anthropic").messages);
    expect(texts.some(isBlock)).toBe(false);
    expect(textsIn(preview.as("anthropic").messages)).toEqual(texts);
    expect(await session.entries({ types: ["summary"] })).toEqual(summaries);
    expect(await session.entries({ types: ["prune"] })).toHaveLength(1);
    // After an undo, prompts have the passages again if they fit, and leave them out if they do not.
    const roomy = { budgetTokens: 2 * limitTokens };
    expect((await session.explain("fact", roomy)).recalled).toBeUndefined();
    expect(await session.undo()).toMatchObject({ type: "undone", undid: { kinds: ["prune"] } });
    expect((await session.explain("fact", roomy)).recalled).toMatchObject([{ entryId: block?.id }]);
    expect((await session.explain("fact")).recalled).toBeUndefined();
    const restored = await session.prompt({ ...roomy, preview: true });
    expect(textsIn(restored.as("anthropic").messages).filter(isBlock)).toEqual([recalled?.text]);
  });
});

describe("a prompt of a session with hidden messages", () => {
  test(shows("X-34", "quotes, after the request, the message about it, and reports why and at what cost"), async () => {
    const session = await openTalk();
    const { report, ...prompt } = await session.prompt({ next: QUESTION });
    expect(report.summary).toBeDefined();
    const texts = textsIn(prompt.as("anthropic").messages);
    expect(texts.at(-1)).toContain(FACT);
    expect(texts.at(-1)).toMatch(/^\[Earlier in this conversation.*\[End of the earlier passages\]$/s);
    expect(texts.at(-2)).toBe(QUESTION.content);
    const recalled = report.recalled?.passages.find(({ messageId }) => messageId === "fact");
    expect(recalled).toMatchObject({ seq: 1, words: expect.arrayContaining(["spare", "key"]) });
    expect(report.recalled?.tokens).toBeLessThanOrEqual(300);
    expect(report.tokens).toBeLessThanOrEqual(report.limitTokens);
    expect(report.volatileBlocks).toBe(0);
    expect(validate(prompt.as("anthropic").messages, "anthropic")).toEqual([]);
  });

  test("shows the block again at its place, so that each prompt is a prefix of the next one", async () => {
    const session = await openTalk();
    const first = await session.prompt({ next: QUESTION });
    await session.append(
      { id: "reply", role: "assistant", content: "Behind the blue barrel." },
      { promptId: first.id },
    );
    const second = await session.prompt({ next: { id: "thanks", role: "user", content: "Thanks!" } });
    const [before, after] = [first, second].map((prompt) => textsIn(prompt.as("anthropic").messages));
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(second.report.changes).toEqual([]);
    expect(second.report.recalled).toBeUndefined();
    const [entry, ...others] = await session.entries({ types: ["recall"] });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ promptId: first.id, text: before?.at(-1) });
  });

  test("does not quote again what a block in view quotes", async () => {
    const session = await openTalk();
    const first = await session.prompt({ next: QUESTION });
    await session.append({ id: "reply", role: "assistant", content: "Behind the barrel." }, { promptId: first.id });
    const second = await session.prompt({ next: { ...QUESTION, id: "again" } });
    expect(second.report.recalled?.passages.map(({ messageId }) => messageId) ?? []).not.toContain("fact");
    expect(
      textsIn(second.as("anthropic").messages).filter((text) => text.includes(FACT) && isBlock(text)),
    ).toHaveLength(1);
  });

  test("drops the block with the compaction that covers it, and does not summarize it as new", async () => {
    const session = await openTalk();
    const { id } = await session.prompt({ next: QUESTION });
    await session.append({ id: "reply", role: "assistant", content: "Behind the blue barrel." }, { promptId: id });
    for (let index = 0; index < 12; index += 1) {
      const next = { id: `v${index}`, role: "user", content: `The mast number ${index} is straight. `.repeat(12) };
      const { id: promptId } = await session.prompt({ next });
      await session.append({ id: `b${index}`, role: "assistant", content: "Good." }, { promptId });
    }
    const prompt = await session.prompt({ preview: true });
    expect(textsIn(prompt.as("anthropic").messages).filter(isBlock)).toEqual([]);
    expect(prompt.report.summary?.text).not.toContain("Earlier in this conversation");
  });

  test.each(["continue", "Thanks a lot!", "ok", "Do you like music?", "What is the capital of Peru?"])(
    "quotes nothing for: %s",
    async (content) => {
      const session = await openTalk();
      const { report } = await session.prompt({ next: { id: "next", role: "user", content } });
      expect(report.recalled).toBeUndefined();
      expect(await session.entries({ types: ["recall"] })).toEqual([]);
    },
  );

  test("searches only for the open request after a compaction inside its tool loop", async () => {
    const session = await openTalk();
    const asked = { id: "asked", role: "user", content: "Which rope did Ottilie splice, and who bought that rope?" };
    const { id } = await session.prompt({ next: asked });
    await session.append({ id: "answered", role: "assistant", content: "The red one." }, { promptId: id });
    await session.prompt({ next: QUESTION });
    const recalled: (readonly string[])[] = [];
    for (let step = 0; step < 24; step += 1) {
      const callId = `call-${step}`;
      const call = { type: "function", function: { name: "list", arguments: '{"folder":"hall"}' }, id: callId };
      const messages = [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: callId, content: "a row of numbers and boxes ".repeat(25) },
      ];
      await session.append(messages, { format: "openai-chat" });
      const { report } = await session.prompt();
      if (report.recalled !== undefined) recalled.push(report.recalled.passages.flatMap(({ words }) => words));
    }
    expect(recalled.length).toBeGreaterThan(1);
    for (const words of recalled) expect(words).not.toContain("rope");
    expect(recalled.flat()).toContain("shed");
  });

  test("previews what would be quoted, and writes nothing", async () => {
    const session = await openTalk();
    const preview = await session.prompt({ next: QUESTION, preview: true });
    expect(preview.report.recalled?.text).toContain(FACT);
    expect(await session.entries({ types: ["recall"] })).toEqual([]);
    const prompt = await session.prompt({ next: QUESTION });
    expect(prompt.report.recalled?.text).toBe(preview.report.recalled?.text);
    expect(prompt.report.tokens).toBe(preview.report.tokens);
  });

  test("quotes nothing if the policy turns recall off, or everything is in view", async () => {
    const off = await openTalk({ policy: { recall: false } });
    expect((await off.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
    const whole = await (await openPalimpsest({ ...size, budgetTokens: 100_000 })).session();
    await talk(whole, 5);
    expect((await whole.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
  });

  test("quotes nothing that was cleared", async () => {
    const session = await openTalk();
    await session.clear();
    await talkOnly(session);
    const { report } = await session.prompt({ next: QUESTION });
    expect(report.recalled?.text ?? "").not.toContain(FACT);
  });
});

async function talkOnly(session: Session): Promise<void> {
  for (let index = 0; index < 40; index += 1) {
    const next = { id: `c${index}`, role: "user", content: `The chart number ${index} is drawn. `.repeat(9) };
    const { id } = await session.prompt({ next });
    await session.append({ id: `d${index}`, role: "assistant", content: "Good." }, { promptId: id });
  }
}

describe("a recalled block", () => {
  test("has no text after its message is deleted", async () => {
    const session = await openTalk();
    await session.prompt({ next: QUESTION });
    await session.delete("fact");
    const [entry] = await session.entries({ types: ["recall"] });
    expect(entry).toMatchObject({ text: "", passages: [] });
    const { report, ...prompt } = await session.prompt();
    expect(JSON.stringify(prompt.as("anthropic"))).not.toContain("blue barrel");
    expect(report.recalled?.text ?? "").not.toContain("blue barrel");
    expect(JSON.stringify(await session.search("blue barrel"))).not.toContain("fact");
  });

  test("is the same after the session is opened again, in a fork and after export and import", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recall-"));
    const store = `sqlite:${join(folder, "chats.db")}`;
    const opened = await openPalimpsest({ ...size, store });
    const session = await opened.session("talk");
    await talk(session);
    const { id } = await session.prompt({ next: QUESTION });
    await session.append({ id: "reply", role: "assistant", content: "Behind the barrel." }, { promptId: id });
    const shown = JSON.stringify((await session.prompt({ preview: true })).as("anthropic").messages);
    const fork = await session.fork();
    expect(JSON.stringify((await fork.prompt({ preview: true })).as("anthropic").messages)).toBe(shown);
    const lines: string[] = [];
    for await (const line of opened.exportSession("talk")) lines.push(line);
    await opened.close();
    const again = await openPalimpsest({ ...size, store });
    const reopened = await (await again.session("talk")).prompt({ preview: true });
    expect(JSON.stringify(reopened.as("anthropic").messages)).toBe(shown);
    await again.close();
    const other = await openPalimpsest(size);
    const imported = await other.importSession(lines);
    const copy = await other.session(imported.sessionId);
    expect(JSON.stringify((await copy.prompt({ preview: true })).as("anthropic").messages)).toBe(shown);
    await rm(folder, { recursive: true });
  });
});

describe("a message that recall quotes", () => {
  const blocksOf = async (session: Session): Promise<readonly string[]> =>
    textsIn((await session.prompt({ preview: true })).as("anthropic").messages).filter(isBlock);

  test("is explained with the matched words and the cost, before the prompt that quotes it and afterwards", async () => {
    const session = await openTalk();
    await session.append(QUESTION);
    const ahead = await session.explain("fact");
    expect(ahead).toMatchObject({ fate: "summarised", isShown: false });
    expect(ahead.recalled).toEqual([
      { afterSeq: expect.any(Number), words: expect.arrayContaining(["spare", "key"]), tokens: expect.any(Number) },
    ]);
    const { id } = await session.prompt();
    const [entry] = await session.entries({ types: ["recall"] });
    const shown = await session.explain("fact");
    expect(shown.recalled).toEqual(ahead.recalled?.map((each) => ({ entryId: entry?.id, ...each })));
    await session.append({ id: "reply", role: "assistant", content: "Behind the barrel." }, { promptId: id });
    expect((await session.explain("reply")).recalled).toBeUndefined();
  });

  test("is left out of the block and of later ones once dismissed, and undo restores the same bytes", async () => {
    const session = await openTalk();
    const { id } = await session.prompt({ next: QUESTION });
    await session.append({ id: "reply", role: "assistant", content: "Behind the barrel." }, { promptId: id });
    const before = await session.prompt({ preview: true });
    expect(await session.dismiss("fact")).toBe(true);
    expect(await session.dismiss("fact")).toBe(false);
    const { report } = await session.prompt({ next: { ...QUESTION, id: "again" } });
    expect(report.changes).toMatchObject([{ section: "history", reason: "an entry changed the view: dismiss" }]);
    expect((await blocksOf(session)).join("")).not.toContain("[fact]");
    expect(await session.explain("fact")).toMatchObject({ isDismissed: true });
    expect((await session.explain("fact")).recalled).toBeUndefined();
    expect(await session.undo()).toMatchObject({ type: "undone", undid: { kinds: ["dismiss"] } });
    expect(textsIn((await session.prompt({ preview: true })).as("anthropic").messages)).toEqual([
      ...textsIn(before.as("anthropic").messages),
      QUESTION.content,
      ...(await blocksOf(session)).slice(1),
    ]);
  });

  test("is not quoted while it is pinned, and is quoted again at its place after it is unpinned", async () => {
    const session = await openTalk();
    await session.prompt({ next: QUESTION });
    const [block] = await blocksOf(session);
    await session.pin("fact");
    const pinned = textsIn((await session.prompt({ preview: true })).as("anthropic").messages);
    expect(pinned).toContain(FACT);
    expect(pinned.filter(isBlock).join("")).not.toContain("[fact]");
    await session.unpin("fact");
    expect(await blocksOf(session)).toEqual([block]);
  });

  test("stays dismissed after a restart, in a fork and after export and import", async () => {
    const store = createMemoryStore();
    const session = await openTalk({ store });
    await session.prompt({ next: QUESTION });
    await session.dismiss("fact");
    const shown = await blocksOf(session);
    const again = await openPalimpsest({ ...size, store });
    expect(await blocksOf(await again.session("talk"))).toEqual(shown);
    expect(await blocksOf(await (await again.session("talk")).fork())).toEqual(shown);
    const lines: string[] = [];
    for await (const line of again.exportSession("talk")) lines.push(line);
    const other = await openPalimpsest(size);
    const { sessionId } = await other.importSession(lines);
    expect(await blocksOf(await other.session(sessionId))).toEqual(shown);
  });

  test("can be dismissed, pinned and explained over HTTP and by the commands recall and inspect", async () => {
    await using server = await startTestServer({ engine: size });
    await server.ask("POST", "/api/sessions", { id: "talk" });
    const long = Array.from({ length: 40 }, (_, index) => ({
      id: `l${index}`,
      role: index % 2 === 0 ? "assistant" : "user",
      content: `The ${SUBJECTS[index % 10]} is looked after for the time number ${index}. `.repeat(8),
    }));
    const messages = [{ id: "fact", role: "user", content: FACT }, ...long, QUESTION];
    await server.ask("POST", "/api/sessions/talk/messages", { messages });
    await server.ask("POST", "/api/sessions/talk/prompts", {});
    const why = await server.ask("GET", "/api/sessions/talk/messages/fact/explanation");
    expect(why.body.recalled).toMatchObject([{ words: expect.arrayContaining(["spare"]) }]);
    const inspect = ["inspect", "talk", "--message", "fact", "--server", server.url];
    expect((await runCommand(inspect)).out).toMatch(/recalled \(\S+\) after #\d+, because of .*spare.*: \d+ tokens/);
    const command = ["recall", "--session", "talk", "--server", server.url];
    expect((await runCommand([...command, "--dismiss", "fact"])).err).toContain("fact is left out from now on.");
    expect((await runCommand(inspect)).out).toContain("left out of recalled passages");
    expect((await server.ask("POST", "/api/sessions/talk/dismissals", { messageId: "fact" })).body).toEqual({
      dismissed: false,
    });
    expect((await runCommand([...command, "--pin", "fact"])).err).toContain("fact is pinned.");
    expect((await runCommand(inspect)).out).toContain("pinned, shown");
  });
});

describe("a search for earlier messages", () => {
  test("emits an event with its source, outcome, passages and tokens, and a preview emits none", async () => {
    const palimpsest = await openPalimpsest(size);
    const events: EngineEvents["recall"][] = [];
    palimpsest.on("recall", (event) => events.push(event));
    const session = await palimpsest.session("talk");
    await talk(session);
    const { report } = await session.prompt({ next: QUESTION, preview: true });
    expect(events).toEqual([]);
    await session.prompt({ next: QUESTION });
    await session.recall("zeppelin");
    await palimpsest.recall("spare key");
    const tokens = report.recalled?.tokens;
    expect(events).toEqual([
      { sessionId: "talk", source: "prompt", outcome: "found", passages: 1, tokens, durationMs: expect.any(Number) },
      { sessionId: "talk", source: "call", outcome: "nothing", passages: 0, tokens: 0, durationMs: expect.any(Number) },
      expect.objectContaining({ sessionId: undefined, source: "call", outcome: "found" }),
    ]);
  });
});

describe("session.recall and palimpsest.recall", () => {
  test("a search names at most 100 sessions, and a range of more than 200 messages names the one to continue with", async () => {
    const palimpsest = await openPalimpsest(size);
    const sessions = Array.from({ length: 101 }, (_, index) => `s${index}`);
    await expect(palimpsest.recall("key", { sessions })).rejects.toThrow(/sessions: .*a list of at most 100 ids/);
    const session = await palimpsest.session("long");
    await session.append(
      Array.from({ length: 300 }, (_, index) => ({ id: `m${index}`, role: "user", content: "Yes." })),
    );
    const { passages, text } = await session.recall({ from: "m0", to: "m299" }, { budgetTokens: 100_000 });
    expect(passages).toHaveLength(200);
    expect(text).toMatch(/\[… continues with message m200\]\n\[End of the earlier passages\]$/);
  });

  test("return passages with their session, seq and matched words, within the budget", async () => {
    const palimpsest = await openPalimpsest(size);
    await talk(await palimpsest.session("talk"), 5);
    const other = await palimpsest.session("other");
    await other.append({ id: "x", role: "user", content: "The spare key of the car is lost." });
    const found = await (await palimpsest.session("talk")).recall("spare key boat shed", { budgetTokens: 100 });
    expect(found.passages.find(({ messageId }) => messageId === "fact")).toMatchObject({
      sessionId: "talk",
      seq: 1,
      text: FACT,
      words: expect.arrayContaining(["spare", "key"]),
    });
    expect(found.tokens).toBeLessThanOrEqual(100);
    const all = await palimpsest.recall("the spare key");
    expect(new Set(all.passages.map(({ sessionId }) => sessionId))).toEqual(new Set(["talk", "other"]));
    expect((await palimpsest.recall("the spare key", { sessions: ["other"] })).passages.map(({ seq }) => seq)).toEqual([
      1,
    ]);
    expect((await palimpsest.recall("the spare key", { limit: 1 })).passages).toHaveLength(1);
    expect((await palimpsest.recall("zeppelin")).passages).toEqual([]);
  });

  test("search only sessions used within `sinceDays`, and find no deleted messages or sessions", async () => {
    const clock = scriptedClock({ startMs: Date.UTC(2025, 0, 1) });
    const palimpsest = await openPalimpsest({ ...size, clock });
    const content = "The spare key of the car is lost.";
    for (const id of ["old", "new"]) {
      const session = await palimpsest.session(id);
      await session.append([
        { id: `${id}-1`, role: "user", content },
        { id: `${id}-2`, role: "user", content: `${content} Really.` },
      ]);
      clock.advance(10 * 86_400_000);
    }
    const idsOf = async (sinceDays?: number) => {
      const { passages } = await palimpsest.recall("Where is the spare key?", { sinceDays });
      return [...new Set(passages.map(({ sessionId }) => sessionId))].toSorted();
    };
    expect(await idsOf()).toEqual(["new", "old"]);
    expect(await idsOf(15)).toEqual(["new"]);
    await (await palimpsest.session("new")).delete("new-1");
    const { text } = await palimpsest.recall("Where is the spare key?", { sessions: ["new"] });
    expect(text).not.toContain("new-1");
    await palimpsest.deleteSession("old");
    expect(await idsOf()).toEqual(["new"]);
  });

  test("find nothing of another tenant", async () => {
    const store = createMemoryStore();
    const anna = await openPalimpsest({ ...size, store, tenant: "anna" });
    await talk(await anna.session("talk"), 3);
    const ben = await openPalimpsest({ ...size, store, tenant: "ben" });
    expect((await ben.recall("the spare key of the boat shed")).passages).toEqual([]);
    expect((await ben.recall("the spare key", { sessions: ["talk"] })).passages).toEqual([]);
  });

  test("refuse unknown options and a query that is not a text", async () => {
    const palimpsest = await openPalimpsest(size);
    const session = await palimpsest.session();
    await expect(session.recall("key", { budget: 5 } as never)).rejects.toThrow(/budget/);
    await expect(palimpsest.recall(5 as never)).rejects.toThrow(/query/);
  });

  test("are offered over HTTP, and by the command recall", async () => {
    await using server = await startTestServer();
    const content = FACT;
    await server.ask("POST", "/api/sessions", { id: "talk" });
    await server.ask("POST", "/api/sessions/talk/messages", { messages: [{ id: "fact", role: "user", content }] });
    const one = await server.ask("GET", "/api/sessions/talk/recall?query=spare%20key&budgetTokens=200");
    expect(one).toMatchObject({ status: 200, body: { passages: [{ messageId: "fact", seq: 1, text: FACT }] } });
    const all = await server.ask("GET", "/api/recall?query=spare%20key&limit=1");
    expect(all.body.passages).toMatchObject([{ sessionId: "talk", messageId: "fact" }]);
    expect((await server.ask("GET", "/api/recall?query=")).status).toBe(400);
    const metrics: string = (await server.ask("GET", "/metrics")).body;
    expect(metrics).toContain('palimpsest_recalls_total{source="call",outcome="found"} 2');
    expect(metrics).toContain('palimpsest_recalled_passages_total{source="call"} 2');
    const printed = await runCommand(["recall", "spare key", "--server", server.url]);
    expect(printed.out).toContain(`talk#1  user  ${FACT}`);
    const whole = await server.ask("GET", "/api/sessions/talk/recall?id=fact");
    expect(whole.body.text).toContain(`> ${FACT}`);
    const read = await runCommand(["recall", "--session", "talk", "--message", "fact", "--server", server.url]);
    expect(read.out).toContain(FACT);
    expect((await runCommand(["recall", "--message", "fact", "--server", server.url])).code).toBe(2);
    expect((await server.ask("GET", "/api/recall?query=spare%20key&sessions=other")).body.passages).toEqual([]);
  });
});

describe("recallTool", () => {
  test("can be passed to the AI SDK without a wrapper, and its schema is plain JSON", async () => {
    const session = await openTalk();
    await using provider = await startScriptedProvider([
      scriptedReplies.toolCall("recall", { query: "spare key of the boat shed" }),
      scriptedReplies.text("Behind the barrel."),
    ]);
    const recall = recallTool(session);
    const model = createOpenAI({ apiKey: "any", baseURL: `${provider.url}/v1` }).chat("gpt-4.1-mini");
    const { steps } = await generateText({ model, prompt: "Where?", tools: { recall }, stopWhen: isStepCount(2) });
    expect(JSON.stringify(steps[0]?.toolResults[0]?.output)).toContain(FACT);
    expect(Object.keys(recall.inputSchema)).toEqual(["type", "properties", "additionalProperties"]);
  });
});

describe("fit with recall: true", () => {
  const history = [
    { role: "user", content: FACT },
    { role: "assistant", content: "Noted." },
    ...Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `The ${SUBJECTS[index % SUBJECTS.length]} was looked after for the time number ${index}. `.repeat(4),
    })),
    { role: "user", content: QUESTION.content },
  ];

  test("quotes hidden messages of the history after the newest one, within the budget", async () => {
    const plain = await fitHistory(history, size);
    const { messages, report } = await fitHistory(history, { ...size, recall: true });
    expect(report.recalled?.text).toContain(FACT);
    expect(messages.slice(0, -1)).toEqual(plain.messages);
    expect(messages.at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify(messages.at(-1))).toContain("blue barrel");
    expect(report.tokens).toBeLessThanOrEqual(size.budgetTokens);
    expect(plain.report.recalled).toBeUndefined();
  });

  test("recognizes its own block in a history that is sent back, and neither summarizes nor quotes it", async () => {
    const { messages } = await fitHistory(history, { ...size, recall: true });
    const more = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "assistant" : "user",
      content: `The mast number ${index} stands straight. `.repeat(9),
    }));
    const again = await fitHistory([...messages, ...more, { role: "user", content: "Is the mast straight?" }], {
      ...size,
      recall: true,
    });
    const texts = JSON.stringify(again.messages);
    const mine = again.report.recalled === undefined ? 0 : 1;
    expect(texts.match(/quoted because it may matter now/g) ?? []).toHaveLength(mine);
    expect(again.report.recalled?.text ?? "").not.toContain("End of the earlier passages] ");
  });

  test("is valid for a provider whose turns alternate", async () => {
    const blocks = history.map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
    const { messages, report } = await fitHistory(blocks, { ...size, recall: true, format: "anthropic" });
    expect(report.recalled?.text).toContain(FACT);
    expect(validate(messages, "anthropic")).toEqual([]);
  });
});

describe("the laws with recall", () => {
  const things = ["kettle", "saddle", "violin", "lantern", "compass", "anchor", "basket", "mirror"];
  const names = ["Anna", "Boris", "Clara", "David", "Elena", "Frank"];
  const turns = fc.array(
    fc.record({
      thing: fc.constantFrom(...things),
      name: fc.constantFrom(...names),
      asks: fc.boolean(),
      words: fc.integer({ min: 1, max: 8 }),
    }),
    { minLength: 40, maxLength: 60, size: "max" },
  );
  const budgets = fc.constantFrom(900, 1_500, 4_000);
  let recalls = 0;

  test("1, 2, 3 and 6: every prompt fits, is valid, accounts for every message, and continues the one before it unless its report names a change", async () => {
    const property = fc.asyncProperty(turns, budgets, async (sentTurns, budgetTokens) => {
      const session = await (await openPalimpsest({ ...size, budgetTokens })).session();
      let before: readonly string[] = [];
      for (const [index, { thing, name, asks, words }] of sentTurns.entries()) {
        const statement = `The ${thing} of ${name} stands on shelf ${index}. ${"It was put there with care. ".repeat(words)}`;
        const content = asks ? `Where does the ${thing} of ${name} stand?` : statement;
        const { id, report, ...prompt } = await session.prompt({ next: { id: `u${index}`, role: "user", content } });
        const { messages } = prompt.as("anthropic");
        const texts = textsIn(messages);
        expect(report.tokens).toBeLessThanOrEqual(report.limitTokens);
        expect(validate(messages, "anthropic")).toEqual([]);
        await expectNoGap(session, report);
        if (report.changes.length === 0) expect(texts.slice(0, before.length)).toEqual(before);
        if (report.recalled !== undefined) recalls += 1;
        before = texts;
        await session.append({ id: `a${index}`, role: "assistant", content: "Good." }, { promptId: id });
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(10) });
    expect(recalls).toBeGreaterThan(50);
  });

  test("1, 2, 3 and 6 also hold for the prompts of recorded sessions", async (context) => {
    skipWithoutData(context);
    let [prompts, blocks] = [0, 0];
    for (const { items } of everyNth(
      [...readClaudeCode()].filter((log) => log.items.length > 120),
      6,
    )) {
      const palimpsest = await openPalimpsest({ budgetTokens: 8_000, counter: "estimate" });
      const session = await palimpsest.session();
      let before: readonly string[] = [];
      for (const item of firstOf(items, 160) as readonly { readonly role: string }[]) {
        await session.append([item], { format: "anthropic" });
        if (item.role === "assistant") continue;
        const { report, ...prompt } = await session.prompt({ provider: "anthropic", breakpoints: false });
        const { messages } = prompt.as("anthropic");
        const texts = textsIn(messages);
        expect(report.tokens).toBeLessThanOrEqual(report.limitTokens);
        expect(validate(messages, "anthropic")).toEqual([]);
        await expectNoGap(session, report);
        if (report.changes.length === 0) expect(texts.slice(0, before.length)).toEqual(before);
        if (report.recalled !== undefined) blocks += 1;
        prompts += 1;
        before = texts;
      }
      await palimpsest.close();
    }
    expect(prompts).toBeGreaterThan(100);
    expect(blocks).toBeGreaterThan(5);
  });
});
