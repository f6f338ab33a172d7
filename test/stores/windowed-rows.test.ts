/**
 * The table of a windowed chat on SQLite and D1, played through the engine with the policy whose document describes it.
 * Messages are numbered.
 */
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import type { Summarizer } from "../../src/ports/summarizer.ts";
import type { WindowedStore } from "../../src/stores/windowed/windowed-store.ts";
import { adoptRows } from "../../src/stores/windowed/windowed-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { shows } from "../../src/testing/shows.ts";
import { d1Media, sqliteMedia, type WindowedMedium } from "../support/windowed-media.ts";

const MAX = 12;
const START_MS = 1_750_000_000_500;
const all = [sqliteMedia(), await d1Media(20)];
afterAll(async () => {
  for (const media of all) await media.close();
});

/** Creates a summarizer that labels summaries with letters: a number without a source would be removed. */
function recapper(): Summarizer & { isDown: boolean; onCall: () => Promise<void> } {
  let calls = 0;
  const origin = { strategy: "keypoints", calls: 1, request: "transcript", chunks: 1 } as const;
  return {
    name: "recapper",
    isDown: false,
    onCall: async () => undefined,
    estimateCost: () => 0,
    async summarize() {
      await this.onCall();
      const how = { ...origin, cuts: [], noiseIds: [], trimmedIds: [] };
      if (this.isDown) return { type: "failed", kind: "refused", reason: "no", origin: how };
      calls += 1;
      return { type: "summary", text: `Recap ${String.fromCharCode(96 + calls)}.`, origin: how };
    },
  };
}

interface Chat {
  readonly store: WindowedStore;
  readonly palimpsest: Palimpsest;
  readonly session: Session;
  readonly summarizer: ReturnType<typeof recapper>;
  readonly medium: WindowedMedium;
}

async function openChat(
  medium: WindowedMedium,
  { policy = "windowed-sql", environment = {} }: { policy?: PolicyInput; environment?: Record<string, string> } = {},
): Promise<Chat> {
  const store = await medium.open();
  const summarizer = recapper();
  const clock = scriptedClock({ startMs: START_MS, stepMs: 2_000 });
  const shared = { store, summarizer, clock, policy, environment };
  const palimpsest = await openPalimpsest({ windowTokens: 200_000, ...shared });
  return { store, palimpsest, session: await palimpsest.session("c1"), summarizer, medium };
}

const numbered = (number: number) => ({
  id: `m${number}`,
  role: number % 2 === 1 ? "user" : "assistant",
  content: `message ${number}.`,
});
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const fill = (session: Session, first: number, last: number) => session.append(range(first, last).map(numbered));
const idsOf = (rows: readonly { readonly id?: unknown }[]) => rows.map(({ id }) => id);
const namesOf = (first: number, last: number) => range(first, last).map((number) => `m${number}`);
const rowsOf = (medium: WindowedMedium, type = "message", conversation = "c1") =>
  medium.query(
    "SELECT * FROM messages WHERE conversation_id = ? AND message_type = ? ORDER BY rowid",
    conversation,
    type,
  );

