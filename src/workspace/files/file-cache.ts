/** Caches files with their stamps, so that an unchanged file is not read twice. Evicts the least recently used. */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { WorkspaceFile } from "../../ports/workspace.ts";
import { formatStamp } from "./root-reader.ts";

export interface CachedFile {
  readonly file: WorkspaceFile;
  /** Undefined while the file is too new to be identified by its stamp. */
  readonly stamp: string | undefined;
}

const MAX_CHARACTERS = 32 * 2 ** 20;
const MAX_FILES = 2_000;

export class FileCache {
  readonly #files = new Map<string, CachedFile>();
  #characters = 0;

  find(path: string): CachedFile | undefined {
    return this.#files.get(path);
  }

  set(path: string, read: CachedFile): void {
    this.delete(path);
    this.#files.set(path, read);
    this.#characters += read.file.text.length;
    for (const oldest of this.#files.keys()) {
      if (this.#characters <= MAX_CHARACTERS && this.#files.size <= MAX_FILES) return;
      this.delete(oldest);
    }
  }

  delete(path: string): void {
    this.#characters -= this.#files.get(path)?.file.text.length ?? 0;
    this.#files.delete(path);
  }
}

/** The coarsest clock in use (FAT). A younger file could change without a new stamp, so its text is compared. */
const COARSEST_TICK_MS = 2_000n;

/** Returns undefined while the file is too new to be identified by its stamp. */
export function findSettledStamp(facts: BigIntStats, askedAtMs: number): string | undefined {
  const isOld = (ns: bigint) => BigInt(askedAtMs) - ns / 1_000_000n > COARSEST_TICK_MS;
  return isOld(facts.mtimeNs) && isOld(facts.ctimeNs) ? formatStamp(facts) : undefined;
}

/** Hashes a text to detect changes. An empty text has an empty hash. */
export function hashContent(text: string): string {
  return text === "" ? "" : createHash("sha256").update(text).digest("hex");
}
