/** A tenant's files and their sidecar. The writer keeps the sidecar up to date; readers change nothing on the disk. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { Serial } from "../shared/serial.ts";
import { catchUpFile, dropFile, hasLastLine, type IndexParent, isSameFile } from "./catch-up-file.ts";
import { finishErasure } from "./erased-blobs.ts";
import { type FileName, type FolderLayout, removeFile } from "./folder-layout.ts";
import { makeFolder } from "./line-file.ts";
import { type FileState, type JsonlHost, type OpenFile, OpenFiles } from "./open-files.ts";
import { LinesChangedError, type MissingBlob } from "./read-lines.ts";
import { IN_MEMORY, isUnusable, Sidecar } from "./sidecar.ts";

const SIDECAR = "index.db";
/** How often an operation is repeated while another program changes its file. */
const MAX_ATTEMPTS = 5;
/** With this much more free space, the writer tries again to complete the sidecar in the folder, or to open it. */
const MIN_FREED_BYTES = { completing: 32 * 2 ** 20, opening: 2 ** 18 };
/** Pauses of a reader while a writer indexes what it has just written. */
const PAUSES_MS = [2, 5, 10, 20, 40, 80];

interface Substitute {
  readonly sidecar: Sidecar;
  /** Free space when it was opened. */
  readonly freeBytes: number;
  /**
   * Why the sidecar in the folder cannot be marked as incomplete. What is written without the mark could be missed, so
   * only deletions are allowed then.
   */
  readonly refusal: unknown;
}

export class IndexedFolder {
  readonly layout: FolderLayout;
  readonly host: JsonlHost;
  readonly files: OpenFiles;
  readonly #opening = new Serial();
  /** Sidecars that are no longer used for new operations, but that running ones may still read. */
  readonly #retired: Sidecar[] = [];
  #sidecar: Sidecar | undefined;
  /** The writer's sidecar in memory, while the disk has no space to complete the one in the folder. */
  #substitute: Substitute | undefined;
  /** Whether the sidecar in the folder says that it may be incomplete, which it must before the first write. */
  #isMarked = false;
  #nextEntryNumber = 1;
  /** The writer has indexed every file. */
  #isComplete = false;

  constructor(layout: FolderLayout, host: JsonlHost) {
    this.layout = layout;
    this.host = host;
    this.files = new OpenFiles(layout, host);
  }

