/** A store by its address. Adapters are loaded with the first store of their kind. */
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "./memory/memory-store.ts";

const SQLITE_SCHEME = "sqlite:";
const JSONL_SCHEME = "jsonl:";
const POSTGRES_SCHEME = /^postgres(?:ql)?:\/\//;

/** For whoever has to say what there is. */
export const STORE_ADDRESSES =
  '"memory:", "sqlite:" with the path of a file, "jsonl:" with that of a folder, or "postgres://…"';

export function isPostgresAddress(address: string): boolean {
  return POSTGRES_SCHEME.test(address);
}

export interface OpenStoreOptions {
  readonly onWarning: (text: string) => void;
  /** Where the store is a database that can keep tenants apart by itself, it does. */
  readonly rowSecurity?: boolean | undefined;
}

/** Undefined where the address is of no kind that is known. */
export async function openStoreAt(
  address: string,
  { onWarning: tell, rowSecurity }: OpenStoreOptions,
): Promise<Store | undefined> {
  const onWarning = ({ text }: { readonly text: string }) => tell(text);
  if (address === "memory:") return createMemoryStore();
  if (address.startsWith(SQLITE_SCHEME) && address.length > SQLITE_SCHEME.length) {
    const { openSqliteStore } = await import("./sqlite/open-sqlite-store.ts");
    return openSqliteStore(address.slice(SQLITE_SCHEME.length), { onWarning });
  }
  if (address.startsWith(JSONL_SCHEME) && address.length > JSONL_SCHEME.length) {
    const { openJsonlStore } = await import("./jsonl/jsonl-store.ts");
    return openJsonlStore({ folder: address.slice(JSONL_SCHEME.length), onWarning });
  }
  if (!isPostgresAddress(address)) return undefined;
  const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
  return openPostgresStore(address, { onWarning, rowSecurity });
}
