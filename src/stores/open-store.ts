/** Opens a store by its address, and its channels. Each adapter is loaded when its first store is opened. */
import { join } from "node:path";
import type { Notifications } from "../ports/notifications.ts";
import type { Relay } from "../ports/relay.ts";
import type { Store } from "../ports/store.ts";
import type { ListenerOptions, RelayOptions } from "./shared/local-channels.ts";
import type { FileCheck } from "./sqlite/check-file.ts";

/** Capabilities of a store besides sessions, known from its address before it is opened. */
export interface StoreCapabilities {
  readonly packages: readonly string[];
  /** The best place for its jobs. `pg-boss`: in its own database, where workers in other processes find them. */
  readonly jobs: "in-process" | "pg-boss";
  /** Address through which processes that share the store notify each other; undefined for a store of one process. */
  readonly channelAddress: string | undefined;
}

export function describeStoreAddress(address: string): StoreCapabilities {
  if (!OPENERS.postgres.pattern.test(address)) return { packages: [], jobs: "in-process", channelAddress: undefined };
  return { packages: ["pg"], jobs: "pg-boss", channelAddress: address };
}

export interface OpenStoreOptions {
  readonly onWarning: (text: string) => void;
  /** Turns on row-level security in stores that support it. */
  readonly rowSecurity?: boolean | undefined;
  /** Opens a file in which `checkStoreAt` found problems: it is read without changing or migrating it. */
  readonly isDamaged?: boolean | undefined;
}

interface StoreKind {
  /** Matches the kind's addresses. The group is what `open` gets: a path, or the whole address of a database. */
  readonly pattern: RegExp;
  /** The form of the address and one phrase about it, for help texts and errors. */
  readonly address: string;
  readonly help: string;
  /** Returns the file or folder that contains the sessions. Absent for a store without one. */
  readonly locate?: (path: string) => string | undefined;
  open(path: string, options: KindOptions): Promise<Store>;
  /** Returns the problems in the structure of its file. Absent for a store that checks each line when it reads it. */
  check?(path: string): Promise<FileCheck>;
}

interface KindOptions extends Pick<OpenStoreOptions, "rowSecurity" | "isDamaged"> {
  readonly onWarning: (warning: { readonly text: string }) => void;
}

/**
 * The kinds of stores by scheme. Help texts and errors are generated from this list, and a test compares docs/stores.md
 * and docs/serve.md with it. The last two use the table and the file format that the presets of these names reproduce.
 */
const OPENERS = {
  memory: {
    pattern: /^memory:$/,
    address: "memory:",
    help: "this process only; nothing is saved",
    async open() {
      const { createMemoryStore } = await import("./memory/memory-store.ts");
      return createMemoryStore();
    },
  },
  sqlite: {
    pattern: /^sqlite:(.+)$/s,
    address: "sqlite:<file>",
    help: "one SQLite file",
    locate: findSqliteFile,
    async open(path, { onWarning, isDamaged }) {
      const { openSqliteForReading, openSqliteStore } = await import("./sqlite/open-sqlite-store.ts");
      return isDamaged === true ? openSqliteForReading(path, { onWarning }) : openSqliteStore(path, { onWarning });
    },
    check: (path) => checkSqlite(path, { isShared: false }),
  },
  jsonl: {
    pattern: /^jsonl:(.+)$/s,
    address: "jsonl:<folder>",
    help: "a folder of files, one line of JSON for each entry",
    locate: (folder) => folder,
    async open(folder, { onWarning }) {
      const { openJsonlStore } = await import("./jsonl/jsonl-store.ts");
      return openJsonlStore({ folder, onWarning });
    },
  },
  postgres: {
    pattern: /^(postgres(?:ql)?:\/\/.*)$/s,
    address: "postgres://<user>@<host>/<database>",
    help: "a PostgreSQL database; needs the package pg",
    async open(address, { onWarning, rowSecurity }) {
      const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
      return openPostgresStore(address, { onWarning, rowSecurity });
    },
  },
  "windowed-sql": {
    pattern: /^windowed-sql:(.+)$/s,
    address: "windowed-sql:<file>",
    help: "rows of the table messages in a SQLite file, as in the windowed-sql policy",
    locate: findSqliteFile,
    async open(path, { onWarning, isDamaged }) {
      const { openSqliteForReading, openSqliteStore } = await import("./sqlite/open-sqlite-store.ts");
      if (isDamaged === true) return openSqliteForReading(path, { onWarning });
      return openSqliteStore(path, { onWarning, profile: "windowed-sql" });
    },
    check: (path) => checkSqlite(path, { isShared: true }),
  },
  workspace: {
    pattern: /^workspace:(.+)$/s,
    address: "workspace:<repository>",
    help: ".ac-dc/history.jsonl in a repository, as in the workspace policy",
    locate: (folder) => join(folder, ".ac-dc", "history.jsonl"),
    async open(folder, { onWarning }) {
      const { openJsonlStore } = await import("./jsonl/jsonl-store.ts");
      return openJsonlStore({ folder, onWarning, format: "workspace" });
    },
  },
} satisfies Readonly<Record<string, StoreKind>>;

function findSqliteFile(path: string): string | undefined {
  return path === ":memory:" ? undefined : path;
}

async function checkSqlite(path: string, options: { readonly isShared: boolean }): Promise<FileCheck> {
  const { checkSqliteFile } = await import("./sqlite/check-file.ts");
  return checkSqliteFile(path, options);
}

export const STORE_KINDS: readonly Pick<StoreKind, "address" | "help">[] = Object.values(OPENERS);

/** Lists the supported addresses, for help texts and errors. */
export const STORE_ADDRESSES = STORE_KINDS.map(({ address }) => address).join(", ");

/** Returns undefined for an unknown address. */
export async function openStoreAt(
  address: string,
  { onWarning: warn, ...options }: OpenStoreOptions,
): Promise<Store | undefined> {
  const found = findKind(address);
  return found?.kind.open(found.path, { ...options, onWarning: ({ text }) => warn(text) });
}

/** Returns the file or folder that contains the sessions, or undefined for a store without one. */
export function findStorePath(address: string): string | undefined {
  const found = findKind(address);
  return found?.kind.locate?.(found.path);
}

/** Checks the structure of a store's file, even if the store cannot be opened. Undefined if it has no such check. */
export async function checkStoreAt(address: string): Promise<FileCheck | undefined> {
  const found = findKind(address);
  return found?.kind.check?.(found.path);
}

function findKind(address: string): { readonly kind: StoreKind; readonly path: string } | undefined {
  for (const kind of Object.values<StoreKind>(OPENERS)) {
    const match = kind.pattern.exec(address);
    if (match !== null) return { kind, path: match[1] ?? "" };
  }
  return undefined;
}

/** Without an address, notifications stay inside this process, and so does the relay. */
export async function openNotifications(address: string | undefined, options: ListenerOptions): Promise<Notifications> {
  if (address === undefined) {
    const { createLocalNotifications } = await import("./shared/local-channels.ts");
    return createLocalNotifications(options);
  }
  const { openPostgresNotifications } = await import("./postgres/postgres-notifications.ts");
  return openPostgresNotifications(address, options);
}

export async function openRelay(address: string | undefined, options: RelayOptions): Promise<Relay> {
  if (address === undefined) {
    const { createLocalRelay } = await import("./shared/local-channels.ts");
    return createLocalRelay();
  }
  const { openPostgresRelay } = await import("./postgres/postgres-relay.ts");
  return openPostgresRelay(address, options);
}
