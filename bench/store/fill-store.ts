/**
 * Fills a file with many sessions quickly: the store's own statements, thousands in a transaction, without syncing;
 * then all texts are indexed. The file has the same content as after single appends.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Row, SqlDriver, Statement } from "../../src/stores/sql/driver.ts";
import { createSqlStore } from "../../src/stores/sql/sql-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { SQLITE_STATEMENTS } from "../../src/stores/sqlite/sqlite-statements.ts";
import { draftMessage } from "./drafts.ts";
import { spokenText } from "./spoken-texts.ts";

export interface FilledSession {
  readonly id: string;
  readonly messages: number;
}

export interface FillOptions {
  readonly path: string;
  readonly sessions: readonly FilledSession[];
  say(text: string): void;
}

const BATCHES_A_TRANSACTION = 500;
const MESSAGES_A_BATCH = 500;
const SAY_EVERY = 100_000;
const TEXTS_AT_ONCE = { texts: 5_000, bytes: 5_000_000 };
const ALL_PAGES = 1_000_000;

export async function fillStore({ path, sessions, say }: FillOptions): Promise<void> {
  // Opening the store creates the schema.
  await (await openSqliteStore(path)).close();
  const driver = new BulkDriver(path);
  const store = createSqlStore({ driver, statements: SQLITE_STATEMENTS });
  const tenant = store.tenant("local");
  let filled = 0;
  for (const { id, messages } of sessions) {
    await tenant.createSession({ id, createdAt: filled }, EMPTY_HEAD);
    for (let from = 0; from < messages; from += MESSAGES_A_BATCH) {
      const length = Math.min(MESSAGES_A_BATCH, messages - from);
      const entries = Array.from({ length }, (_, offset) => {
        const index = filled + offset;
        return draftMessage({ id: `message-${index}`, at: index, ...spokenText(index) });
      });
      await tenant.append(id, { entries });
      filled += length;
      if (filled % SAY_EVERY < length) say(`${filled} messages filled in`);
    }
  }
  let indexed = 0;
  const merge = SQLITE_STATEMENTS.mergeIndex?.(ALL_PAGES) ?? [];
  while ((await driver.batch(SQLITE_STATEMENTS.indexPending(TEXTS_AT_ONCE))) !== undefined) {
    await driver.batch(merge);
    indexed += TEXTS_AT_ONCE.texts;
    if (indexed % SAY_EVERY === 0) say(`${indexed} messages indexed`);
  }
  await store.close();
}

/**
 * One transaction around many batches. A batch whose guard refuses has written nothing, because the guard comes first.
 */
class BulkDriver implements SqlDriver {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #batches = 0;

  constructor(path: string) {
    this.name = `sqlite:${path}`;
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -200000");
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return statements.map((statement) => this.#run(statement));
  }

  async batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> {
    if (!this.#database.isTransaction) this.#database.exec("BEGIN IMMEDIATE");
    const results: (readonly Row[])[] = [];
    for (const statement of statements) {
      const rows = this.#run(statement);
      if (statement.isGuard === true && rows.length === 0) return undefined;
      results.push(rows);
    }
    this.#batches += 1;
    if (this.#batches % BATCHES_A_TRANSACTION === 0) this.#database.exec("COMMIT");
    return results;
  }

  async close(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec("COMMIT");
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#database.close();
  }

  #run({ strings, values }: Statement): readonly Row[] {
    const text = strings.join("?");
    const prepared = this.#prepared.get(text) ?? this.#database.prepare(text);
    this.#prepared.set(text, prepared);
    return prepared.all(...values) as unknown as readonly Row[];
  }
}
