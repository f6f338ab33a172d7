/**
 * Blobs as files of a folder, named `{epoch_ms}-{12 hex}.ext`: when the first message with this content came, and a
 * hash of the content. The folder is made with its first blob. A file is written beside its place, made durable, and
 * moved there, so that a name always stands for whole content.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../private-mode.ts";
import type { Blob, BlobBox } from "./blob.ts";

/** By media type. Of what is not here, images are called `png` and everything else `bin`. */
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
  /** Makes a new name in the folder durable. Without it that is left to the system. */
  readonly syncFolder?: ((folder: string) => Promise<void>) | undefined;
  /** Twelve digits for the name, where something else than the content decides. */
  readonly nameHash?: ((blob: Blob) => string) | undefined;
}

export function createFolderBlobBox(options: FolderBlobBoxOptions): BlobBox {
  const { folder, syncFolder, nameHash = ({ sha256 }: Blob) => sha256 } = options;
  let known: Promise<Map<string, string>> | undefined;

  return {
    async put(blob) {
      known ??= listNames(folder);
      const names = await known;
      const hash = nameHash(blob).slice(0, HASH_DIGITS);
      const stored = names.get(hash);
      if (stored !== undefined && (await holds(join(folder, stored), blob))) return { name: stored, isNew: false };
      // Another content under the same twelve digits, or the file is gone: the whole hash tells them apart.
      const name = nameOf(blob, stored === undefined ? hash : `${hash}-${blob.sha256.slice(HASH_DIGITS)}`);
      await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
      await writeWhole(folder, name, blob.bytes);
      await syncFolder?.(folder);
      names.set(hash, name);
      return { name, isNew: true };
    },

    async find(name) {
      if (!NAME.test(name)) return undefined;
      return orUndefined(readFile(join(folder, name)));
    },

    async remove(name) {
      if (!NAME.test(name)) return;
      known = undefined;
      await orUndefined(unlink(join(folder, name)));
    },
  };
}

function nameOf({ at, mediaType }: Blob, hash: string): string {
  const isImage = mediaType?.startsWith("image/") ?? true;
  return `${Math.trunc(at)}-${hash}.${EXTENSIONS[mediaType ?? ""] ?? (isImage ? "png" : "bin")}`;
}

/** The media type that a name stands for, where the name is all that is known. */
export function mediaTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return Object.entries(EXTENSIONS).find(([, known]) => known === extension)?.[0] ?? "application/octet-stream";
}

/** How many blobs a folder holds, and their bytes. Nothing where there is no such folder. */
export async function measureFolder(folder: string): Promise<{ readonly count: number; readonly bytes: number }> {
  const names = ((await orUndefined(readdir(folder))) ?? []).filter((name) => NAME.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await orUndefined(stat(join(folder, name))))?.size ?? 0));
  return { count: names.length, bytes: sizes.reduce((total, size) => total + size, 0) };
}

async function listNames(folder: string): Promise<Map<string, string>> {
  const names = (await orUndefined(readdir(folder))) ?? [];
  return new Map(
    names.flatMap((name) => {
      const hash = NAME.exec(name)?.[1];
      return hash === undefined ? [] : [[hash, name] as const];
    }),
  );
}

async function holds(path: string, { bytes }: Blob): Promise<boolean> {
  const stored = await orUndefined(readFile(path));
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
    await orUndefined(unlink(temporary));
    throw error;
  }
}

/** Undefined where there is no such file or folder. */
async function orUndefined<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
