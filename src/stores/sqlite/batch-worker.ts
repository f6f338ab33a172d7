/** Worker thread that writes batches on a connection of its own. A batch that waits for a lock blocks only this thread. */
import { parentPort, workerData } from "node:worker_threads";
import type { BatchAnswer, BatchRequest, BatchWorkerData } from "./batch-thread.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { type OpenedDatabase, openDatabase } from "./open-database.ts";
import { PreparedStatement } from "./prepared-statement.ts";

const { options, lockTimeoutMs } = workerData as BatchWorkerData;
let opened: OpenedDatabase | undefined;

function write({ statements }: BatchRequest): BatchAnswer["rows"] {
  opened ??= openDatabase(loadSqlite(), options);
  const { database } = opened;
  database.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
  try {
    database.exec("BEGIN IMMEDIATE");
    const rows = statements.map(({ text, values }) => new PreparedStatement(database, text).all(values));
    database.exec("COMMIT");
    return rows;
  } catch {
    if (database.isTransaction) database.exec("ROLLBACK");
    // The caller writes the batch itself, and reports the failure if that fails too.
    return undefined;
  }
}

parentPort?.on("message", (request: BatchRequest | "close") => {
  if (request === "close") {
    opened?.database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ id: request.id, rows: write(request) } satisfies BatchAnswer);
});
