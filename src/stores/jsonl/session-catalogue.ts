/**
 * The list of a tenant's sessions. The one writer knows what it touched since it last looked; a reader asks each file
 * whether it changed. Forks are looked at anew wherever another's text may have changed theirs.
 */
import type { FileStamp } from "./line-file.ts";
import type { Shelf, VolumeName } from "./shelf.ts";
import type { ListedSession } from "./summarise-log.ts";
import type { VolumeHost } from "./volume-host.ts";

interface Known {
  readonly stamp: FileStamp | undefined;
  readonly sessions: readonly ListedSession[];
}

export interface SessionCatalogueOptions {
  readonly shelf: Shelf;
  readonly host: VolumeHost;
  /** The sessions of one volume, as they are now. */
  readonly summarise: (name: VolumeName) => Promise<readonly ListedSession[]>;
}

export class SessionCatalogue {
  readonly #shelf: Shelf;
  readonly #host: VolumeHost;
  readonly #summarise: SessionCatalogueOptions["summarise"];
  readonly #known = new Map<VolumeName, Known>();
  readonly #touched = new Set<VolumeName>();
  /** The writer has seen every file since it became the writer. */
  #isComplete = false;

  constructor({ shelf, host, summarise }: SessionCatalogueOptions) {
    this.#shelf = shelf;
    this.#host = host;
    this.#summarise = summarise;
  }

  /** Something was written to this volume, or it is new or gone. */
  touch(name: VolumeName): void {
    this.#touched.add(name);
  }

  /** A text was taken away: previews of forks may have shown it. */
  touchForks(): void {
    for (const [name, { sessions }] of this.#known) if (sessions.some(isFork)) this.#touched.add(name);
  }

  async list(): Promise<readonly ListedSession[]> {
    if (this.#host.isWriter && this.#isComplete) await this.#lookAtTouched();
    else await this.#lookAtAll();
    return [...this.#known.values()].flatMap(({ sessions }) => sessions);
  }

  async #lookAtTouched(): Promise<void> {
    for (const name of [...this.#touched]) {
      this.#touched.delete(name);
      await this.#look(name, undefined);
    }
  }

  async #lookAtAll(): Promise<void> {
    const willBeComplete = this.#host.isWriter;
    const names = new Set(await this.#shelf.listNames());
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    for (const name of names) {
      const stamp = await this.#shelf.findStamp(name);
      const known = this.#known.get(name);
      if (known === undefined || !isSame(known.stamp, stamp) || known.sessions.some(isFork)) {
        this.#touched.delete(name);
        await this.#look(name, stamp);
      }
    }
    this.#isComplete = willBeComplete;
  }

  async #look(name: VolumeName, stamp: FileStamp | undefined): Promise<void> {
    const sessions = await this.#summarise(name);
    if (sessions.length === 0) this.#known.delete(name);
    else this.#known.set(name, { stamp, sessions });
  }
}

function isFork({ fork }: ListedSession): boolean {
  return fork !== undefined;
}

function isSame(known: FileStamp | undefined, now: FileStamp | undefined): boolean {
  if (known === undefined || now === undefined) return false;
  return known.size === now.size && known.inode === now.inode && known.modifiedMs === now.modifiedMs;
}
