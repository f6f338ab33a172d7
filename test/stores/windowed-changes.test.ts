/**
 * After any change of the log, the table of a windowed chat has a row for each visible message and one for the summary.
 * Tested on SQLite, where thousands of histories are cheap; D1 uses the same statements.
 */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import type { WindowedStore } from "../../src/stores/windowed/windowed-store.ts";
import { encodingTexts } from "../../src/testing/hostile-texts.ts";
import { shows } from "../../src/testing/shows.ts";
import {
  append,
  appendChange,
  batchOf,
  clear,
  draftOf,
  fork,
  headOf,
  pin,
  SESSION,
  say,
  summarize,
  viewOf,
} from "../../src/testing/store-contract/contract-log.ts";
import { playSteps, steps } from "../../src/testing/store-contract/play-steps.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const profile = "windowed-sql";
const EVERY_ROW = 1_000_000;
/** Stored in chunks, separately from its entry. */
const LONG_TEXT = "so long that it is cut ".repeat(4_000);

interface OpenedStore {
  readonly path: string;
  readonly store: WindowedStore;
  readonly tenant: TenantStore;
}

async function open(path = files.newPath()): Promise<OpenedStore> {
  const store = await openSqliteStore(path, { profile, durability: "normal" });
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return { path, store, tenant };
}

/** Returns the rows of the table without their ids, because a fork's rows have new ids. */
async function rowsOf(store: WindowedStore, id = SESSION): Promise<readonly string[]> {
  const rows = await store.readWindow(id, EVERY_ROW);
  return rows.map(({ role, content, messageType }) => `${messageType} ${role}: ${content}`);
}

/** The expected rows, from the view that the engine reads. */
async function shownOf(tenant: TenantStore, id = SESSION): Promise<readonly string[]> {
  const { kept, messages } = await viewOf(tenant, id);
  const { summary } = await headOf(tenant, id);
  const history = [...kept, ...messages].filter(({ message }) => message.parts.length > 0);
  return [
    ...(summary === undefined ? [] : [`summary system: ${summary.text}`]),
    ...history.map(({ message }) => `message ${message.role}: ${messageText(message)}`),
  ];
}

