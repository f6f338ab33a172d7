/**
 * Files that were read, with the stamp by which each is known again, so that an unchanged one is not read twice. What
 * has not been asked for longest is forgotten first. It reads nothing.
 */
import type { BigIntStats } from "node:fs";
import type { WorkspaceFile } from "../ports/workspace.ts";

export interface ReadFile {
  readonly file: WorkspaceFile;
  /** Undefined while the file is too young to be known by its stamp. */
  readonly stamp: string | undefined;
}

/** Of all texts together. */
const MOST_CHARACTERS = 32 * 2 ** 20;
const MOST_FILES = 2_000;

export class FileMemory {
  readonly #files = new Map<string, ReadFile>();
  #characters = 0;

  find(path: string): ReadFile | undefined {
    return this.#files.get(path);
  }

  set(path: string, read: ReadFile): void {
    this.delete(path);
    this.#files.set(path, read);
    this.#characters += read.file.text.length;
    for (const oldest of this.#files.keys()) {
      if (this.#characters <= MOST_CHARACTERS && this.#files.size <= MOST_FILES) return;
      this.delete(oldest);
    }
  }

  delete(path: string): void {
    this.#characters -= this.#files.get(path)?.file.text.length ?? 0;
    this.#files.delete(path);
  }
}

/**
 * The coarsest clock of a disk that is in use (FAT) ticks every two seconds. Until a file has rested for longer, another
 * write of the same size could leave the same stamp, so its stamp is not believed and its text is compared.
 */
const COARSEST_TICK_MS = 2_000n;

export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, askedAtMs: number): boolean {
  const changedMs = (mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n;
  return BigInt(askedAtMs) - changedMs > COARSEST_TICK_MS;
}
