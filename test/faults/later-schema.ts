/**
 * A schema of a later version: a few steps after the newest one. It tests a process that dies between two steps or
 * inside one, and an older version that opens the store afterwards. JSONL has no steps; its indexes are rebuilt
 * instead.
 */
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { loadPg } from "../../src/stores/postgres/load-pg.ts";
import { migratePostgres } from "../../src/stores/postgres/migrate-postgres.ts";
import { PostgresDriver } from "../../src/stores/postgres/postgres-driver.ts";
import { POSTGRES_MIGRATIONS } from "../../src/stores/postgres/postgres-migrations.ts";
import { migrateSqlite } from "../../src/stores/sql/migrate-sqlite.ts";
import type { Migration } from "../../src/stores/sql/migration.ts";
import { loadSqlite } from "../../src/stores/sqlite/load-sqlite.ts";
import { SqliteDriver } from "../../src/stores/sqlite/sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "../../src/stores/sqlite/sqlite-migrations.ts";
import type { WriterLine } from "../stores/writer-task.ts";
import { openPlace, type Place } from "./place.ts";

const LATER_STEPS = 20;
const LOCK_TIMEOUT_MS = 5_000;
const POSTGRES = { connections: 2, retryForMs: 30_000, statementTimeoutMs: 30_000 };

function laterSteps(known: readonly Migration[], schema: string): readonly Migration[] {
  const later = Array.from({ length: LATER_STEPS }, (_, index): Migration => {
    const version = known.length + 1 + index;
    const table = `${schema}later_${version}`;
    return {
      version,
      name: `later ${version}`,
      statements: [
        `CREATE TABLE ${table} AS SELECT * FROM ${schema}entries`,
        `CREATE INDEX later_${version}_seq ON ${table} (seq)`,
        `ALTER TABLE ${table} ADD COLUMN later TEXT`,
        `UPDATE ${table} SET later = 'later'`,
        // Drops the previous table, so that a step has little to write and several ways to fail.
        ...(index === 0 ? [] : [`DROP TABLE ${schema}later_${version - 1}`]),
      ],
    };
  });
  return [...known, ...later];
}

/** Runs the steps one by one, and reports each. */
export async function migrateToLaterSchema(place: Place, tell: (line: WriterLine) => void): Promise<void> {
  if (place.kind === "jsonl") return rebuildIndexes(place, tell);
  const isFile = place.kind === "sqlite";
  const known = isFile ? SQLITE_MIGRATIONS : POSTGRES_MIGRATIONS;
  const steps = laterSteps(known, isFile ? "" : "palimpsest.");
  tell({ type: "ready" });
  for (let version = known.length; version <= steps.length; version += 1) {
    await migrateTo(place, steps.slice(0, version));
    tell({ type: "migrated", version });
  }
}

async function migrateTo({ kind, path }: Place, steps: readonly Migration[]): Promise<void> {
  if (kind === "sqlite") {
    const driver = new SqliteDriver(loadSqlite(), { path, durability: "full", lockTimeoutMs: LOCK_TIMEOUT_MS });
    await migrateSqlite(driver, steps)
      .catch(ignoreNewer)
      .finally(() => driver.close());
  } else {
    const driver = new PostgresDriver(await loadPg(), { url: path, ...POSTGRES });
    await migratePostgres(driver, steps)
      .catch(ignoreNewer)
      .finally(() => driver.close());
  }
}

/** The killed process may have applied more steps. */
function ignoreNewer(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("newer version"))) throw error;
}

/** Removes what the later steps added, so that this version can read the store. */
export async function removeLaterSteps({ kind, path }: Place): Promise<void> {
  if (kind === "jsonl") return;
  if (kind === "sqlite") {
    const database = new (loadSqlite().DatabaseSync)(path);
    database.exec(`DELETE FROM migrations WHERE version > ${SQLITE_MIGRATIONS.length}`);
    database.close();
    return;
  }
  const client = new Client({ connectionString: path });
  await client.connect();
  await client.query(`DELETE FROM palimpsest.migrations WHERE version > ${POSTGRES_MIGRATIONS.length}`);
  await client.end();
}

/** The index next to a JSONL log; the first writer that finds none rebuilds it. */
const INDEXES = "**/index.db*";

async function rebuildIndexes(place: Place, tell: (line: WriterLine) => void): Promise<void> {
  for (const name of globSync(INDEXES, { cwd: place.path })) rmSync(join(place.path, name), { force: true });
  tell({ type: "ready" });
  const store = await openPlace(place);
  const tenant = store.tenant("local");
  for (const { id } of await tenant.listSessions({ limit: 1_000 })) {
    await tenant.readView(id);
    await tenant.renameSession(id, "rebuilt");
  }
  await store.close();
  tell({ type: "migrated", version: 0 });
}
