/** Locations of each kind of store for crash tests, in a folder or on a separate server. */
import { cpSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import type { CrashSite } from "./crash.ts";
import type { Place } from "./place.ts";

export function sqliteSite(folder: TemporaryFolder, durability: "full" | "normal"): CrashSite {
  const newPlace = async (): Promise<Place> => ({ kind: "sqlite", path: folder.newPath(), durability });
  return {
    name: `sqlite, ${durability}`,
    writers: 2,
    newPlace,
    copy: async ({ path }) => {
      const place = await newPlace();
      for (const ending of ["", "-wal"]) if (existsSync(path + ending)) cpSync(path + ending, place.path + ending);
      return place;
    },
    examine: async ({ path }) => examineFile(path),
  };
}

function examineFile(path: string): string | undefined {
  const database = new DatabaseSync(path);
  try {
    const [integrity] = database.prepare("PRAGMA integrity_check").all();
    if (integrity?.integrity_check !== "ok") return `The file is damaged: ${JSON.stringify(integrity)}`;
    const orphans = database.prepare("PRAGMA foreign_key_check").all();
    if (orphans.length > 0) return `Rows point to nothing: ${JSON.stringify(orphans[0])}`;
    database.prepare("INSERT INTO text_index (text_index) VALUES ('integrity-check')").run();
    return undefined;
  } finally {
    database.close();
  }
}

/** Only one process at a time can write to a folder. */
export function jsonlSite(folder: TemporaryFolder, durability: "full" | "normal" = "full"): CrashSite {
  const newPlace = async (): Promise<Place> => ({ kind: "jsonl", path: folder.newPath(), durability });
  return {
    name: "jsonl",
    writers: 1,
    newPlace,
    copy: async ({ path }) => {
      const place = await newPlace();
      cpSync(path, place.path, { recursive: true, filter: (source) => !source.endsWith("writer.lock") });
      return place;
    },
  };
}

export function postgresSite(server: PostgresServer): CrashSite {
  return {
    name: "postgres",
    writers: 2,
    newPlace: async () => ({ kind: "postgres", path: await server.newDatabase() }),
    copy: async ({ path }) => ({ kind: "postgres", path: await server.newDatabase({ like: path }) }),
  };
}
