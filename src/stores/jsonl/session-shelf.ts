/** Our own format on a disk: one file a session, with its index and its blobs beside it. A few are open at a time. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../core/log/entry.ts";
import { createFolderBlobBox, measureFolder } from "../blobs/folder-blob-box.ts";
import { type FileStamp, findStamp, syncFolder } from "./line-file.ts";
import { makeFolder } from "./make-folder.ts";
import { errorCode, mediumError } from "./medium-error.ts";
import { ownCodec } from "./own-codec.ts";
import { safeName } from "./safe-name.ts";
import type { Shelf, VolumeName } from "./shelf.ts";
import { TurnCounter } from "./turn-counter.ts";
import { Volume } from "./volume.ts";
import type { VolumeHost } from "./volume-host.ts";

interface Lent {
  readonly volume: Volume;
  users: number;
}

/** Each open file holds two handles and its index. */
const MOST_OPEN = 64;
const MOST_ENTRIES = 2_000_000;
const EXTENSION = ".jsonl";
const BLOBS = ".blobs";

export class SessionShelf implements Shelf {
  readonly #folder: string;
  readonly #host: VolumeHost;
  /** The one that was not used for the longest time first. */
  readonly #open = new Map<VolumeName, Lent>();
  readonly #turns: TurnCounter;

  constructor(folder: string, host: VolumeHost) {
    this.#folder = folder;
    this.#host = host;
    this.#turns = new TurnCounter({ path: join(folder, "turns.json"), findGreatest: () => this.#findGreatestTurn() });
  }

  nameFor(id: SessionId): VolumeName {
    return safeName(id);
  }

  async listNames(): Promise<readonly VolumeName[]> {
    return this.#listFiles(EXTENSION);
  }

  async findStamp(name: VolumeName): Promise<FileStamp | undefined> {
    return findStamp(this.#path(name, EXTENSION));
  }

  async use<Result>(name: VolumeName, work: (volume: Volume) => Promise<Result>): Promise<Result> {
    const lent = this.#open.get(name) ?? { volume: this.#create(name), users: 0 };
    this.#open.delete(name);
    this.#open.set(name, lent);
    lent.users += 1;
    try {
      return await work(lent.volume);
    } finally {
      lent.users -= 1;
      await this.#closeSome();
    }
  }

  async prepare(): Promise<void> {
    await makeFolder(this.#folder, this.#host.fsync);
  }

  async loadTurns(): Promise<void> {
    await this.#turns.load();
  }

  async takeTurns(count: number): Promise<number> {
    return this.#turns.take(count);
  }

  async removeSession(volume: Volume, id: SessionId): Promise<void> {
    await volume.remove();
    // The session is gone with its file; what stands beside it is only space, and is removed again with the next one.
    await rm(this.#path(this.nameFor(id), BLOBS), { recursive: true, force: true });
  }

  async measureBlobs(): Promise<{ readonly count: number; readonly bytes: number }> {
    let [count, bytes] = [0, 0];
    for (const name of await this.#listFiles(BLOBS)) {
      const measured = await measureFolder(this.#path(name, BLOBS));
      count += measured.count;
      bytes += measured.bytes;
    }
    return { count, bytes };
  }

  async close(): Promise<void> {
    for (const { volume } of this.#open.values()) await volume.serial.run(() => volume.close());
    this.#open.clear();
  }

  async #findGreatestTurn(): Promise<number> {
    let greatest = 0;
    for (const name of await this.listNames()) {
      const turns = await this.use(name, (volume) =>
        volume.serial.run(async () => {
          await volume.refresh();
          return volume.sessions.map(({ facts }) => facts.lastTurn);
        }),
      );
      greatest = Math.max(greatest, ...turns);
    }
    return greatest;
  }

  /** Names of what ends in an extension, without it. */
  async #listFiles(extension: string): Promise<readonly VolumeName[]> {
    try {
      const files = await readdir(this.#folder);
      return files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw mediumError({ verb: "list", path: this.#folder }, error);
    }
  }

  #create(name: VolumeName): Volume {
    const { fsync } = this.#host;
    const blobs = createFolderBlobBox({
      folder: this.#path(name, BLOBS),
      syncFolder: fsync === "never" ? undefined : syncFolder,
    });
    const [path, indexPath] = [this.#path(name, EXTENSION), this.#path(name, "")];
    return new Volume({ path, indexPath, codec: ownCodec, blobs, host: this.#host });
  }

  #path(name: VolumeName, extension: string): string {
    return join(this.#folder, `${name}${extension}`);
  }

  /** A volume stays known until it is closed, so that there are never two of one file. */
  async #closeSome(): Promise<void> {
    let entries = 0;
    for (const { volume } of this.#open.values()) entries += volume.entryCount;
    for (const [name, lent] of [...this.#open]) {
      if (this.#open.size <= MOST_OPEN && entries <= MOST_ENTRIES) return;
      if (lent.users > 0) continue;
      entries -= lent.volume.entryCount;
      lent.users += 1;
      await lent.volume.serial.run(() => lent.volume.close());
      lent.users -= 1;
      if (lent.users === 0) this.#open.delete(name);
    }
  }
}