describe.each(all)("the table of a windowed chat on $name", ({ newMedium }) => {
  test(shows(["S1-16", "S1-18"], "has the document's columns, a message type and an index on that type"), async () => {
    const medium = newMedium();
    await medium.open();
    const columns = await medium.query("SELECT name, type, dflt_value FROM pragma_table_info('messages')");
    const names = ["id", "conversation_id", "role", "content", "sources", "created_at", "message_type"];
    expect(columns.map(({ name }) => name)).toEqual(names);
    expect(columns.at(-1)).toEqual({ name: "message_type", type: "TEXT", dflt_value: "'message'" });
    const indexed = await medium.query("SELECT name FROM pragma_index_info('idx_messages_type')");
    expect(indexed.map(({ name }) => name)).toEqual(["conversation_id", "message_type"]);
    await medium.query("INSERT INTO messages (id, conversation_id, role, content) VALUES ('x', 'c', 'user', 'Hi.')");
    expect(await rowsOf(medium, "message", "c")).toMatchObject([{ id: "x", message_type: "message" }]);
    await expect(medium.query("UPDATE messages SET message_type = 'note'")).rejects.toThrow(/CHECK/);
  });

  test(shows("S1-19", "has a row with all of the document's columns for each message"), async () => {
    const medium = newMedium();
    const { session } = await openChat(medium);
    const source = { type: "source", sourceType: "url", id: "s1", url: "https://example.com/ports", title: "Ports" };
    const appendMessage = (id: string, role: string, parts: readonly unknown[]) =>
      session.append([{ id, role, parts }], { format: "palimpsest" });
    await appendMessage("q", "user", [{ type: "text", text: "Which port?" }]);
    await appendMessage("a", "assistant", [{ type: "text", text: "Use 8080." }, source]);
    const [asked = 0, answered = 0] = (await session.entries()).map(({ at }) => Math.floor(at / 1_000));
    const both = { conversation_id: "c1", message_type: "message" };
    const [question, answer] = await rowsOf(medium);
    const fields = { id: "q", role: "user", content: "Which port?", sources: null, created_at: asked };
    expect(question).toEqual({ ...both, ...fields });
    const sources = expect.any(String);
    const answerFields = { id: "a", role: "assistant", content: "Use 8080.", sources, created_at: answered };
    expect(answer).toEqual({ ...both, ...answerFields });
    expect(JSON.parse(String(answer?.sources))).toMatchObject([{ url: source.url, title: source.title }]);
    // Whole seconds since 1970.
    expect(asked).toBeGreaterThan(START_MS / 1_000 - 1);
    expect(answered).toBeLessThan(START_MS / 1_000 + 100);
  });

  test("keeps every row of an application's existing table, and adds the type column", async () => {
    const medium = newMedium();
    await medium.query(`CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, role TEXT NOT NULL,
      content TEXT NOT NULL, sources TEXT, created_at INTEGER DEFAULT (unixepoch()))`);
    for (const number of range(1, 14)) {
      const { id, role, content } = numbered(number);
      await medium.query(
        "INSERT INTO messages (id, conversation_id, role, content, sources, created_at) VALUES (?, 'c1', ?, ?, '[7]', ?)",
        ...[id, role, content, 1_700_000_000 + number],
      );
    }
    const { store, session } = await openChat(medium);
    expect((await rowsOf(medium)).length).toBe(14);
    expect(await adoptRows(session, store)).toBe(14);
    expect(await adoptRows(session, store)).toBe(0);
    const prompt = await session.prompt({ next: numbered(15) });
    expect(prompt.report.summary?.text).toContain("Recap a.");
    const rows = await rowsOf(medium);
    expect(idsOf(rows)).toEqual(namesOf(4, 15));
    // The application's rows stay unchanged.
    expect(rows[0]).toMatchObject({ id: "m4", sources: "[7]", created_at: 1_700_000_004, message_type: "message" });
    expect(idsOf(await rowsOf(medium, "summary"))).toHaveLength(1);
    await store.close();
    expect((await (await medium.open()).readWindow("c1", MAX)).length).toBe(13);
  });

  test(
    shows(["S1-29", "S1-30", "S1-40", "S1-41"], "gets one summary row at a fold, and loses the covered rows"),
    async () => {
      const medium = newMedium();
      const { session } = await openChat(medium);
      await fill(session, 1, MAX);
      expect(idsOf(await rowsOf(medium))).toEqual(namesOf(1, MAX));
      await session.prompt({ next: numbered(13) });
      const [summary, ...others] = await rowsOf(medium, "summary");
      expect(others).toEqual([]);
      expect(summary).toMatchObject({ conversation_id: "c1", role: "system", sources: null, message_type: "summary" });
      expect(summary?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(summary?.content).toContain("Recap a.");
      expect(Math.abs(Number(summary?.created_at) - START_MS / 1_000)).toBeLessThan(100);
      expect(idsOf(await rowsOf(medium))).toEqual(namesOf(2, 13));
      expect(await rowsOf(medium)).toMatchObject(range(2, 13).map((number) => ({ content: `message ${number}.` })));
    },
  );

  test(
    shows(
      ["S1-30", "S1-41"],
      "loses more rows at one fold than a statement may have values, and none of another session",
    ),
    async () => {
      const medium = newMedium();
      const { session, palimpsest } = await openChat(medium);
      const other = await palimpsest.session("c2");
      await other.append([{ id: "other", role: "user", content: "Elsewhere." }]);
      await fill(session, 1, 250);
      await session.prompt({ next: numbered(251) });
      expect(idsOf(await rowsOf(medium))).toEqual(namesOf(240, 251));
      expect(idsOf(await rowsOf(medium, "message", "c2"))).toEqual(["other"]);
      expect(await rowsOf(medium, "summary", "c2")).toEqual([]);
    },
  );

  test(
    shows("S1-54", "has one summary row, which comes first in the window and is replaced by the next fold"),
    async () => {
      const medium = newMedium();
      const { store, session } = await openChat(medium);
      await fill(session, 1, MAX);
      await session.prompt({ next: numbered(13) });
      const [first] = await rowsOf(medium, "summary");
      await session.append([numbered(14)]);
      await session.prompt({ next: numbered(15) });
      const summaries = await rowsOf(medium, "summary");
      expect(summaries).toHaveLength(1);
      expect(summaries[0]?.id).not.toBe(first?.id);
      expect(summaries[0]?.content).toContain("Recap b.");
      const window = await store.readWindow("c1", MAX);
      expect(window.map(({ messageType }) => messageType)).toEqual(["summary", ...range(4, 15).map(() => "message")]);
      expect(idsOf(window).slice(1)).toEqual(namesOf(4, 15));
      // The summary is newer than most messages, so their times alone would not put it first.
      expect(window[0]?.createdAt).toBeGreaterThan(window[5]?.createdAt ?? Number.POSITIVE_INFINITY);
    },
  );

  test(shows("S1-51", "keeps every row if the transaction of a summary fails, and the chat continues"), async () => {
    const medium = newMedium();
    const { session } = await openChat(medium);
    await fill(session, 1, MAX);
    await medium.query(`CREATE TRIGGER refuse AFTER DELETE ON messages
      BEGIN SELECT RAISE(ABORT, 'the disk went away'); END`);
    const prompt = await session.prompt({ next: numbered(13) });
    expect(prompt.messages).toHaveLength(13);
    expect(prompt.report.plan.held).toBe("the store did not accept it");
    expect(idsOf(await rowsOf(medium))).toEqual(namesOf(1, 13));
    expect(await rowsOf(medium, "summary")).toEqual([]);
    expect(await session.history()).toHaveLength(13);
    await medium.query("DROP TRIGGER refuse");
    await session.prompt();
    expect(idsOf(await rowsOf(medium))).toEqual(namesOf(2, 13));
    expect(await rowsOf(medium, "summary")).toHaveLength(1);
  });

  test("keeps every row if the summarizer is down", async () => {
    const medium = newMedium();
    const { session, summarizer } = await openChat(medium);
    await fill(session, 1, MAX);
    summarizer.isDown = true;
    await session.prompt({ next: numbered(13) });
    expect(idsOf(await rowsOf(medium))).toEqual(namesOf(1, 13));
    expect(await rowsOf(medium, "summary")).toEqual([]);
  });

  test(shows("C-30", "returns five more rows than requested when its window is read"), async () => {
    const medium = newMedium();
    const { store, session } = await openChat(medium, { environment: { ENABLE_CHAT_SUMMARIZATION: "false" } });
    await fill(session, 1, 30);
    expect(idsOf(await store.readWindow("c1", MAX))).toEqual(namesOf(14, 30));
    expect(idsOf(await store.readWindow("c1", 4))).toEqual(namesOf(22, 30));
  });

  test(shows("C-30", "belongs to a session that is leased for 30 seconds while its summary is written"), async () => {
    const medium = newMedium();
    const { session, summarizer } = await openChat(medium);
    const locks: unknown[] = [];
    summarizer.onCall = async () => {
      locks.push(
        ...(await medium.query("SELECT round(lease_until - lease_from) AS held FROM sessions WHERE lease_token > ''")),
      );
    };
    await fill(session, 1, MAX);
    await session.prompt({ next: numbered(13) });
    expect(locks).toEqual([{ held: 30_000 }]);
    expect(await medium.query("SELECT count(*) AS held FROM sessions WHERE lease_token > ''")).toEqual([{ held: 0 }]);
  });
});
