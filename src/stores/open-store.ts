/** Opens a store by its address, and its channels. Each adapter is loaded when its first store is opened. */
import { join } from "node:path";
import type { Notifications } from "../ports/notifications.ts";
import type { Relay } from "../ports/relay.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import {
  createLocalNotifications,
  createLocalRelay,
  type ListenerOptions,
  type RelayOptions,
} from "./shared/local-channels.ts";

const POSTGRES_SCHEME = /^postgres(?:ql)?:\/\//;

/** Lists the supported addresses, for error messages. */
export const STORE_ADDRESSES =
  '"memory:", "sqlite:" with the path of a file, "jsonl:" with that of a folder, "postgres://…", "windowed-sql:" with ' +
  'the path of a SQLite file, or "workspace:" with the root of a repository';

/** Capabilities of a store besides sessions, known from its address before it is opened. */
export interface StoreCapabilities {
  readonly packages: readonly string[];
  /** The best place for its jobs. `pg-boss` is its own database, where workers of other processes find them. */
  readonly jobs: "in-process" | "pg-boss";
  /** Where processes that share the store notify each other; undefined if each has only its own. */
  readonly channelAddress: string | undefined;
}

export function describeStoreAddress(address: string): StoreCapabilities {
  if (!POSTGRES_SCHEME.test(address)) return { packages: [], jobs: "in-process", channelAddress: undefined };
  return { packages: ["pg"], jobs: "pg-boss", channelAddress: address };
}

export interface OpenStoreOptions {
  readonly onWarning: (text: string) => void;
  /** Turns on row-level security in stores that support it. */
  readonly rowSecurity?: boolean | undefined;
}

type OpenAt = (path: string, onWarning: (warning: { readonly text: string }) => void) => Promise<Store>;

/** Openers by scheme. The last two keep the table and the file format that the presets of these names reproduce. */
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

/** Returns undefined for an unknown scheme. */
export async function openStoreAt(
  address: string,
  { onWarning: warn, rowSecurity }: OpenStoreOptions,
): Promise<Store | undefined> {
  const onWarning = ({ text }: { readonly text: string }) => warn(text);
  if (address === "memory:") return createMemoryStore();
  if (POSTGRES_SCHEME.test(address)) {
    const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
    return openPostgresStore(address, { onWarning, rowSecurity });
  }
  const { scheme, path } = splitAddress(address);
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  return path === "" ? undefined : open?.(path, onWarning);
}

/** Returns the file or folder that holds the sessions, or undefined for a store without one. */
export function findStorePath(address: string): string | undefined {
  const { scheme, path } = splitAddress(address);
  if (!Object.hasOwn(OPENERS, scheme) || path === "" || path === ":memory:") return undefined;
  return scheme === "workspace" ? join(path, ".ac-dc", "history.jsonl") : path;
}

function splitAddress(address: string): { readonly scheme: string; readonly path: string } {
  const colon = address.indexOf(":");
  return { scheme: address.slice(0, Math.max(0, colon)), path: address.slice(colon + 1) };
}

/** Without an address notifications stay inside this process; the same holds for the relay. */
export async function openNotifications(address: string | undefined, options: ListenerOptions): Promise<Notifications> {
  if (address === undefined) return createLocalNotifications(options);
  const { openPostgresNotifications } = await import("./postgres/postgres-notifications.ts");
  return openPostgresNotifications(address, options);
}

export async function openRelay(address: string | undefined, options: RelayOptions): Promise<Relay> {
  if (address === undefined) return createLocalRelay();
  const { openPostgresRelay } = await import("./postgres/postgres-relay.ts");
  return openPostgresRelay(address, options);
}
