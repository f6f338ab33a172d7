/** The stores whose values F15 changes, and how it reads and writes them. */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openD1Store } from "../../src/stores/d1/open-d1-store.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { D1Server } from "../support/start-d1.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import { type FlipPlace, type FlipSite, fillPlace } from "./flipped-values.ts";

/** Columns of a session that the list shows, or that its forks are read by. */
const SESSION_COLUMNS = [
  ...["title", "preview", "created_at", "updated_at", "id", "first_role", "first_seq"],
  ...["parent_key", "fork_at_seq", "inherited_messages", "inherited_summary_id", "lineage"],
];

/** The columns that are changed, by the kind of value. */
const COLUMNS: readonly (readonly [table: string, column: string, where: string])[] = [
  ...["content", "content", "content", "hash", "id", "at", "type"].map(
    (column) => ["entries", column, "type = 'message'"] as const,
  ),
  ...["content", "content", "id", "at"].map((column) => ["entries", column, "type <> 'message'"] as const),
  ...["content", "id"].map((column) => ["entries", column, "type = 'recall'"] as const),
  ...["head", "head", "kept", "floor_seq", "folded_through_seq", "view_from_seq"].map(
    (column) => ["heads", column, "true"] as const,
  ),
  ...["tokens", "counter_id"].map((column) => ["token_counts", column, "true"] as const),
  ...["message_count", "last_seq", "epoch"].map((column) => ["sessions", column, "true"] as const),
  ...SESSION_COLUMNS.map((column) => ["sessions", column, "true"] as const),
  ...["tokens", "tenant", "session_key", "seq"].map((column) => ["entries", column, "type = 'message'"] as const),
];

/** Reads and writes values of any database. */
export interface ValueAccess {
  /** Returns the keys of the rows and the value of one column. */
  read(table: string, column: string, where: string): Promise<readonly (readonly [key: string, value: unknown])[]>;
  write(table: string, column: string, change: { readonly key: string; readonly value: unknown }): Promise<void>;
}

export async function flipColumn(access: ValueAccess, random: SeededRandom): Promise<string> {
  for (;;) {
    const [table, column, where] = random.pick(COLUMNS);
    const rows = (await access.read(table, column, where)).filter(([, value]) => value !== null);
    if (rows.length === 0) continue;
    const [key, value] = random.pick(rows);
    const flipped = flipValue(value, random);
    if (flipped === undefined) continue;
    try {
      await access.write(table, column, { key, value: flipped.value });
      return `${table}.${column} of ${key}: ${flipped.what}`;
    } catch {
      // The database refuses this value, such as invalid JSON in a JSON column.
    }
  }
}

function flipValue(value: unknown, random: SeededRandom) {
  if (typeof value !== "string") {
    const bit = 2 ** random.integer(20);
    const number = Number(value);
    const other = Math.floor(number / bit) % 2 === 0 ? number + bit : number - bit;
    return { value: other, what: `${number} to ${other}` };
  }
  const at = random.integer(value.length);
  const code = value.charCodeAt(at);
  const other = code ^ (1 << random.integer(7));
  // A database may refuse NUL and invalid text.
  if (value.length === 0 || code > 127 || other === 0 || other > 127) return undefined;
  const around = value.slice(Math.max(0, at - 20), at + 20);
  return {
    value: value.slice(0, at) + String.fromCharCode(other) + value.slice(at + 1),
    what: `${JSON.stringify(value[at])} to ${JSON.stringify(String.fromCharCode(other))} in ${JSON.stringify(around)}`,
  };
}

