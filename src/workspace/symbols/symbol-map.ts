/**
 * What the files of a repository define, and who refers to whom. A file that has changed is read again by itself: the
 * others keep what is known of them, so that a change costs what changed.
 */
import { hashText } from "../hash-text.ts";
import { type Outline, OutlineReader } from "./outline-reader.ts";

export interface SymbolBlock {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

interface KnownFile extends Outline {
  readonly block: SymbolBlock;
}

/** A name that more files define than this says nothing about which of them is meant. */
const MOST_DEFINERS = 4;

export class SymbolMap {
  readonly #reader = new OutlineReader();
  readonly #files = new Map<string, KnownFile>();
  /** Of what was read, also where it defines nothing. */
  readonly #hashes = new Map<string, string>();
  readonly #definers = new Map<string, Set<string>>();

  /** True where what is known of the file has changed. */
  async update(
    path: string,
    { text: source, hash }: { readonly text: string; readonly hash: string },
  ): Promise<boolean> {
    if (this.#hashes.get(path) === hash) return false;
    const outline = await this.#reader.read(path, source);
    this.remove(path);
    this.#hashes.set(path, hash);
    if (outline === undefined || outline.text === "") return true;
    this.#files.set(path, { ...outline, block: { path, text: outline.text, hash: hashText(outline.text) } });
    for (const name of outline.defines) {
      const definers = this.#definers.get(name) ?? new Set();
      this.#definers.set(name, definers.add(path));
    }
    return true;
  }

  remove(path: string): void {
    const known = this.#files.get(path);
    this.#hashes.delete(path);
    if (known === undefined) return;
    this.#files.delete(path);
    for (const name of known.defines) {
      const definers = this.#definers.get(name);
      definers?.delete(path);
      if (definers?.size === 0) this.#definers.delete(name);
    }
  }

  get paths(): readonly string[] {
    return [...this.#files.keys()].toSorted();
  }

  find(path: string): SymbolBlock | undefined {
    return this.#files.get(path)?.block;
  }

  /** Files that define what this one uses. */
  refersTo(path: string): readonly string[] {
    const known = this.#files.get(path);
    if (known === undefined) return [];
    const own = new Set(known.defines);
    const targets = new Set<string>();
    for (const name of known.uses) {
      const definers = own.has(name) ? undefined : this.#definers.get(name);
      if (definers === undefined || definers.size > MOST_DEFINERS) continue;
      for (const definer of definers) targets.add(definer);
    }
    targets.delete(path);
    return [...targets].toSorted();
  }
}
