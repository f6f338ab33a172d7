/** Reads text files of one folder. A path must be plain and resolve to a regular file inside the root. */
import { realpath, stat } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { createPathRefusal } from "../../core/prompt/workspace/clean-path.ts";
import type { WorkspaceFile } from "../../ports/workspace.ts";
import { decodeText } from "./decode-text.ts";
import { type CachedFile, FileCache, findSettledStamp, hashContent } from "./file-cache.ts";
import { findPathFault, formatStamp, Refusal, RootReader, readBounded } from "./root-reader.ts";

export interface RepositoryOptions {
  /** Largest size of a file; larger files are refused. Default 2 MB. */
  readonly maxBytes?: number | undefined;
}

const MAX_BYTES = 2 * 2 ** 20;

export class Repository {
  readonly root: string;
  readonly #maxBytes: number;
  readonly #inside: RootReader;
  readonly #known = new FileCache();

  private constructor(root: string, maxBytes: number) {
    this.root = root;
    this.#maxBytes = maxBytes;
    this.#inside = new RootReader(root);
  }

  static async open(root: string, { maxBytes = MAX_BYTES }: RepositoryOptions = {}): Promise<Repository> {
    const resolved = await realpath(root).catch(refuseRoot(root));
    const facts = await stat(resolved).catch(refuseRoot(root));
    if (!facts.isDirectory()) throw refuseRoot(root)(new TypeError("It is not a folder."));
    return new Repository(resolved, maxBytes);
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
    if (fault !== undefined) throw createPathRefusal(path, fault);
    try {
      return await this.#inside.open(path.replaceAll("\\", "/"), async (handle, facts) => {
        if (known?.stamp !== undefined && known.stamp === formatStamp(facts)) return known;
        const askedAt = Date.now();
        const { bytes, facts: after, isWhole } = await readBounded(handle, facts, { maxBytes: this.#maxBytes });
        const text = decodeText(bytes);
        if (text === undefined) throw new Refusal("it is not text");
        const hash = hashContent(text);
        const file = known?.file.hash === hash ? known.file : { path, text, hash };
        return { file, stamp: isWhole ? findSettledStamp(after, askedAt) : undefined };
      });
    } catch (error) {
      this.#known.delete(path);
      if (error instanceof Refusal) throw createPathRefusal(path, error.message, error.cause);
      throw createPathRefusal(
        path,
        `it cannot be read (${error instanceof Error ? error.message : String(error)})`,
        error,
      );
    }
  }
}

function refuseRoot(root: string): (cause: unknown) => never {
  return (cause) => {
    const text = `The workspace's root ${JSON.stringify(root)} cannot be opened. Name a folder that exists and can be read.`;
    throw new PalimpsestError("file-refused", text, { cause });
  };
}