type RunSql = (text: string, ...values: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;

function accessTables(run: RunSql): ValueAccess {
  const keyOf = (table: string) =>
    table === "token_counts" ? "session_key || '/' || seq || '/' || counter_id" : "CAST(rowid AS TEXT)";
  return {
    async read(table, column, where) {
      const rows = await run(`SELECT ${keyOf(table)} AS k, ${column} AS v FROM ${table} WHERE ${where}`);
      return rows.map(({ k, v }) => [String(k), v]);
    },
    async write(table, column, { key, value }) {
      await run(`UPDATE ${table} SET ${column} = ? WHERE ${keyOf(table)} = ?`, value, key);
    },
  };
}

export function accessSqlite(path: string): ValueAccess & Disposable {
  // A damaged file can contain rows that constraints would refuse.
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const run: RunSql = async (text, ...values) => database.prepare(text).all(...(values as readonly string[]));
  return { ...accessTables(run), [Symbol.dispose]: () => database.close() };
}

export async function sqliteFlips(folder: TemporaryFolder): Promise<FlipSite> {
  const path = folder.newPath();
  const address = `sqlite:${path}`;
  await fillPlace(address);
  return {
    name: "sqlite",
    place: address,
    async flip(random) {
      const copy = folder.newPath();
      cpSync(path, copy);
      using access = accessSqlite(copy);
      const what = await flipColumn(access, random);
      return { place: `sqlite:${copy}`, what, end: async () => remove(copy) };
    },
  };
}

function remove(path: string): void {
  for (const ending of ["", "-wal", "-shm", "-reserve"]) rmSync(path + ending, { recursive: true, force: true });
}

/** Two of three changes are made in a file of the conversation, the third in a value of its index. */
export async function jsonlFlips(folder: TemporaryFolder): Promise<FlipSite> {
  const path = folder.newPath();
  const address = `jsonl:${path}`;
  await fillPlace(address);
  return {
    name: "jsonl",
    place: address,
    async flip(random) {
      const copy = folder.newPath();
      cpSync(path, copy, { recursive: true, preserveTimestamps: true });
      const what = random.integer(3) > 0 ? flipLine(copy, random) : await flipIndex(copy, random);
      return { place: `jsonl:${copy}`, what, end: async () => remove(copy) };
    },
  };
}

function flipLine(folder: string, random: SeededRandom): string {
  const name = random.pick(globSync("**/*.jsonl", { cwd: folder }));
  const file = join(folder, name);
  const content = readFileSync(file);
  const at = random.integer(content.length);
  content[at] = (content[at] ?? 0) ^ (1 << random.integer(8));
  writeFileSync(file, content);
  return `${name} at ${at}: ${JSON.stringify(content.toString("latin1", Math.max(0, at - 20), at + 20))}`;
}

async function flipIndex(folder: string, random: SeededRandom): Promise<string> {
  const [index = ""] = globSync("**/index.db", { cwd: folder });
  using access = accessSqlite(join(folder, index));
  return `index: ${await flipColumn(access, random)}`;
}

export async function postgresFlips(server: PostgresServer): Promise<FlipSite> {
  const original = await server.newDatabase();
  await fillPlace(original);
  return {
    name: "postgres",
    place: original,
    async flip(random) {
      const address = await server.newDatabase({ like: original });
      const what = await flipColumn(accessPostgres(server, address), random);
      const end = async () => {
        await server.run(`DROP DATABASE ${new URL(address).pathname.slice(1)} WITH (FORCE)`);
      };
      return { place: address, what, end };
    },
  };
}

/** Changes values in one database, because a D1 database cannot be copied, and writes all rows back. */
export async function d1Flips(server: D1Server): Promise<FlipSite> {
  const database = server.newDatabase();
  const place: FlipPlace = (onWarning) => openD1Store(database, { onWarning: ({ text }) => onWarning(text) });
  await fillPlace(place);
  const prepare = (text: string, values: readonly unknown[]) => database.prepare(text).bind(...values);
  const run: RunSql = async (text, ...values) => (await prepare(text, values).all()).results as never;
  const statements: ReturnType<typeof prepare>[] = [];
  for (const table of FLIPPED_TABLES) {
    statements.push(prepare(`DELETE FROM ${table}`, []));
    for (const row of await run(`SELECT * FROM ${table}`)) {
      const marks = Object.keys(row).map(() => "?");
      statements.push(prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${marks})`, Object.values(row)));
    }
  }
  const restore = async () => void (await database.batch(statements));
  return {
    name: "d1",
    place,
    flip: async (random) => ({ place, what: await flipColumn(accessTables(run), random), end: restore }),
  };
}

const FLIPPED_TABLES = ["sessions", "heads", "entries", "token_counts"];

const TEXT_COLUMNS = new Set([
  ...["content", "hash", "id", "type", "head", "kept", "counter_id", "tenant"],
  ...["title", "preview", "first_role", "inherited_summary_id", "lineage"],
]);

function accessPostgres(server: PostgresServer, url: string): ValueAccess {
  const keyOf = (table: string) => (table === "entries" ? "entry_key::text" : "ctid::text");
  const quote = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;
  return {
    async read(table, column, where) {
      const value = TEXT_COLUMNS.has(column) ? `${column}::text` : `${column}::double precision`;
      const rows = await server.run(
        `SELECT ${keyOf(table)} AS k, ${value} AS v FROM palimpsest.${table} WHERE ${where}`,
        url,
      );
      return rows.map(({ k, v }) => [String(k), v]);
    },
    async write(table, column, { key, value }) {
      const text = `UPDATE palimpsest.${table} SET ${column} = ${quote(value)} WHERE ${keyOf(table)} = ${quote(key)}`;
      await server.run(text, url);
    },
  };
}
