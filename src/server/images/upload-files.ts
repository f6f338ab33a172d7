/**
 * Files of pending uploads next to the store, so that a restart keeps them. Names are the hashes of the owner and of
 * the image, and a file is complete or absent. Expired files, and the oldest above the limit, are removed with the next
 * upload. A lost file costs one more upload, so errors are ignored here.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionKey } from "../tenants/tenants.ts";

export interface UploadedImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface UploadFilesOptions {
  readonly folder: string;
  readonly lifetimeMs: number;
  readonly maxBytes: number;
}

const PRIVATE = { folder: 0o700, file: 0o600 } as const;
const NEWLINE = 0x0a;

export class UploadFiles {
  readonly #options: UploadFilesOptions;

  constructor(options: UploadFilesOptions) {
    this.#options = options;
  }

  async put(session: SessionKey, id: string, { mediaType, bytes }: UploadedImage): Promise<void> {
    const { folder } = this.#options;
    const path = this.#pathOf(session, id);
    try {
      await mkdir(folder, { recursive: true, mode: PRIVATE.folder });
      const temporary = `${path}.${randomUUID()}`;
      await writeFile(temporary, Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]), { mode: PRIVATE.file });
      await rename(temporary, path);
      await this.clear();
    } catch {
      // The image is still in memory.
    }
  }

  async find(session: SessionKey, id: string): Promise<UploadedImage | undefined> {
    const path = this.#pathOf(session, id);
    try {
      if (this.#isExpired((await stat(path)).mtimeMs)) return undefined;
      const content = await readFile(path);
      const end = content.indexOf(NEWLINE);
      return { mediaType: content.toString("latin1", 0, end), bytes: new Uint8Array(content.subarray(end + 1)) };
    } catch {
      return undefined;
    }
  }

  /** Removes one image of a session, or all of them. */
  async forget(session: SessionKey, id = ""): Promise<void> {
    const names = await this.#list();
    await this.#remove(names.filter((name) => name.startsWith(`${hashOwner(session)}-${id}`)));
  }

  async clear(): Promise<void> {
    const { folder, maxBytes } = this.#options;
    const names = await this.#list();
    const stats = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
    const files = names.flatMap((name, index) => {
      const found = stats[index];
      return found === undefined ? [] : [{ name, bytes: found.size, at: found.mtimeMs }];
    });
    let leftBytes = maxBytes;
    const removed = files
      .toSorted((left, right) => right.at - left.at)
      .filter(({ bytes, at }) => {
        leftBytes -= bytes;
        return leftBytes < 0 || this.#isExpired(at);
      });
    await this.#remove(removed.map(({ name }) => name));
  }

  async #list(): Promise<readonly string[]> {
    return readdir(this.#options.folder).catch(() => []);
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { folder } = this.#options;
    await Promise.all(names.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
    // Fails while the folder still has files.
    await rmdir(folder).catch(() => undefined);
  }

  #isExpired(at: number): boolean {
    return Date.now() - at >= this.#options.lifetimeMs;
  }

  #pathOf(session: SessionKey, id: string): string {
    return join(this.#options.folder, `${hashOwner(session)}-${id}`);
  }
}

/** Names of tenants and sessions are user input and must not become part of a path. */
function hashOwner({ tenantId, sessionId }: SessionKey): string {
  return createHash("sha256")
    .update(JSON.stringify([tenantId, sessionId]))
    .digest("hex")
    .slice(0, 32);
}

/** Returns the folder next to a store that is a file or a folder, or undefined for other stores. */
export function findUploadFolder(storePath: string | undefined): string | undefined {
  return storePath === undefined ? undefined : `${storePath.replace(/[/\\]+$/, "")}-images`;
}
