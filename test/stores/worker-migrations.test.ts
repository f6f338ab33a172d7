/** The Worker's migration files, applied to a new database and to an application's, on SQLite and D1. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { shows } from "../../src/testing/shows.ts";
import { readConfiguration, workerFolder } from "../support/bundle-worker.ts";
import { d1Media, sqliteMedia, type WindowedMedium } from "../support/windowed-media.ts";
import { workerSchema } from "../support/worker-schema.ts";

const all = [sqliteMedia(), await d1Media(6)];
afterAll(async () => {
  for (const media of all) await media.close();
});

const [configured] = readConfiguration().d1_databases;
const folder = join(workerFolder, configured?.migrations_dir ?? "");
const FILES = readdirSync(folder).toSorted();

/**
 * Applies statements one by one like wrangler: a statement ends at the end of a line, and a trigger's statements stay
 * together.
 */
async function apply(medium: WindowedMedium, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8").replaceAll(/^--.*$/gm, "");
    const statements = text.split(/;\n(?:\n|$)/).filter((statement) => statement.trim() !== "");
    for (const statement of statements) await medium.query(statement);
  }
}

const schemaOf = (medium: WindowedMedium) =>
  medium.query("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '%sequence%' ORDER BY name");
const messages = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${first + index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${first + index}.`,
  }));

test("the migration files contain the same schema as the code", async () => {
  await expect(workerSchema()).toMatchFileSnapshot(join(folder, "0003_palimpsest.sql"));
  expect(FILES).toEqual(["0001_messages.sql", "0002_message_type.sql", "0003_palimpsest.sql"]);
});

describe.each(all)("the migration files on $name", ({ newMedium }) => {
  test(shows("S1-17", "add the column and an index to an application's table, and keep every row"), async () => {
    const medium = newMedium();
    await medium.query(`CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, role TEXT NOT NULL,
      content TEXT NOT NULL, sources TEXT, created_at INTEGER DEFAULT (unixepoch()))`);
    for (const { id, role, content } of messages(1, 5)) {
      const row =
        "INSERT INTO messages (id, conversation_id, role, content, created_at) VALUES (?, 'c1', ?, ?, 1700000000)";
      await medium.query(row, id, role, content);
    }
    const before = await medium.query("SELECT * FROM messages ORDER BY id");
    await apply(medium, FILES.slice(0, 2));
    const after = await medium.query("SELECT * FROM messages ORDER BY id");
    expect(after).toEqual(before.map((row) => ({ ...row, message_type: "message" })));
    const [column] = (await medium.query("SELECT * FROM pragma_table_info('messages')")).slice(-1);
    expect(column).toMatchObject({ name: "message_type", type: "TEXT", dflt_value: "'message'" });
    const indexed = await medium.query("SELECT name FROM pragma_index_info('idx_messages_type')");
    expect(indexed.map(({ name }) => name)).toEqual(["conversation_id", "message_type"]);
    await medium.query("UPDATE messages SET message_type = 'summary' WHERE id = 'm1'");
    await expect(medium.query("UPDATE messages SET message_type = 'note'")).rejects.toThrow(/CHECK/);
  });

  test("create the same schema as opening a store", async () => {
    const [applied, made] = [newMedium(), newMedium()];
    await apply(applied, FILES);
    const before = await schemaOf(applied);
    const store = await applied.open();
    expect(await schemaOf(applied)).toEqual(before);
    await (await made.open()).close();
    const namesOf = async (medium: WindowedMedium) => (await schemaOf(medium)).map(({ name }) => name);
    expect(await namesOf(applied)).toEqual(await namesOf(made));
    const steps = "SELECT version, hash FROM migrations UNION ALL SELECT version, hash FROM window_migrations";
    expect(await applied.query(steps)).toEqual(await made.query(steps));
    const palimpsest = await openPalimpsest({ store, policy: "windowed-sql", windowTokens: 200_000 });
    const session = await palimpsest.session("c1");
    await session.append(messages(1, 12));
    await session.prompt({ next: { role: "user", content: "One more." } });
    const types = (await store.readWindow("c1", 12)).map(({ messageType }) => messageType);
    expect(types).toEqual(["summary", ...Array(12).fill("message")]);
    expect((await palimpsest.search("message 12")).length).toBe(1);
    await palimpsest.close();
  });
});
