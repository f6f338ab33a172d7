/**
 * Reads files of one folder and of nothing else. A path is spelled plainly, its links are resolved, and what is left
 * must lie inside the root; only then is it opened, and only as an ordinary file. Nothing is ever written.
 */
import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { PalimpsestError } from "../core/errors.ts";
import type { WorkspaceFile } from "../ports/workspace.ts";
import { decodeText } from "./decode-text.ts";
import { FileMemory, isSettled, type ReadFile } from "./file-memory.ts";
import { findPathFault } from "./find-path-fault.ts";
import { hashText } from "./hash-text.ts";
import { InsideReader, Refusal, readBounded, stampOf } from "./read-inside.ts";

export interface RepositoryOptions {
  /** Larger files are refused; 2 MB without it. */
  readonly mostBytes?: number | undefined;
}

const MOST_BYTES = 2 * 2 ** 20;

export class Repository {
  readonly root: string;
  readonly #mostBytes: number;
  readonly #inside: InsideReader;
  readonly #known = new FileMemory();

  private constructor(root: string, mostBytes: number) {
    this.root = root;
    this.#mostBytes = mostBytes;
    this.#inside = new InsideReader(root);
  }

  static async open(root: string, { mostBytes = MOST_BYTES }: RepositoryOptions = {}): Promise<Repository> {
    const resolved = await realpath(root).catch(refuseRoot(root));
    const facts = await stat(resolved).catch(refuseRoot(root));
    if (!facts.isDirectory()) throw refuseRoot(root)(new TypeError("It is no folder."));
    return new Repository(resolved, mostBytes);
  }

  /**
   * Undefined where there is no such file. Fails with `file-refused` for what may not be read or is no text. The same
   * object while the file is unchanged.
   */
  async findText(path: string): Promise<WorkspaceFile | undefined> {
    const known = this.#known.find(path);
    const read = await this.read(path, known);
    if (read === undefined) this.#known.delete(path);
    else this.#known.set(path, read);
    return read?.file;
  }

  /** Reads without remembering. What is known is given back where it is still true. */
  async read(path: string, known?: ReadFile): Promise<ReadFile | undefined> {
    const fault = findPathFault(path);
    if (fault !== undefined) throw refused(path, fault);
    try {
      return await this.#inside.open(path.replaceAll("\\", "/"), async (handle, facts) => {
        if (known?.stamp !== undefined && known.stamp === stampOf(facts)) return known;
        const askedAt = Date.now();
        const { bytes, facts: after, isWhole } = await readBounded(handle, facts, { mostBytes: this.#mostBytes });
        return this.#decode(path, { bytes, known, stamp: isWhole ? settledStamp(after, askedAt) : undefined });
      });
    } catch (error) {
      this.#known.delete(path);
      if (error instanceof Refusal) throw refused(path, error.message, error.cause);
      throw refused(path, `it cannot be read (${error instanceof Error ? error.message : String(error)})`, error);
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
      readonly known: ReadFile | undefined;
      readonly stamp: string | undefined;
    },
  ): ReadFile {
    const text = decodeText(bytes);
    if (text === undefined) throw new Refusal("it is no text");
    const hash = hashText(text);
    return { file: known?.file.hash === hash ? known.file : { path, text, hash }, stamp };
  }
}

function settledStamp(facts: BigIntStats, askedAt: number): string | undefined {
  return isSettled(facts, askedAt) ? stampOf(facts) : undefined;
}

function refuseRoot(root: string): (cause: unknown) => never {
  return (cause) => {
    const text = `The workspace's root ${JSON.stringify(root)} cannot be opened. Name a folder that exists and can be read.`;
    throw new PalimpsestError("file-refused", text, { cause });
  };
}

function refused(path: string, why: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError(
    "file-refused",
    `The path ${JSON.stringify(path)} is refused: ${why}. Name a text file by its path below the workspace's root.`,
    { cause },
  );
}