  /** Runs work with the session's file indexed, or with all files for `undefined`. Repeats it if a file changed. */
  async read<Result>(id: SessionId | undefined, work: (sidecar: Sidecar) => Promise<Result>): Promise<Result> {
    return this.#retry(async () => {
      const name = id === undefined ? undefined : this.layout.nameFor(id);
      return work(await this.#findCurrent(name));
    });
  }

  /** Runs work as the writer of the folder, with exclusive access to the session's file. */
  async write<Result>(
    id: SessionId,
    work: (sidecar: Sidecar) => Promise<Result>,
    { isDeletion = false } = {},
  ): Promise<Result> {
    await this.host.becomeWriter();
    return this.#retry(async () => {
      const sidecar = await this.#open();
      if (!isDeletion || this.#substitute === undefined) await this.#mark(sidecar);
      return this.writeFile(sidecar, this.layout.nameFor(id), () => work(sidecar));
    });
  }

  /** Runs work with exclusive access to a file, and for a fork also to its parent's file. */
  async writeFile<Result>(sidecar: Sidecar, name: FileName, work: () => Promise<Result>): Promise<Result> {
    const open = this.files.open(name);
    return open.serial.run(async () => {
      // The file may be indexed in another sidecar already, which would miss what is written here.
      if (sidecar !== this.#sidecar) throw new LinesChangedError(name, { isIndexed: true });
      await this.#update(sidecar, open);
      return work();
    });
  }

  /** Returns the first of `count` numbers that follow all entries of the tenant; undefined if files need none. */
  reserveEntryNumbers(count: number): number | undefined {
    if (this.layout.hasOneFile) return undefined;
    const first = this.#nextEntryNumber;
    this.#nextEntryNumber += count;
    return first;
  }

  async close(): Promise<void> {
    await this.#opening.run(async () => {
      await this.files.close();
      const sidecar = this.#sidecar;
      this.#sidecar = undefined;
      // Best effort: without it the next writer checks every file.
      if (sidecar?.isWritable === true) await sidecar.setComplete(true).catch(() => undefined);
      for (const each of [...this.#retired, sidecar]) await each?.close();
    });
  }

  async #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      this.host.assertOpen();
      const before = this.#sidecar;
      try {
        return await work();
      } catch (error) {
        const isChanged = error instanceof LinesChangedError;
        if (!isChanged && !isUnusable(error)) throw error;
        if (attempt >= MAX_ATTEMPTS)
          throw isChanged ? createRestlessError(this.layout.pathOf(error.file), error) : error;
        if (isChanged && error.isIndexed) continue;
        const name = isChanged && error.file !== "" ? error.file : undefined;
        await this.#repair(before ?? this.#sidecar, name, { attempt });
      }
    }
  }

  /** Indexes a file again, or everything if the sidecar itself is wrong. */
  async #repair(used: Sidecar | undefined, name: FileName | undefined, { attempt }: { readonly attempt: number }) {
    if (used?.isWritable !== true) {
      // A writer may just be rewriting the file.
      await setTimeout(PAUSES_MS[attempt]);
      if (attempt === 1 && name !== undefined) return;
      if (name === undefined) this.#warnUnusable();
      else this.files.suspects.add(name);
      await this.#usePrivate(used);
    } else if (name === undefined) await this.#discard(used);
    else {
      const open = this.files.open(name);
      await open.serial.run(async () => {
        open.state = undefined;
        const state = await catchUpFile(open, { ...this.catchUp(used), isDistrusted: true });
        if (!used.isPrivate) open.state = state;
      });
    }
  }

  /** Returns the sidecar once the file, or every file, is indexed in its current state. */
  async #findCurrent(name: FileName | undefined): Promise<Sidecar> {
    for (const pauseMs of [0, ...PAUSES_MS]) {
      const sidecar = await this.#open();
      if (sidecar.isWritable) {
        await (name === undefined ? this.#updateAll(sidecar) : this.#updateOne(sidecar, name));
        return sidecar;
      }
      if (await this.#isUpToDate(sidecar, name)) return sidecar;
      // No writer is active that could catch up.
      if (await sidecar.isComplete()) break;
      await setTimeout(pauseMs);
    }
    await this.#usePrivate(this.#sidecar);
    return this.#findCurrent(name);
  }

  async #isUpToDate(sidecar: Sidecar, name: FileName | undefined): Promise<boolean> {
    if (name !== undefined) return this.#isIndexed(name, await sidecar.findFile(name));
    const indexed = await sidecar.listFiles();
    const names = await this.layout.listNames();
    if (indexed.size > names.length) return false;
    for (const each of names) if (!(await this.#isIndexed(each, indexed.get(each)))) return false;
    return true;
  }

  async #isIndexed(name: FileName, state: FileState | undefined): Promise<boolean> {
    const open = this.files.open(name);
    const stamp = await open.file.findStamp();
    if (stamp === undefined || state === undefined) return stamp === undefined && state === undefined;
    this.files.reportHoles(name, state);
    if (isSameFile(state.stamp, stamp)) return true;
    const isRight = await hasLastLine(open, state, stamp);
    if (!isRight && state.stamp.inode === stamp.inode) this.files.suspects.add(name);
    return isRight && state.stamp.size === stamp.size;
  }

  async #updateOne(sidecar: Sidecar, name: FileName): Promise<void> {
    const open = this.files.open(name);
    // The writer has indexed its own lines.
    if (open.state !== undefined && !sidecar.isPrivate) return;
    await open.serial.run(() => this.#update(sidecar, open));
  }

  async #updateAll(sidecar: Sidecar): Promise<void> {
    if (this.#isComplete && !sidecar.isPrivate) return;
    const names = new Set(await this.layout.listNames());
    for (const name of names) await this.#updateOne(sidecar, name);
    for (const name of (await sidecar.listFiles()).keys()) {
      if (!names.has(name)) await this.#updateOne(sidecar, name);
    }
    this.#isComplete = !sidecar.isPrivate;
  }

  /** Brings the index of a file up to date. Runs under the file's `serial`. */
  async #update(sidecar: Sidecar, open: OpenFile): Promise<void> {
    if (open.state !== undefined && !sidecar.isPrivate) return;
    const known = await sidecar.findFile(open.name);
    const stamp = await open.file.findStamp();
    if (stamp === undefined) {
      if (known !== undefined) await dropFile(sidecar, open.name, { isMissing: true });
      return;
    }
    const isSuspect = !sidecar.isPrivate && this.files.suspects.has(open.name);
    const isCurrent = known !== undefined && isSameFile(known.stamp, stamp) && !isSuspect;
    const state = isCurrent ? known : await catchUpFile(open, { ...this.catchUp(sidecar), known });
    if (!sidecar.isPrivate) open.state = state;
    this.files.reportHoles(open.name, known);
  }

  /** Returns a function that indexes the file of a fork's parent, unless the fork is in the same file. */
  parentIndexer(sidecar: Sidecar): IndexParent {
    return async ({ parentId, child }) => {
      const name = this.layout.nameFor(parentId);
      if (name !== child) await this.#updateOne(sidecar, name);
    };
  }

  catchUp(sidecar: Sidecar) {
    return { files: this.files, sidecar, indexParent: this.parentIndexer(sidecar) };
  }

  async #open(): Promise<Sidecar> {
    return this.#findOpen() ?? this.#opening.run(async () => this.#findOpen() ?? this.#openNew());
  }

  /** Returns the sidecar in use, unless this store has become the writer since it was opened. */
  #findOpen(): Sidecar | undefined {
    const known = this.#sidecar;
    if (this.#substitute !== undefined && known === this.#substitute.sidecar) {
      const freed = this.host.findFreeBytes() - this.#substitute.freeBytes;
      const { completing, opening } = MIN_FREED_BYTES;
      return freed < (this.#substitute.refusal === undefined ? completing : opening) ? known : undefined;
    }
    const isWriters = known?.isWritable === true && !known.isPrivate;
    return isWriters || !this.host.isWriter ? known : undefined;
  }

  async #openNew(): Promise<Sidecar> {
    this.host.assertOpen();
    const opened = this.host.isWriter ? await this.#openForWriting() : await this.#openAsReader();
    this.#replace(opened);
    return opened;
  }

  /** On a full disk, files are indexed in memory if necessary, so that sessions can be read and deleted. */
  async #openForWriting(): Promise<Sidecar> {
    this.#replace(undefined);
    this.#substitute = undefined;
    this.#isMarked = false;
    let opened: Sidecar | undefined;
    let refusal: unknown;
    try {
      opened = await this.#openAsWriter();
      await this.#complete(opened);
      return opened;
    } catch (error) {
      await opened?.close().catch(() => undefined);
      if (!isDiskFull(error)) throw error;
      refusal = this.#isMarked ? undefined : error;
    }
    const sidecar = await this.#openPrivate();
    await this.#complete(sidecar);
    this.#substitute = { sidecar, freeBytes: this.host.findFreeBytes(), refusal };
    return sidecar;
  }

  async #openAsReader(): Promise<Sidecar> {
    const path = join(this.layout.folder, SIDECAR);
    const shared = existsSync(path) ? await this.#tryOpen({ path, isWritable: false }) : undefined;
    return shared ?? this.#openPrivate();
  }

  async #openAsWriter(): Promise<Sidecar> {
    const path = join(this.layout.folder, SIDECAR);
    await makeFolder(this.layout.folder, this.host.fsync);
    const isNew = !existsSync(path);
    const opened = await this.#tryOpen({ path, isWritable: true });
    if (isNew) await this.layout.removeOldIndexes();
    const isUsable = opened !== undefined && (isNew || (await this.#isSound(opened)));
    if (isUsable) return opened;
    await opened?.close();
    await this.#removeSidecar();
    return this.#requireOpen(path);
  }

  /** Without syncs a power loss may have damaged the sidecar of a writer that did not close it. */
  async #isSound(sidecar: Sidecar): Promise<boolean> {
    return this.host.fsync !== "never" || sidecar.isComplete();
  }

  async #openPrivate(): Promise<Sidecar> {
    return this.#requireOpen(IN_MEMORY);
  }

  /** Returns undefined for a sidecar that cannot be used. */
  async #tryOpen(options: { readonly path: string; readonly isWritable: boolean }): Promise<Sidecar | undefined> {
    try {
      return await Sidecar.open({ ...options, host: this.host, files: this.#source });
    } catch (error) {
      const isForeign = error instanceof PalimpsestError && error.code === "config-invalid";
      if (options.isWritable && !isForeign && !isUnusable(error)) throw error;
      this.#warnUnusable();
      return undefined;
    }
  }

  async #requireOpen(path: string): Promise<Sidecar> {
    const opened = await Sidecar.open({ path, isWritable: true, host: this.host, files: this.#source });
    if (opened === undefined) throw new TypeError("Opening a writable sidecar returned nothing.");
    return opened;
  }

  get #source() {
    return {
      codec: this.layout.codec,
      open: (name: FileName) => this.files.open(name),
      onMissingBlob: (blob: MissingBlob) => this.files.warnMissingBlob(blob),
      isRequired: (name: FileName) => this.host.isWriter && this.files.open(name).isBeingRemoved !== true,
    };
  }

  /** After a writer ended without closing, any file may have lines that are not in the sidecar. */
  async #complete(sidecar: Sidecar): Promise<void> {
    this.files.forgetStates();
    this.#isComplete = false;
    const isComplete = await sidecar.isComplete();
    this.#isMarked = !isComplete;
    if (!isComplete) {
      await this.#updateAll(sidecar).catch(ignoreNewerFormat);
      await this.layout.removeOrphans();
      for (const name of await this.layout.listNames()) await finishErasure(this.files.open(name), this.layout);
      await sidecar.purge();
    }
    this.#nextEntryNumber = (await sidecar.findGreatestEntryNumber()) + 1;
  }

  async #mark(sidecar: Sidecar): Promise<void> {
    if (this.#substitute?.refusal !== undefined) throw this.#substitute.refusal;
    if (this.#isMarked) return;
    await sidecar.setComplete(false);
    this.#isMarked = true;
  }

  #replace(sidecar: Sidecar | undefined): void {
    if (this.#sidecar !== undefined) this.#retired.push(this.#sidecar);
    this.#sidecar = sidecar;
  }

  async #usePrivate(used: Sidecar | undefined): Promise<void> {
    await this.#opening.run(async () => {
      if (this.#sidecar === used && !this.host.isWriter) this.#replace(await this.#openPrivate());
    });
  }

  async #discard(used: Sidecar): Promise<void> {
    await this.#opening.run(async () => {
      if (this.#sidecar !== used) return;
      this.#sidecar = undefined;
      await used.close().catch(() => undefined);
      if (used.isPrivate) return;
      this.#warnUnusable();
      await this.#removeSidecar();
    });
  }

  async #removeSidecar(): Promise<void> {
    const path = join(this.layout.folder, SIDECAR);
    for (const ending of ["", "-wal", "-shm"]) await removeFile(path + ending);
  }

  #warnUnusable(): void {
    const path = join(this.layout.folder, SIDECAR);
    const text = `The index ${path} could not be used; it is rebuilt from the files next to it.`;
    this.host.warn({ text, path, counted: "rebuiltIndexes" });
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof PalimpsestError && error.details.reason === "disk-full";
}

/** A file of a newer version is refused when its session is used. Other files can still be used. */
function ignoreNewerFormat(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.code === "config-invalid")) throw error;
}

function createRestlessError(path: string, cause: LinesChangedError): PalimpsestError {
  const text = `${path} changes each time it is read. Stop the other program that writes to it, then try again.`;
  return new PalimpsestError("store-unavailable", text, { cause });
}
