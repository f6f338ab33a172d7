/** Reads text files of one folder. A path must be plain and resolve to a regular file inside the root. */
import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { WorkspaceFile } from "../../ports/workspace.ts";
import { decodeText } from "./decode-text.ts";
import { type CachedFile, FileCache, hashContent, isSettled } from "./file-cache.ts";
import { findPathFault, formatStamp, Refusal, RootReader, readBounded } from "./root-reader.ts";

export interface RepositoryOptions {
  /** Limit of a file, beyond which it is refused; default 2 MB. */
  readonly mostBytes?: number | undefined;
}

const MAX_BYTES = 2 * 2 ** 20;

export class Repository {
  readonly root: string;
  readonly #mostBytes: number;
  readonly #inside: RootReader;
  readonly #known = new FileCache();

  private constructor(root: string, mostBytes: number) {
    this.root = root;
    this.#mostBytes = mostBytes;
    this.#inside = new RootReader(root);
  }

  static async open(root: string, { mostBytes = MAX_BYTES }: RepositoryOptions = {}): Promise<Repository> {
    const resolved = await realpath(root).catch(refuseRoot(root));
    const facts = await stat(resolved).catch(refuseRoot(root));
    if (!facts.isDirectory()) throw refuseRoot(root)(new TypeError("It is not a folder."));
    return new Repository(resolved, mostBytes);
  }

  /** Returns the same object while the file is unchanged, undefined if there is none. Fails with `file-refused`. */
  async findText(path: string): Promise<WorkspaceFile | undefined> {
    const known = this.#known.find(path);
    const read = await this.read(path, known);
    if (read === undefined) this.#known.delete(path);
    else this.#known.set(path, read);
    return read?.file;
  }

  /** Reads a file without caching it. Returns `known` if it is still current. */
  async read(path: string, known?: CachedFile): Promise<CachedFile | undefined> {
    const fault = findPathFault(path);
    if (fault !== undefined) throw createRefusal(path, fault);
    try {
      return await this.#inside.open(path.replaceAll("\\", "/"), async (handle, facts) => {
        if (known?.stamp !== undefined && known.stamp === formatStamp(facts)) return known;
        const askedAt = Date.now();
        const { bytes, facts: after, isWhole } = await readBounded(handle, facts, { mostBytes: this.#mostBytes });
        return this.#decode(path, { bytes, known, stamp: isWhole ? findSettledStamp(after, askedAt) : undefined });
      });
    } catch (error) {
      this.#known.delete(path);
      if (error instanceof Refusal) throw createRefusal(path, error.message, error.cause);
      throw createRefusal(path, `it cannot be read (${error instanceof Error ? error.message : String(error)})`, error);
    }
  }

  #decode(
    path: string,
    {
      bytes,
      known,
      stamp,
    }: {
      readonly bytes: Uint8Array;
      readonly known: CachedFile | undefined;
      readonly stamp: string | undefined;
    },
  ): CachedFile {
    const text = decodeText(bytes);
    if (text === undefined) throw new Refusal("it is not text");
    const hash = hashContent(text);
    return { file: known?.file.hash === hash ? known.file : { path, text, hash }, stamp };
  }
}

function findSettledStamp(facts: BigIntStats, askedAt: number): string | undefined {
  return isSettled(facts, askedAt) ? formatStamp(facts) : undefined;
}

function refuseRoot(root: string): (cause: unknown) => never {
  return (cause) => {
    const text = `The workspace's root ${JSON.stringify(root)} cannot be opened. Name a folder that exists and can be read.`;
    throw new PalimpsestError("file-refused", text, { cause });
  };
}

function createRefusal(path: string, why: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError(
    "file-refused",
    `The path ${JSON.stringify(path)} is refused: ${why}. Name a text file by its path below the workspace's root.`,
    { cause },
  );
}
