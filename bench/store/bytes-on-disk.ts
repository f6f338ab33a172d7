/**
 * Measures the bytes of a contestant on disk. A write-ahead log is checkpointed first, so that nothing is counted
 * twice.
 */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { Client } from "pg";
import type { Medium } from "./contestant.ts";

/** Returns undefined if nothing is stored on disk. */
export async function bytesOnDisk(medium: Medium, place: string): Promise<number | undefined> {
  switch (medium) {
    case "sqlite":
      return sqliteBytes(place);
    case "postgres":
      return postgresBytes(place);
    case "memory":
      return undefined;
    default:
      return medium satisfies never;
  }
}

/**
 * Runs in its own process: two SQLite libraries on one file in one process drop each other's locks, and some
 * contestants include their own.
 */
function sqliteBytes(path: string): number {
  execFileSync(process.execPath, [...QUIETLY, "--input-type=module", "--eval", CHECKPOINT, path], { stdio: "pipe" });
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

const QUIETLY = ["--disable-warning=ExperimentalWarning"];
const CHECKPOINT = `import { DatabaseSync } from "node:sqlite";
const database = new DatabaseSync(process.argv[1]);
database.exec("PRAGMA busy_timeout = 10000; PRAGMA wal_checkpoint(TRUNCATE)");
database.close();`;

async function postgresBytes(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("CHECKPOINT");
    const { rows } = await client.query("SELECT pg_database_size(current_database())::float8 AS bytes");
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}
