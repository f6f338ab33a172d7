/**
 * A store in files that people can read: one line of JSON for each entry, and an index in SQLite. One process writes to
 * a folder at a time, under a lock until `close` or the end of the process, and any number read.
 */
import { join } from "node:path";
import { checkOptions, FUNCTION, ID, oneOf, required } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { DiskReserve, findFreeBytes } from "../sqlite/disk-reserve.ts";
import { createOwnLayout, createWorkspaceLayout, type FolderLayout, safeName } from "./folder-layout.ts";
import { IndexedFolder } from "./indexed-folder.ts";
import { JsonlTenant } from "./jsonl-tenant.ts";
import type { FsyncPolicy } from "./line-file.ts";
import type { JsonlHost, JsonlStatistics, JsonlWarning } from "./open-files.ts";
import { takeWriterLock, type WriterLock } from "./writer-lock.ts";

export type { JsonlStatistics, JsonlWarning } from "./open-files.ts";

/** The folder of the files, and how durable writes are. */
export interface JsonlStoreOptions {
  /** Folder of the sessions; with `format: "workspace"` the root of the repository. Created by the first write. */
  readonly folder: string;
  /**
   * `own` (the default): one folder per tenant, one file per session. `workspace`: the file and the records of the
   * workspace document, `.ac-dc/history.jsonl`, with the records of other programs.
   */
  readonly format?: "own" | "workspace" | undefined;
  /**
   * `always` (the default): acknowledged writes survive a power loss. `interval`: a power loss may remove about the last
   * second. `never`: a power loss may remove what the system had not written yet. The end of the process removes
   * nothing.
   */
  readonly fsync?: FsyncPolicy | undefined;
  /** Called with each problem that the store worked around; default `process.emitWarning`. */
  readonly onWarning?: ((warning: JsonlWarning) => void) | undefined;
  /** Clock of leases in milliseconds, which never goes back. */
  readonly monotonicNow?: (() => number) | undefined;
}

/** A store of JSONL files, which can rebuild its index. */
export interface JsonlStore extends Store {
  /** Counts the problems found since the store was opened. */
  statistics(): JsonlStatistics;
}

const RULES = {
  folder: required({ ...ID, allowed: "the path of a folder" }),
  format: oneOf("own", "workspace"),
  fsync: oneOf("always", "interval", "never"),
  onWarning: FUNCTION,
  monotonicNow: FUNCTION,
} satisfies Record<keyof JsonlStoreOptions, unknown>;

/**
 * Opens a store that keeps each session in a file of JSON lines.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ store: openJsonlStore({ folder: "./chats" }) });
 * ```
 */
export function openJsonlStore(options: JsonlStoreOptions): JsonlStore {
  checkOptions(options, RULES, "openJsonlStore");
  const host = new StoreHost(options);
  const tenants = new Map<string, { readonly tenant: JsonlTenant; readonly folder: IndexedFolder }>();
  return {
    name: `jsonl:${options.folder}`,
    tenant(tenantId) {
      host.assertOpen();
      const known = tenants.get(tenantId);
      if (known !== undefined) return known.tenant;
      const folder = new IndexedFolder(createLayout(options, { tenantId, fsync: host.fsync }), host);
      const tenant = new JsonlTenant(folder);
      tenants.set(tenantId, { tenant, folder });
      return tenant;
    },
    statistics: () => host.statistics(),
    async close() {
      if (host.isClosed) return;
      host.isClosed = true;
      for (const { folder } of tenants.values()) await folder.close();
      await host.release();
    },
  };
}

const WORKSPACE_FOLDER = ".ac-dc";
/** The default tenant; the document has no others. */
const WORKSPACE_TENANT = "local";
/** Every image is a file, every text stays in its record. */
const WORKSPACE_MEDIA: JsonlHost["media"] = { smallestMedium: 1, smallestText: Number.POSITIVE_INFINITY };

