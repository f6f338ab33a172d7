/**
 * What the files of a repository define, and who refers to whom. A file that has changed is read again by itself, and
 * only files that use a name which has come or gone are looked at again, so that a change costs what changed.
 */

import type { WorkspaceOutline } from "../../ports/workspace.ts";
import { hashText } from "../hash-text.ts";
import { createImportTest, placesOf } from "./find-imports.ts";
import { includesNumber, type PackedOutline } from "./packed-outline.ts";

interface KnownFile extends PackedOutline {
  readonly hash: string;
  readonly places: readonly string[];
}

/** A name that more files define than this says nothing about which of them is meant, unless one is imported. */
const MOST_DEFINERS = 4;
/** With more names than this it is cheaper to look at every file than to ask who uses them. */
const MOST_MOVED_NAMES = 400;

export class SymbolMap {
  readonly #files = new Map<string, KnownFile>();
  readonly #definers = new Map<number, Set<string>>();
  readonly #outlines = new Map<string, WorkspaceOutline>();
  /** Names that came or went since the outlines were made. */
  readonly #moved = new Set<number>();
  readonly #changed = new Set<string>();
  #list: readonly WorkspaceOutline[] = [];

  set(path: string, outline: PackedOutline): void {
    const known = this.#files.get(path);
    this.#files.set(path, { ...outline, hash: hashText(outline.text), places: placesOf(path) });
    this.#changed.add(path);
    this.#define(path, { before: known?.defines ?? NOTHING, after: outline.defines });
  }

  delete(path: string): void {
    const known = this.#files.get(path);
    if (known === undefined) return;
    this.#files.delete(path);
    this.#changed.add(path);
    this.#define(path, { before: known.defines, after: NOTHING });
  }

  #define(path: string, { before, after }: { readonly before: Float64Array; readonly after: Float64Array }): void {
    for (const name of before) {
      if (includesNumber(after, name)) continue;
      this.#moved.add(name);
      const definers = this.#definers.get(name);
      definers?.delete(path);
      if (definers?.size === 0) this.#definers.delete(name);
    }
    for (const name of after) {
      if (includesNumber(before, name)) continue;
      this.#moved.add(name);
      this.#definers.set(name, (this.#definers.get(name) ?? new Set()).add(path));
    }
  }

  /**
   * Sorted by path. The same objects for what is unchanged, and the same list where nothing has changed. `pause` is
   * awaited between files, for whoever has more to do.
   */
  async outlines(pause: () => Promise<void> | undefined = () => undefined): Promise<readonly WorkspaceOutline[]> {
    if (this.#changed.size === 0) return this.#list;
    const changed = new Set(this.#changed);
    const moved = [...this.#moved];
    this.#changed.clear();
    this.#moved.clear();
    for (const path of changed) if (!this.#files.has(path)) this.#outlines.delete(path);
    for (const [path, { uses }] of this.#files) {
      if (changed.has(path) || usesOneOf(uses, moved)) this.#refresh(path);
      await pause();
    }
    const sorted = [...this.#outlines.keys()].toSorted();
    this.#list = sorted.flatMap((path) => this.#outlines.get(path) ?? []);
    return this.#list;
  }

  #refresh(path: string): void {
    const known = this.#files.get(path);
    if (known === undefined) return;
    const refersTo = this.#refersTo(path, known);
    const before = this.#outlines.get(path);
    const isSame = before?.hash === known.hash && before.refersTo.join("\n") === refersTo.join("\n");
    if (!isSame) this.#outlines.set(path, { path, text: known.text, hash: known.hash, refersTo });
  }

  /** Files that define what this one uses; of several that define a name, those that it imports. */
  #refersTo(path: string, { uses, defines, imports }: KnownFile): readonly string[] {
    const targets = new Set<string>();
    const isNamed = createImportTest(path, imports);
    const known = new Map<string, boolean>();
    const imported = (target: string): boolean => {
      const answer = known.get(target) ?? isNamed(this.#files.get(target)?.places ?? []);
      known.set(target, answer);
      return answer;
    };
    for (const name of uses) {
      const definers = this.#definers.get(name);
      if (definers === undefined || includesNumber(defines, name)) continue;
      const meant = definers.size === 1 ? [...definers] : choose([...definers], imported);
      for (const definer of meant) targets.add(definer);
    }
    targets.delete(path);
    return [...targets].toSorted();
  }
}

const NOTHING = new Float64Array();
/** Names such as `run` are defined everywhere: nobody looks through all of them. */
const MOST_LOOKED_AT = 200;

function choose(definers: readonly string[], isMeant: (path: string) => boolean): readonly string[] {
  const meant = definers.length > MOST_LOOKED_AT ? [] : definers.filter(isMeant);
  if (meant.length > 0) return meant.length > MOST_DEFINERS ? [] : meant;
  return definers.length > MOST_DEFINERS ? [] : definers;
}

function usesOneOf(uses: Float64Array, moved: readonly number[]): boolean {
  return moved.length > MOST_MOVED_NAMES || moved.some((name) => includesNumber(uses, name));
}
