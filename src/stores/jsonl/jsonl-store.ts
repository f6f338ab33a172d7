/**
 * A store in plain files that people and other programs can read: one line of JSON for each entry. One process writes
 * to a folder at a time and any number read; the first write takes the folder's lock, `close` gives it back, and so
 * does the end of the process, however it comes.
 *
 * Durability is said by `fsync`. `always` (the default): what was acknowledged survives a loss of power. `interval`:
 * it survives the end of the process, and a loss of power takes at most about the last second. `never`: it survives
 * the end of the process, and a loss of power takes what the system had not written yet.
 */
import { join } from "node:path";
import { checkOptions, FUNCTION, ID, oneOf, required } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { HistoryShelf } from "./history-shelf.ts";
import { JsonlTenant, type TenantHost } from "./jsonl-tenant.ts";
import type { FsyncPolicy } from "./line-file.ts";
import { safeName } from "./safe-name.ts";
import { SessionShelf } from "./session-shelf.ts";
import type { Shelf } from "./shelf.ts";
import type { JsonlStatistics, JsonlWarning } from "./volume-host.ts";
import { takeWriterLock, type WriterLock } from "./writer-lock.ts";

export type { JsonlStatistics, JsonlWarning } from "./volume-host.ts";

export interface JsonlStoreOptions {
  /** For sessions; with `format: "workspace"` the root of the repository. Made with the first write. */
  readonly folder: string;
  /**
   * `own` (the default): one folder a tenant, one file a session. `workspace`: the file and the records of the
   * workspace document, `.ac-dc/history.jsonl`, with what others wrote there. Images are kept once for each file.
   */
  readonly format?: "own" | "workspace" | undefined;
  readonly fsync?: FsyncPolicy | undefined;
  /** Told of everything that was found wrong and was gone around. Without it `process.emitWarning` is. */
  readonly onWarning?: ((warning: JsonlWarning) => void) | undefined;
  /** Milliseconds on a clock that never goes back; leases run on it. */
  readonly monotonicNow?: (() => number) | undefined;
}

export interface JsonlStore extends Store {
  /** What was found wrong since the store was opened. */
  statistics(): JsonlStatistics;
}

/** Warnings that were told already are not told again, up to so many. */
const MOST_REMEMBERED = 10_000;

const RULES = {
  folder: required({ ...ID, allowed: "the path of a folder" }),
  format: oneOf("own", "workspace"),
  fsync: oneOf("always", "interval", "never"),
  onWarning: FUNCTION,
  monotonicNow: FUNCTION,
} satisfies Record<keyof JsonlStoreOptions, unknown>;

export function openJsonlStore(options: JsonlStoreOptions): JsonlStore {
  checkOptions(options, RULES, "openJsonlStore");
  const host = new StoreHost(options);
  const tenants = new Map<string, { readonly tenant: JsonlTenant; readonly shelf: Shelf }>();
  return {
    name: `jsonl:${options.folder}`,
    tenant(tenantId) {
      host.assertOpen();
      const known = tenants.get(tenantId);
      if (known !== undefined) return known.tenant;
      const shelf = createShelf(options, { tenantId, host });
      const tenant = new JsonlTenant(shelf, host);
      tenants.set(tenantId, { tenant, shelf });
      return tenant;
    },
    statistics: () => host.statistics(),
    async close() {
      if (host.isClosed) return;
      host.isClosed = true;
      for (const { shelf } of tenants.values()) await shelf.close();
      await host.release();
    },
  };
}

const WORKSPACE_FOLDER = ".ac-dc";
/** The tenant of whoever names none; the document knows no others. */
const WORKSPACE_TENANT = "local";
/** Every image is a file, every text stays in its record. */
const WORKSPACE_MEDIA: TenantHost["media"] = { smallestMedium: 1, smallestText: Number.POSITIVE_INFINITY };

function createShelf(
  { folder, format }: JsonlStoreOptions,
  { tenantId, host }: { readonly tenantId: string; readonly host: TenantHost },
): Shelf {
  if (format !== "workspace") return new SessionShelf(join(folder, safeName(tenantId)), host);
  const tenantFolder = tenantId === WORKSPACE_TENANT ? [] : ["tenants", safeName(tenantId)];
  return new HistoryShelf(join(folder, WORKSPACE_FOLDER, ...tenantFolder), host);
}

class StoreHost implements TenantHost {
  readonly fsync: FsyncPolicy;
  readonly monotonicNow: () => number;
  readonly media: TenantHost["media"];
  isClosed = false;
  readonly #folder: string;
  readonly #onWarning: (warning: JsonlWarning) => void;
  readonly #told = new Set<string>();
  readonly #counts = {
    damagedLines: 0,
    unfinishedBatches: 0,
    rebuiltIndexes: 0,
    rebuiltHeads: 0,
    missingBlobs: 0,
  };
  #lock: WriterLock | undefined;
  #locking: Promise<WriterLock> | undefined;

  constructor({ folder, format, fsync = "always", onWarning, monotonicNow }: JsonlStoreOptions) {
    this.#folder = format === "workspace" ? join(folder, WORKSPACE_FOLDER) : folder;
    this.media = format === "workspace" ? WORKSPACE_MEDIA : {};
    this.fsync = fsync;
    this.monotonicNow = monotonicNow ?? (() => performance.now());
    this.#onWarning = onWarning ?? (({ text }) => process.emitWarning(text, "PalimpsestWarning"));
  }

  get isWriter(): boolean {
    return this.#lock !== undefined;
  }

  assertOpen(): void {
    if (this.isClosed) throw new PalimpsestError("closed", "The JSONL store was closed; open a new one.");
  }

  async becomeWriter(): Promise<void> {
    this.assertOpen();
    if (this.#lock !== undefined) return;
    this.#locking ??= takeWriterLock(this.#folder);
    try {
      this.#lock = await this.#locking;
    } finally {
      this.#locking = undefined;
    }
  }

  warn(warning: JsonlWarning): void {
    if (this.#told.has(warning.text)) return;
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.add(warning.text);
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