describe("rows of a windowed table", () => {
  test("equal the view after any change of the log", async () => {
    await fc.assert(
      fc.asyncProperty(steps(), async (planned) => {
        const { store, tenant } = await open(":memory:");
        await playSteps(tenant, planned);
        for (const { id } of await tenant.listSessions({ limit: 50 })) {
          // A clear for one generation does not change the table.
          const { clearedOnce } = await headOf(tenant, id);
          if (clearedOnce === undefined) expect(await rowsOf(store, id)).toEqual(await shownOf(tenant, id));
        }
        await store.close();
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test("return to their places when a summary is undone", async () => {
    const { store, tenant } = await open();
    await append(tenant, say("One."), say("Two."), say("Three."));
    await appendChange(tenant, summarize("Folded.", 2));
    expect(await rowsOf(store)).toEqual(["summary system: Folded.", "message user: Three."]);
    const undoes = (await headOf(tenant)).undoable.at(-1)?.entryId ?? "";
    await appendChange(tenant, { type: "undo", undoes, holdThroughCount: 0 });
    expect(await rowsOf(store)).toEqual(["message user: One.", "message user: Two.", "message user: Three."]);
  });

  test(shows("S1-30", "that a summary does not cover stay unchanged"), async () => {
    const { store, tenant } = await open();
    await append(tenant, say("One."), say("Two."));
    await appendChange(tenant, summarize("Of what came before.", 0));
    const rows = ["summary system: Of what came before.", "message user: One.", "message user: Two."];
    expect(await rowsOf(store)).toEqual(rows);
  });

  test("are copied for a fork, which then has its own rows", async () => {
    const { store, tenant } = await open();
    await append(tenant, say("One."), say("Two."), say("Three."));
    await fork(tenant, { id: "f", atSeq: 2 });
    expect(await rowsOf(store, "f")).toEqual(["message user: One.", "message user: Two."]);
    await tenant.append("f", { entries: [say("Apart.")] });
    await appendChange(tenant, summarize("Folded.", 3));
    expect(await rowsOf(store)).toEqual(["summary system: Folded."]);
    expect(await rowsOf(store, "f")).toEqual(["message user: One.", "message user: Two.", "message user: Apart."]);
    await tenant.deleteSession("f");
    expect(await rowsOf(store, "f")).toEqual([]);
    expect(await rowsOf(store)).toHaveLength(1);
  });

  test("of deleted and cleared messages are removed, in forks too", async () => {
    const { store, tenant } = await open();
    const first = say("One.");
    await append(tenant, first, say("Two."), say("Three."));
    await fork(tenant, { id: "f", atSeq: 3 });
    const batch = batchOf(await headOf(tenant), {
      type: "delete",
      messageIds: [first.id],
      seqs: [1],
      dropsSummary: false,
    });
    await tenant.append(SESSION, { ...batch, erase: [first.id] });
    for (const id of [SESSION, "f"])
      expect(await rowsOf(store, id)).toEqual(["message user: Two.", "message user: Three."]);
    await appendChange(tenant, pin(2));
    await appendChange(tenant, clear(2, "for-good"));
    expect(await rowsOf(store)).toEqual(["message user: Three."]);
  });

  test("get new ids if another conversation uses a message's id", async () => {
    const { store, tenant } = await open();
    const draft = say("Here.");
    await append(tenant, draft);
    await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
    await tenant.append("other", { entries: [{ ...draftOf(draft.message), hash: draft.hash }] });
    const [here] = await store.readWindow(SESSION, 1);
    const [there] = await store.readWindow("other", 1);
    expect(here?.id).toBe(draft.id);
    expect(there).toMatchObject({ content: "Here.", conversationId: "other" });
    expect(there?.id).not.toBe(draft.id);
    await appendChange(tenant, summarize("Folded.", 1), "other");
    expect(await rowsOf(store, "other")).toEqual(["summary system: Folded."]);
    expect(await rowsOf(store)).toEqual(["message user: Here."]);
  });

  test("keep the application's changes of other columns", async () => {
    const { path, store, tenant } = await open();
    await append(tenant, say("One."), say("Two."), say("Three."));
    files.openDatabase(path).exec("UPDATE messages SET sources = '[7]'");
    await appendChange(tenant, pin(1));
    await appendChange(tenant, summarize("Folded.", 2));
    const rows = await store.readWindow(SESSION, EVERY_ROW);
    expect(rows.map(({ content, sources }) => [content, sources])).toEqual([
      ["Folded.", undefined],
      ["One.", "[7]"],
      ["Three.", "[7]"],
    ]);
  });

  test("with a changed text are left unchanged and reported once, and the log's text is used", async () => {
    const warnings: string[] = [];
    const path = files.newPath();
    const onWarning = ({ text }: { readonly text: string }) => warnings.push(text);
    const store = await openSqliteStore(path, { profile, durability: "normal", onWarning });
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    const table = files.openDatabase(path);
    table.exec(
      `INSERT INTO messages (id, conversation_id, role, content) VALUES ('early', '${SESSION}', 'user', 'Loose.')`,
    );
    const long = say(LONG_TEXT);
    await append(tenant, say("One."), long, { ...say("Not loose."), id: "early" }, say("Four."));
    await appendChange(tenant, summarize("Folded.", 1));
    table.exec("UPDATE messages SET content = content || ' Changed.' WHERE content NOT LIKE 'Four%'");
    for (let reading = 0; reading < 2; reading += 1) {
      const rows = await store.readWindow(SESSION, EVERY_ROW);
      expect(rows.map(({ content }) => content)).toEqual(["Folded.", LONG_TEXT, "Not loose.", "Four."]);
    }
    expect(
      warnings.map(
        (text) => /The row "(.*?)" of.*it was changed outside of Palimpsest. The log's text is used/.exec(text)?.[1],
      ),
    ).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), long.id, "early"]);
    const left = table.prepare("SELECT content FROM messages WHERE id = 'early'").get();
    expect(left).toEqual({ content: "Loose. Changed." });
    const shown = (await tenant.readView(SESSION))?.entries ?? [];
    expect(JSON.stringify(shown)).not.toContain("Changed.");
    await store.close();
  });

  test("contain the whole text of long messages", async () => {
    const { store, tenant } = await open();
    // Three bytes a character, so that chunks end inside one.
    const text = `${"文件".repeat(200_000)}.`;
    await append(tenant, say(text));
    expect((await store.readWindow(SESSION, 1))[0]?.content === text).toBe(true);
  });

  test("contain cited sources", async () => {
    const { store, tenant } = await open();
    const source = { type: "source", id: "1", url: "https://example.com/a", title: "A" } as const;
    const draft = say("As A says.");
    await append(tenant, draftOf({ ...draft.message, parts: [...draft.message.parts, source] }));
    const [row] = await store.readWindow(SESSION, 1);
    expect(JSON.parse(row?.sources ?? "")).toEqual([source]);
    expect(row?.content).toBe("As A says.");
  });

  test.each(encodingTexts())("rows are written for any text: $name", async ({ build }) => {
    const { store, tenant } = await open();
    await append(tenant, say(build()));
    const [row] = await store.readWindow(SESSION, 1);
    // A lone surrogate cannot be stored in the table; the log has it.
    expect(row?.content.replaceAll("\ufffd", "")).toBe(build().replaceAll(/\p{Cs}|\ufffd/gu, ""));
    await store.close();
  });

  test("exist only for sessions of the tenant `local`", async () => {
    const { store } = await open();
    const other = store.tenant("other");
    await other.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(other, say("Elsewhere."));
    expect(await rowsOf(store)).toEqual([]);
    await other.deleteSession(SESSION);
    expect(await store.tenant("local").findSession(SESSION)).toBeDefined();
  });
});

describe("a database with a windowed table", () => {
  test("gets rows for the views of its existing sessions", async () => {
    const path = files.newPath();
    const before = await openSqliteStore(path, { durability: "normal" });
    const tenant = before.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, say("One."), say("Two."), say("Three."));
    await appendChange(tenant, summarize("Folded.", 2));
    await before.close();
    const { store } = await open(path);
    expect(await rowsOf(store)).toEqual(["summary system: Folded.", "message user: Three."]);
  });

  test("keeps its rows up to date when it is opened without the profile", async () => {
    const { path, store } = await open();
    await store.close();
    const plain = await openSqliteStore(path, { durability: "normal" });
    await append(plain.tenant("local"), say("Plainly."));
    await plain.close();
    expect(await rowsOf((await open(path)).store)).toEqual(["message user: Plainly."]);
  });

  const tables: readonly (readonly [string, string, RegExp])[] = [
    [
      "lacks columns",
      "CREATE TABLE messages (id TEXT, body TEXT)",
      /lacks conversation_id, role, content, sources, created_at/,
    ],
    [
      "requires another column",
      `CREATE TABLE messages (id TEXT, conversation_id TEXT, role TEXT, content TEXT, sources TEXT, created_at INTEGER,
        owner TEXT NOT NULL)`,
      /requires owner/,
    ],
    [
      "has numeric ids",
      `CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation_id TEXT, role TEXT, content TEXT, sources TEXT,
        created_at INTEGER)`,
      /has numeric ids/,
    ],
    [
      "stores times as text",
      `CREATE TABLE messages (id TEXT, conversation_id TEXT, role TEXT, content TEXT, sources TEXT,
        created_at TEXT DEFAULT CURRENT_TIMESTAMP)`,
      /stores times as text/,
    ],
    ["has the name of one of our tables", "CREATE TABLE sessions (token TEXT)", /these names: sessions/],
    ["has the name of our migrations table", "CREATE TABLE migrations (id INTEGER)", /these names: migrations/],
  ];

  test.each(tables)(
    "a database is refused and left unchanged if a table of the application %s",
    async (_, create, reason) => {
      const path = files.newPath();
      const database = files.openDatabase(path);
      database.exec(create);
      const tableNames = () => database.prepare("SELECT sql FROM sqlite_schema WHERE sql = ?").all(create).length;
      await expect(openSqliteStore(path, { profile })).rejects.toMatchObject({
        code: "config-invalid",
        message: expect.stringMatching(reason),
      });
      expect(tableNames()).toBe(1);
    },
  );

  test("is refused if its rows have a newer version", async () => {
    const { path, store } = await open();
    await store.close();
    files.openDatabase(path).exec("INSERT INTO window_migrations VALUES (3, 'later', 'x')");
    await expect(openSqliteStore(path, { profile })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringContaining("newer version"),
    });
  });

  test("cannot be opened with an unknown profile", async () => {
    const unknown: { readonly profile: "windowed-sql" } = JSON.parse('{"profile":"windowed"}');
    await expect(openSqliteStore(files.newPath(), unknown)).rejects.toThrow(
      /profile: expected one of windowed-sql, found "windowed"/,
    );
  });
});
