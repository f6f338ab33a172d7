/**
 * Images that wait for their message, as files beside the store, so that a server that ends and is started again still
 * has them. They are found by the hash of whose they are, and by their own; each is there whole or not at all. What is
 * older than its time, or too much, is taken away when another comes. Losing one costs its sender another upload, so
 * nothing here fails whoever sends one.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ImagePlace {
  readonly tenantId: string;
  readonly sessionId: string;
}

export interface ShelvedImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ImageFilesOptions {
  readonly folder: string;
  readonly lifetimeMs: number;
  readonly mostBytes: number;
}

const PRIVATE = { folder: 0o700, file: 0o600 } as const;
const NEWLINE = 0x0a;

export class ImageFiles {
  readonly #options: ImageFilesOptions;

  constructor(options: ImageFilesOptions) {
    this.#options = options;
  }

  async put(place: ImagePlace, id: string, { mediaType, bytes }: ShelvedImage): Promise<void> {
    const { folder } = this.#options;
    const path = this.#pathOf(place, id);
    try {
      await mkdir(folder, { recursive: true, mode: PRIVATE.folder });
      const begun = `${path}.${randomUUID()}`;
      await writeFile(begun, Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]), { mode: PRIVATE.file });
      await rename(begun, path);
      await this.clear();
    } catch {
      // It still waits in memory.
    }
  }

  async find(place: ImagePlace, id: string): Promise<ShelvedImage | undefined> {
    const path = this.#pathOf(place, id);
    try {
      if (this.#isOver((await stat(path)).mtimeMs)) return undefined;
      const held = await readFile(path);
      const end = held.indexOf(NEWLINE);
      return { mediaType: held.toString("latin1", 0, end), bytes: new Uint8Array(held.subarray(end + 1)) };
    } catch {
      return undefined;
    }
  }

  /** All of a session. */
  async forget(place: ImagePlace): Promise<void> {
    const names = await this.#list();
    await this.#remove(names.filter((name) => name.startsWith(ownerOf(place))));
  }

  /** Takes away what nobody may name any more, and the oldest of too much. */
  async clear(): Promise<void> {
    const { folder, mostBytes } = this.#options;
    const names = await this.#list();
    const looked = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
    const files = names.flatMap((name, index) => {
      const found = looked[index];
      return found === undefined ? [] : [{ name, bytes: found.size, at: found.mtimeMs }];
    });
    let room = mostBytes;
    const over = files
      .toSorted((left, right) => right.at - left.at)
      .filter(({ bytes, at }) => {
        room -= bytes;
        return room < 0 || this.#isOver(at);
      });
    await this.#remove(over.map(({ name }) => name));
  }

  async #list(): Promise<readonly string[]> {
    return readdir(this.#options.folder).catch(() => []);
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { folder } = this.#options;
    await Promise.all(names.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
    // It goes with its last image; one that still holds something stays.
    await rmdir(folder).catch(() => undefined);
  }

  #isOver(at: number): boolean {
    return Date.now() - at >= this.#options.lifetimeMs;
  }

  #pathOf(place: ImagePlace, id: string): string {
    return join(this.#options.folder, `${ownerOf(place)}-${id}`);
  }
}

/** Names of tenants and sessions are others' words, and no part of a path. */
function ownerOf({ tenantId, sessionId }: ImagePlace): string {
  return createHash("sha256")
    .update(JSON.stringify([tenantId, sessionId]))
    .digest("hex")
    .slice(0, 32);
}

/** Beside a store that is a file or a folder; a database elsewhere has no place for them. */
export function imagesBeside(storePath: string | undefined): string | undefined {
  return storePath === undefined ? undefined : `${storePath.replace(/[/\\]+$/, "")}-images`;
}