function createLayout(
  { folder, format }: JsonlStoreOptions,
  { tenantId, fsync }: { readonly tenantId: string; readonly fsync: FsyncPolicy },
): FolderLayout {
  if (format !== "workspace") return createOwnLayout(join(folder, safeName(tenantId)), fsync);
  const tenantFolder = tenantId === WORKSPACE_TENANT ? [] : ["tenants", safeName(tenantId)];
  return createWorkspaceLayout(join(folder, WORKSPACE_FOLDER, ...tenantFolder), fsync);
}

/** Space that is reserved for the index. */
const MIN_RESERVE = 4 * 2 ** 20;
/** For larger files a full disk refuses to erase a message; deleting their sessions still works. */
const MAX_RESERVE = 32 * 2 ** 20;
/** Number of warnings remembered to avoid repeating them. */
const MAX_REMEMBERED = 10_000;

class StoreHost implements JsonlHost {
  readonly fsync: FsyncPolicy;
  readonly media: JsonlHost["media"];
  isClosed = false;
  readonly #folder: string;
  readonly #onWarning: (warning: JsonlWarning) => void;
  readonly #monotonicNow: () => number;
  /** The wall clock minus the monotonic clock, when the store was opened. */
  readonly #clockOffsetMs: number;
  readonly #emitted = new Set<string>();
  readonly #counts = { damagedLines: 0, unfinishedBatches: 0, rebuiltIndexes: 0, rebuiltHeads: 0, missingBlobs: 0 };
  readonly #reserve: DiskReserve;
  #reservedBytes = 0;
  #lock: WriterLock | undefined;
  #locking: Promise<WriterLock> | undefined;

  constructor({ folder, format, fsync = "always", onWarning, monotonicNow }: JsonlStoreOptions) {
    this.#folder = format === "workspace" ? join(folder, WORKSPACE_FOLDER) : folder;
    this.#reserve = new DiskReserve(join(this.#folder, "writer.lock"));
    this.media = format === "workspace" ? WORKSPACE_MEDIA : {};
    this.fsync = fsync;
    this.#monotonicNow = monotonicNow ?? (() => performance.now());
    this.#clockOffsetMs = Date.now() - this.#monotonicNow();
    this.#onWarning = onWarning ?? (({ text }) => process.emitWarning(text, "PalimpsestWarning"));
  }

  get isWriter(): boolean {
    return this.#lock !== undefined;
  }

  now(): number {
    return this.#clockOffsetMs + this.#monotonicNow();
  }

  assertOpen(): void {
    if (this.isClosed) throw new PalimpsestError("closed", "The JSONL store was closed; open a new one.");
  }

  /** Grows with the largest file, because erasing a text writes its file again. */
  keepReserve(bytes = 0): void {
    const isLarger = bytes > this.#reservedBytes;
    if (!isLarger && this.#reserve.isWhole) return;
    if (isLarger) this.#reservedBytes = 2 * bytes;
    this.#reserve.keep(MIN_RESERVE + Math.min(this.#reservedBytes, MAX_RESERVE));
  }

  async withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = await this.#reserve.use(work, async () => undefined);
    this.keepReserve();
    return result;
  }

  findFreeBytes(): number {
    return findFreeBytes(join(this.#folder, "writer.lock"));
  }

  waitForDeletions(): Promise<void> {
    return this.#reserve.waitForDeletions();
  }

  async becomeWriter(): Promise<void> {
    this.assertOpen();
    if (this.#lock !== undefined) return;
    this.#locking ??= takeWriterLock(this.#folder);
    try {
      this.#lock = await this.#locking;
      this.keepReserve(1);
    } finally {
      this.#locking = undefined;
    }
  }

  warn(warning: JsonlWarning): void {
    if (this.#emitted.has(warning.text)) return;
    if (this.#emitted.size >= MAX_REMEMBERED) this.#emitted.clear();
    this.#emitted.add(warning.text);
    if (warning.counted !== undefined) this.#counts[warning.counted] += 1;
    this.#onWarning(warning);
  }

  statistics(): JsonlStatistics {
    return { ...this.#counts };
  }

  async release(): Promise<void> {
    await this.#locking?.catch(() => undefined);
    this.#lock?.release();
    this.#lock = undefined;
  }
}
