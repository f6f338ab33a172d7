/** Checks the structure of a file without changing it: every page of every table and index, not what the rows say. */
import { waitForEventLoop } from "../sql/driver.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { toStoreError } from "./sqlite-failure.ts";

/** Returns a text for each problem. Yields to the event loop between tables; a gigabyte takes about a second. */
export async function checkSqliteFile(path: string): Promise<readonly string[]> {
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  try {
    // Virtual tables have no pages of their own.
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all();
    const problems: string[] = [];
    for (const name of tables.map((table) => String(table.name))) {
      const rows = database.prepare(`PRAGMA quick_check("${name.replaceAll('"', '""')}")`).all();
      const texts = rows.map(({ quick_check: text }) => String(text)).filter((text) => text !== "ok");
      problems.push(...texts.map((text) => `table ${name}: ${text}`));
      await waitForEventLoop();
    }
    return problems;
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    database.close();
  }
}
