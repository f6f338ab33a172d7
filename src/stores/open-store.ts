/** A store by its address. Adapters are loaded with the first store of their kind. */
import { join } from "node:path";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "./memory/memory-store.ts";

const POSTGRES_SCHEME = /^postgres(?:ql)?:\/\//;

/** For whoever has to say what there is. */
export const STORE_ADDRESSES =
  '"memory:", "sqlite:" with the path of a file, "jsonl:" with that of a folder, "postgres://…", "windowed-sql:" with ' +
  'the path of a SQLite file, or "workspace:" with the root of a repository';

export function isPostgresAddress(address: string): boolean {
  return POSTGRES_SCHEME.test(address);
}

export interface OpenStoreOptions {
  readonly onWarning: (text: string) => void;
  /** Where the store is a database that can keep tenants apart by itself, it does. */
  readonly rowSecurity?: boolean | undefined;
}

type OpenAt = (path: string, onWarning: (warning: { readonly text: string }) => void) => Promise<Store>;

/** By scheme. The last two keep the table and the file of the documents that the presets of these names come from. */
const OPENERS: Readonly<Record<string, OpenAt>> = {
  async sqlite(path, onWarning) {
    const { openSqliteStore } = await import("./sqlite/open-sqlite-store.ts");
    return openSqliteStore(path, { onWarning });
  },
  async jsonl(folder, onWarning) {
    const { openJsonlStore } = await import("./jsonl/jsonl-store.ts");
    return openJsonlStore({ folder, onWarning });
  },
  async "windowed-sql"(path, onWarning) {
    const { openSqliteStore } = await import("./sqlite/open-sqlite-store.ts");
    return openSqliteStore(path, { onWarning, profile: "windowed-sql" });
  },
  async workspace(folder, onWarning) {
    const { openJsonlStore } = await import("./jsonl/jsonl-store.ts");
    return openJsonlStore({ folder, onWarning, format: "workspace" });
  },
};

/** Undefined where the address is of no kind that is known. */
export async function openStoreAt(
  address: string,
  { onWarning: tell, rowSecurity }: OpenStoreOptions,
): Promise<Store | undefined> {
  const onWarning = ({ text }: { readonly text: string }) => tell(text);
  if (address === "memory:") return createMemoryStore();
  if (isPostgresAddress(address)) {
    const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
    return openPostgresStore(address, { onWarning, rowSecurity });
  }
  const { scheme, path } = splitAddress(address);
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  return path === "" ? undefined : open?.(path, onWarning);
}

/** The file or folder that holds the sessions; undefined for a store that is neither. */
export function findStorePath(address: string): string | undefined {
  const { scheme, path } = splitAddress(address);
  if (!Object.hasOwn(OPENERS, scheme) || path === "" || path === ":memory:") return undefined;
  return scheme === "workspace" ? join(path, ".ac-dc", "history.jsonl") : path;
}

function splitAddress(address: string): { readonly scheme: string; readonly path: string } {
  const colon = address.indexOf(":");
  return { scheme: address.slice(0, Math.max(0, colon)), path: address.slice(colon + 1) };
}
