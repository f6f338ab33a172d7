/** Keeps blobs as files, named `{epoch_ms}-{12 hex}.ext` by time and hash. A named file is always complete. */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../shared/private-mode.ts";
import type { Blob, BlobBox } from "./blob.ts";

/** File extensions by media type. Other images use `png`, everything else `bin`. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

const HASH_DIGITS = 12;
const NAME = /^\d+-([0-9a-f]{12})(?:-[0-9a-f]{52})?\.[a-z0-9]+$/;

export interface FolderBlobBoxOptions {
  readonly folder: string;
  /** Syncs the folder after a new file. Without it the operating system decides when. */
  readonly syncFolder?: ((folder: string) => Promise<void>) | undefined;
  /** Returns the twelve hex digits of the name, if they do not come from the content. */
  readonly nameHash?: ((blob: Blob) => string) | undefined;
}

export function createFolderBlobBox(options: FolderBlobBoxOptions): BlobBox {
  const { folder, syncFolder, nameHash = ({ sha256 }: Blob) => sha256 } = options;
  let known: Promise<Map<string, string>> | undefined;

  return {
    async put(blob) {
      known ??= listFileNames(folder);
      const names = await known;
      const hash = nameHash(blob).slice(0, HASH_DIGITS);
      const stored = names.get(hash);
      if (stored !== undefined && (await hasContent(join(folder, stored), blob))) return { name: stored, isNew: false };
      // The name is taken by other content, or its file is gone: the whole hash makes the new name unique.
      const name = buildName(blob, stored === undefined ? hash : `${hash}-${blob.sha256.slice(HASH_DIGITS)}`);
      await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
      await writeWhole(folder, name, blob.bytes);
      await syncFolder?.(folder);
      names.set(hash, name);
      return { name, isNew: true };
    },

    async find(name) {
      if (!NAME.test(name)) return undefined;
      return ignoreMissing(readFile(join(folder, name)));
    },

    async remove(name) {
      if (!NAME.test(name)) return;
      known = undefined;
      await ignoreMissing(unlink(join(folder, name)));
    },
  };
}

function buildName({ at, mediaType }: Blob, hash: string): string {
  const isImage = mediaType?.startsWith("image/") ?? true;
  return `${Math.trunc(at)}-${hash}.${EXTENSIONS[mediaType ?? ""] ?? (isImage ? "png" : "bin")}`;
}

export function findMediaType(name: string): string {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return Object.entries(EXTENSIONS).find(([, known]) => known === extension)?.[0] ?? "application/octet-stream";
}

/** Counts the blobs of a folder and their bytes. A missing folder has none. */
export async function measureFolder(folder: string): Promise<{ readonly count: number; readonly bytes: number }> {
  const names = ((await ignoreMissing(readdir(folder))) ?? []).filter((name) => NAME.test(name));
  const sizes = await Promise.all(
    names.map(async (name) => (await ignoreMissing(stat(join(folder, name))))?.size ?? 0),
  );
  return { count: names.length, bytes: sizes.reduce((total, size) => total + size, 0) };
}

async function listFileNames(folder: string): Promise<Map<string, string>> {
  const names = (await ignoreMissing(readdir(folder))) ?? [];
  return new Map(
    names.flatMap((name) => {
      const hash = NAME.exec(name)?.[1];
      return hash === undefined ? [] : [[hash, name] as const];
    }),
  );
}

async function hasContent(path: string, { bytes }: Blob): Promise<boolean> {
  const stored = await ignoreMissing(readFile(path));
  return stored?.equals(bytes) ?? false;
}

async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(folder, `.${randomUUID()}.new`);
  const handle = await open(temporary, "wx", PRIVATE_FILE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
    await rename(temporary, join(folder, name));
  } catch (error) {
    await handle.close();
    await ignoreMissing(unlink(temporary));
    throw error;
  }
}

/** Resolves to undefined if the file or folder does not exist. */
async function ignoreMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
