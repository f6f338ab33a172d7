/**
 * F15: one bit of one stored value is changed, in a message, a summary, a head or a count. Afterwards prompts,
 * messages, list and export are unchanged, or an error, a warning or `doctor` reports it: no change is silent.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { examineStore } from "../../src/cli/doctor/examine-store.ts";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import type { FaultOptions, Tally } from "./fault.ts";

/** A store with a session, which is copied for each change. */
export interface FlipSite {
  readonly name: string;
  readonly address: string;
  /** Changes one bit of a copy, and returns its address, what was changed, and how to remove the copy. */
  flip(random: SeededRandom): Promise<FlippedCopy>;
}

interface FlippedCopy {
  readonly address: string;
  readonly what: string;
  end(): Promise<void>;
}

const SESSION = "s";
const OPTIONS = { windowTokens: 8_192, budgetTokens: 1_500 };

/** Writes messages, a summary, requests, a pin, a fork, and counts by a second counter. */
export async function fillPlace(address: string): Promise<void> {
  const first = await openPalimpsest({ store: address, counter: "estimate", ...OPTIONS });
  const session = await first.session(SESSION);
  await session.append(talk(20, "a"));
  await session.prompt({});
  await session.pin({ note: "Ana decides about the budget." });
  await session.append(talk(8, "b"));
  await session.prompt({});
  const fork = await session.fork();
  await fork.append(talk(2, "c"));
  await first.close();
  const second = await openPalimpsest({ store: address, counter: "cl100k", ...OPTIONS });
  await (await second.session(SESSION)).prompt({ preview: true });
  await second.close();
}

function talk(count: number, word: string) {
  return Array.from({ length: count }, (_, index) => ({
    id: `${word}${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${word} ${index} ${"and words of all kinds ".repeat(10)}`,
  }));
}

interface Observation {
  /** Prompts and exports, which must be the same byte for byte. */
  readonly shown: string;
  readonly complaints: readonly string[];
}

/** Reads everything that a user can read, and all reports of damage. */
export async function observe(address: string): Promise<Observation> {
  const complaints: string[] = [];
  const shown: string[] = [];
  const note = (error: unknown) => {
    // Any other error is a bug.
    if (!(error instanceof PalimpsestError)) throw error;
    complaints.push(error.message);
  };
  const palimpsest = await openPalimpsest({ store: address, counter: "cl100k", ...OPTIONS });
  palimpsest.on("warning", ({ text }) => complaints.push(text));
  try {
    const sessions = await palimpsest.sessions();
    shown.push(JSON.stringify(sessions.map(({ id, messageCount }) => [id, messageCount])));
    for (const { id } of sessions) {
      const session = await palimpsest.load(id);
      const prompt = await session.prompt({ preview: true }).catch(note);
      shown.push(JSON.stringify(prompt?.messages ?? null));
      for (const messageId of ["a1", "a18", "b3"]) {
        shown.push(JSON.stringify((await session.message(messageId).catch(note)) ?? null));
      }
      for await (const line of palimpsest.exportSession(id, { secrets: "keep" })) shown.push(line);
    }
  } catch (error) {
    note(error);
  }
  await palimpsest.close();
  complaints.push(...(await readDoctor(address)));
  return { shown: shown.join("\n"), complaints };
}

async function readDoctor(address: string): Promise<readonly string[]> {
  const findings = await examineStore(address, {
    tenantId: "local",
    sessionId: undefined,
    newest: 10,
    repair: false,
  });
  return findings.filter(({ state }) => state !== "good").map(({ text }) => text);
}

