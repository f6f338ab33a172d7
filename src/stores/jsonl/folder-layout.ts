/**
 * Finds the files with the sessions of a tenant. In our own format each session has a file, with its blobs next to it.
 * In the format of the workspace document all sessions are in `.ac-dc/history.jsonl`, and images in `.ac-dc/images`.
 */
import { createHash } from "node:crypto";
import { readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../core/log/entry.ts";
import type { Blob, BlobBox } from "../blobs/blob.ts";
import { createFolderBlobBox, measureFolder } from "../blobs/folder-blob-box.ts";
import { type FsyncPolicy, syncFolder } from "./line-file.ts";
import { errorCode, mediumError, withMediumErrors } from "./medium-error.ts";
import { type LineCodec, ownCodec } from "./stored-line.ts";
import { workspaceCodec } from "./workspace-codec.ts";

/** Name of a file of lines, without its extension. */
export type FileName = string;

export interface FolderLayout {
  readonly folder: string;
  readonly codec: LineCodec;
  /** Whether one file contains all sessions; its entries then need no number among all of the tenant's. */
  readonly hasOneFile: boolean;
  nameFor(id: SessionId): FileName;
  listNames(): Promise<readonly FileName[]>;
  pathOf(name: FileName): string;
  openBlobs(name: FileName): BlobBox;
  measureBlobs(): Promise<{ readonly count: number; readonly bytes: number }>;
  /** Removes a file of lines and everything next to it. */
  remove(name: FileName): Promise<void>;
  /** Removes blobs whose file of lines is gone: a process was killed while it removed both. */
  removeOrphans(): Promise<void>;
  /** Removes the index files of versions without a sidecar. */
  removeOldIndexes(): Promise<void>;
}

const EXTENSION = ".jsonl";
const BLOBS = ".blobs";
const OLD_INDEXES = [".index", ".index.json"];

export function createOwnLayout(folder: string, fsync: FsyncPolicy): FolderLayout {
  const pathOf = (name: FileName) => join(folder, `${name}${EXTENSION}`);
  const blobsOf = (name: FileName) => join(folder, `${name}${BLOBS}`);
  return {
    folder,
    codec: ownCodec,
    hasOneFile: false,
    nameFor: safeName,
    listNames: () => listFiles(folder, EXTENSION),
    pathOf,
    openBlobs: (name) => createFolderBlobBox({ folder: blobsOf(name), syncFolder: findSync(fsync) }),
    async measureBlobs() {
      let [count, bytes] = [0, 0];
      for (const name of await listFiles(folder, BLOBS)) {
        const measured = await measureFolder(blobsOf(name));
        count += measured.count;
        bytes += measured.bytes;
      }
      return { count, bytes };
    },
    async remove(name) {
      await removeFile(pathOf(name));
      // The session is deleted with its file. If the process is killed, the next writer removes the blobs that are left
      // over.
      await rm(blobsOf(name), { recursive: true, force: true });
    },
    async removeOrphans() {
      const names = new Set(await listFiles(folder, EXTENSION));
      for (const name of await listFiles(folder, BLOBS)) {
        if (!names.has(name)) await rm(blobsOf(name), { recursive: true, force: true });
      }
    },
    async removeOldIndexes() {
      for (const ending of OLD_INDEXES) {
        for (const name of await listFiles(folder, ending)) await removeFile(join(folder, `${name}${ending}`));
      }
      await removeFile(join(folder, "turns.json"));
    },
  };
}

const HISTORY = "history";

export function createWorkspaceLayout(folder: string, fsync: FsyncPolicy): FolderLayout {
  const images = join(folder, "images");
  const pathOf = (name: FileName) => join(folder, `${name}${EXTENSION}`);
  return {
    folder,
    codec: workspaceCodec,
    hasOneFile: true,
    nameFor: () => HISTORY,
    listNames: async () => (await listFiles(folder, EXTENSION)).filter((name) => name === HISTORY),
    pathOf,
    openBlobs: () => createFolderBlobBox({ folder: images, syncFolder: findSync(fsync), nameHash: hashDataUri }),
    measureBlobs: () => measureFolder(images),
    remove: (name) => removeFile(pathOf(name)),
    removeOrphans: async () => undefined,
    async removeOldIndexes() {
      for (const ending of OLD_INDEXES) await removeFile(join(folder, `${HISTORY}${ending}`));
    },
  };
}

function findSync(fsync: FsyncPolicy): ((folder: string) => Promise<void>) | undefined {
  return fsync === "never" ? undefined : syncFolder;
}

/** The document names images by a hash of their data URI. */
function hashDataUri({ bytes, mediaType = "image/png" }: Blob): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return createHash("sha256").update(`data:${mediaType};base64,${base64}`).digest("hex");
}

/** Lists the names that end in an extension, without it. A missing folder has none. */
async function listFiles(folder: string, extension: string): Promise<readonly FileName[]> {
  try {
    const files = await readdir(folder);
    return files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw mediumError({ verb: "list", path: folder }, error);
  }
}

export async function removeFile(path: string): Promise<void> {
  await withMediumErrors({ verb: "remove", path }, () =>
    unlink(path).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    }),
  );
}

const READABLE_CHARACTERS = 40;
const HASH_DIGITS = 32;

/** Returns a file name for any id: a readable part and a hash, safe on every file system. */
export function safeName(id: string): string {
  const readable = id
    .slice(0, READABLE_CHARACTERS)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
  // JSON distinguishes lone surrogates; UTF-8 does not.
  const hash = createHash("sha256").update(JSON.stringify(id)).digest("hex").slice(0, HASH_DIGITS);
  return readable === "" ? hash : `${readable}-${hash}`;
}
