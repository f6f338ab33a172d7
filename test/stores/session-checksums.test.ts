/** Everything that a list of sessions shows has a checksum: a change outside of Palimpsest is reported. */
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const TITLE = "Café 🚢, spring";

/** Writes sessions with and without titles, texts and forks, and erases the first message of one. */
async function fill(store: string): Promise<void> {
  const palimpsest = await openPalimpsest({ store, counter: "estimate" });
  const session = await palimpsest.session("s 1");
  await session.append([{ id: "m1", role: "user", content: "A café at the harbour.\u0000" }]);
  await palimpsest.rename("s 1", TITLE);
  await session.append([{ id: "m2", role: "assistant", content: "Noted." }]);
  const fork = await session.fork();
  await fork.append([{ role: "user", content: "And another." }]);
  await (await fork.fork(1)).pin({ note: "Ask Ana." });
  await palimpsest.session("empty");
  const erased = await palimpsest.session("erased");
  await erased.append([{ id: "e1", role: "assistant", content: "A secret." }]);
  await erased.delete("e1");
  await palimpsest.close();
}

async function read<Result>(store: string, work: (palimpsest: Palimpsest) => Promise<Result>) {
  const palimpsest = await openPalimpsest({ store, counter: "estimate" });
  const warnings: string[] = [];
  palimpsest.on("warning", ({ text }) => warnings.push(text));
  try {
    return { result: await work(palimpsest), warnings };
  } finally {
    await palimpsest.close();
  }
}

const list = (store: string) => read(store, (palimpsest) => palimpsest.sessions());

function query(path: string, text: string) {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

/** The checksum of a session before titles, previews and times had one. */
const OLD_SUM = "last_seq + 3 * message_count + 5 * epoch + 7 * coalesce(fork_at_seq, 0) + 11 * inherited_messages";
const SUMS = "SELECT id, checksum, title_checksum, preview_checksum FROM sessions ORDER BY id";

describe("a SQLite file", async () => {
  const filled = folder.newPath();
  await fill(`sqlite:${filled}`);
  const copyFilled = () => {
    const path = folder.newPath();
    cpSync(filled, path);
    return path;
  };

  test("gets the checksums of its sessions by a migration", async () => {
    const path = copyFilled();
    const before = query(path, SUMS);
    query(path, `UPDATE sessions SET checksum = ${OLD_SUM}`);
    for (const column of ["title_checksum", "preview_checksum"])
      query(path, `ALTER TABLE sessions DROP COLUMN ${column}`);
    query(path, "DELETE FROM migrations WHERE version > 5");
    const { result, warnings } = await list(`sqlite:${path}`);
    expect([result.length, warnings, query(path, SUMS)]).toEqual([5, [], before]);
  });

  test("with a changed title does not show the title until the session is renamed", async () => {
    const path = copyFilled();
    query(path, "UPDATE sessions SET title = 'Cafd' || substr(title, 5) WHERE title IS NOT NULL");
    const changed = await read(`sqlite:${path}`, (palimpsest) => palimpsest.describe("s 1"));
    expect(changed.result).toMatchObject({ title: undefined, preview: expect.stringContaining("harbour") });
    expect(changed.warnings).toEqual([expect.stringMatching(/^Session "s 1": .* its title .* Rename the session/)]);
    await read(`sqlite:${path}`, (palimpsest) => palimpsest.rename("s 1", "Summer"));
    const renamed = await read(`sqlite:${path}`, (palimpsest) => palimpsest.describe("s 1"));
    expect([renamed.result.title, renamed.warnings]).toEqual(["Summer", []]);
  });

  const changes = [
    ["preview", "UPDATE sessions SET preview = 'B' || substr(preview, 2) WHERE id = 's 1'"],
    ["counts", "UPDATE sessions SET created_at = created_at + 1 WHERE id = 's 1'"],
    ["counts", "UPDATE sessions SET updated_at = updated_at - 4096 WHERE id = 's 1'"],
    ["counts", "UPDATE sessions SET first_role = 'tool' WHERE id = 's 1'"],
    ["counts", "UPDATE sessions SET id = 's 3' WHERE id = 's 1'"],
    ["counts", "UPDATE sessions SET lineage = '[[2,2]]' WHERE lineage = '[[1,2]]'"],
  ] as const;

  test.each(changes)("reports a changed list entry by its %s: %s", async (part, change) => {
    const path = copyFilled();
    query(path, change);
    const { result, warnings } = await list(`sqlite:${path}`);
    expect(warnings).toEqual([expect.stringContaining(`the checksum of its ${part} does not match. The row with`)]);
    if (part === "preview") expect(result.find(({ id }) => id === "s 1")?.preview).toBe("");
  });
});

test("a changed list entry in the index of a JSONL folder is restored from the files", async () => {
  const path = folder.newPath();
  await fill(`jsonl:${path}`);
  const before = await list(`jsonl:${path}`);
  expect(before.warnings).toEqual([]);
  const [index = ""] = globSync("**/index.db", { cwd: path });
  query(join(path, index), "UPDATE sessions SET title = 'Wrong', created_at = 7 WHERE title IS NOT NULL");
  const after = await list(`jsonl:${path}`);
  expect([after.result, after.warnings.length]).toEqual([before.result, 1]);
});

await describePostgres("a PostgreSQL database", (server) => {
  afterAll(() => server.close());
  const sums = (url: string) => server.run(SUMS.replace("FROM", "FROM palimpsest.").replace(". ", "."), url);

  test("gets the checksums of its sessions by a migration, and reports a change", async () => {
    const url = await server.newDatabase();
    await fill(url);
    const before = await sums(url);
    await server.run(`UPDATE palimpsest.sessions SET checksum = ${OLD_SUM}`, url);
    for (const column of ["title_checksum", "preview_checksum"]) {
      await server.run(`ALTER TABLE palimpsest.sessions DROP COLUMN ${column}`, url);
    }
    await server.run("DROP TABLE palimpsest.word_places, palimpsest.word_progress", url);
    await server.run("DELETE FROM palimpsest.migrations WHERE version > 7", url);
    const { result, warnings } = await list(url);
    expect([result.length, warnings, await sums(url)]).toEqual([5, [], before]);
    await server.run("UPDATE palimpsest.sessions SET title = 'Wrong' WHERE title IS NOT NULL", url);
    expect((await list(url)).warnings).toEqual([expect.stringContaining("the checksum of its title")]);
  });
});