/** Changes one bit at a time in copies of a site that `fillPlace` has filled. */
export async function flipValues(site: FlipSite, options: FaultOptions): Promise<Tally> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const before = await observe(site.address);
  const violations: string[] = before.complaints.map((text) => `Before any change: ${text}`);
  const counts = { noticed: 0, harmless: 0, silent: 0 };
  let rounds = 0;
  while (rounds < options.rounds && (rounds === 0 || performance.now() < until)) {
    const flipped = await site.flip(random);
    const after = await observe(flipped.address);
    await flipped.end();
    rounds += 1;
    const isSame = after.shown === before.shown;
    if (after.complaints.length > 0) counts.noticed += 1;
    else if (isSame) counts.harmless += 1;
    else {
      counts.silent += 1;
      violations.push(`silent: ${flipped.what}`);
    }
    if (rounds % 20 === 0) options.onProgress(`${site.name}: ${rounds} of ${options.rounds} changed`);
  }
  const remarks = `${counts.noticed} noticed, ${counts.harmless} harmless, ${counts.silent} silent`;
  return { name: site.name, rounds, acknowledged: before.shown.length, lost: 0, duplicated: 0, violations, remarks };
}

/** The columns that are changed, by the kind of value. */
const COLUMNS: readonly (readonly [table: string, column: string, where: string])[] = [
  ...["content", "content", "content", "hash", "id", "at", "type"].map(
    (column) => ["entries", column, "type = 'message'"] as const,
  ),
  ...["content", "content", "id", "at"].map((column) => ["entries", column, "type <> 'message'"] as const),
  ...["head", "head", "kept", "floor_seq", "folded_through_seq", "view_from_seq"].map(
    (column) => ["heads", column, "true"] as const,
  ),
  ...["tokens", "counter_id"].map((column) => ["token_counts", column, "true"] as const),
  ...["message_count", "last_seq", "epoch"].map((column) => ["sessions", column, "true"] as const),
  ["entries", "tokens", "type = 'message'"],
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

export function accessSqlite(path: string): ValueAccess & Disposable {
  const database = new DatabaseSync(path);
  const keyOf = (table: string) =>
    table === "token_counts" ? "session_key || '/' || seq || '/' || counter_id" : "CAST(rowid AS TEXT)";
  return {
    async read(table, column, where) {
      const rows = database.prepare(`SELECT ${keyOf(table)} AS k, ${column} AS v FROM ${table} WHERE ${where}`).all();
      return rows.map(({ k, v }) => [String(k), v]);
    },
    async write(table, column, { key, value }) {
      const text = `UPDATE ${table} SET ${column} = ? WHERE ${keyOf(table)} = ?`;
      database.prepare(text).run(value as string, key);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

export async function sqliteFlips(folder: TemporaryFolder): Promise<FlipSite> {
  const path = folder.newPath();
  const address = `sqlite:${path}`;
  await fillPlace(address);
  return {
    name: "sqlite",
    address,
    async flip(random) {
      const copy = folder.newPath();
      cpSync(path, copy);
      using access = accessSqlite(copy);
      const what = await flipColumn(access, random);
      return { address: `sqlite:${copy}`, what, end: async () => remove(copy) };
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
    address,
    async flip(random) {
      const copy = folder.newPath();
      cpSync(path, copy, { recursive: true, preserveTimestamps: true });
      const what = random.integer(3) > 0 ? flipLine(copy, random) : await flipIndex(copy, random);
      return { address: `jsonl:${copy}`, what, end: async () => remove(copy) };
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
    address: original,
    async flip(random) {
      const address = await server.newDatabase({ like: original });
      const what = await flipColumn(accessPostgres(server, address), random);
      const end = async () => {
        await server.run(`DROP DATABASE ${new URL(address).pathname.slice(1)} WITH (FORCE)`);
      };
      return { address, what, end };
    },
  };
}

function accessPostgres(server: PostgresServer, url: string): ValueAccess {
  const keyOf = (table: string) => (table === "entries" ? "entry_key::text" : "ctid::text");
  const quote = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;
  return {
    async read(table, column, where) {
      const isText = ["content", "hash", "id", "type", "head", "kept", "counter_id"].includes(column);
      const value = isText ? `${column}::text` : `${column}::double precision`;
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
