/** The location of a store, as a value that can be passed to another process. */
import type { Store } from "../../src/ports/store.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";

export interface Place {
  readonly kind: "jsonl" | "sqlite" | "postgres";
  /** A file, a folder, or the address of a database. */
  readonly path: string;
  /** Whether writes are synced. A killed process loses nothing either way, but the files differ. */
  readonly durability?: "full" | "normal" | undefined;
}

/** How long to wait for a server that is being restarted. */
const RETRY_FOR_MS = 30_000;

export async function openPlace({ kind, path, durability = "full" }: Place): Promise<Store> {
  switch (kind) {
    case "sqlite":
      return openSqliteStore(path, { durability });
    case "postgres":
      return openPostgresStore(path, { retryForMs: RETRY_FOR_MS });
    case "jsonl":
      return openJsonlStore({
        folder: path,
        fsync: durability === "full" ? "always" : "never",
        onWarning: () => undefined,
      });
    default:
      return kind satisfies never;
  }
}
