/** The databases of the windowed table, for tests that apply to both: a SQLite file and a D1 database. */
import type { D1Database } from "../../src/stores/d1/d1-driver.ts";
import { openD1Store } from "../../src/stores/d1/open-d1-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import type { WindowedStore } from "../../src/stores/windowed/windowed-store.ts";
import { sqliteFiles } from "../stores/sqlite-files.ts";
import { startD1 } from "./start-d1.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/** One database, opened as a store and queried like its application. */
export interface WindowedMedium {
  open(): Promise<WindowedStore>;
  query(text: string, ...values: readonly (string | number)[]): Promise<Rows>;
}

export interface WindowedMedia {
  readonly name: string;
  newMedium(): WindowedMedium;
  close(): Promise<void>;
}

const profile = "windowed-sql";

export function sqliteMedia(): WindowedMedia {
  const files = sqliteFiles();
  return {
    name: "SQLite",
    newMedium() {
      const path = files.newPath();
      return {
        open: () => openSqliteStore(path, { profile, durability: "normal" }),
        query: async (text, ...values) => {
          const database = files.openDatabase(path);
          const rows = database.prepare(text).all(...values);
          database.close();
          return rows as Rows;
        },
      };
    },
    close: () => files.remove(),
  };
}

export async function d1Media(databases: number): Promise<WindowedMedia> {
  const server = await startD1(databases);
  return {
    name: "D1",
    newMedium: () => d1Medium(server.newDatabase()),
    close: () => server.close(),
  };
}

function d1Medium(database: D1Database): WindowedMedium {
  return {
    open: () => openD1Store(database, { profile }),
    query: async (text, ...values) => {
      const { results } = await database
        .prepare(text)
        .bind(...values)
        .all();
      return results as Rows;
    },
  };
}
