/** Maps definitions to files and files to the files that they refer to. A change updates only the files it affects. */
import type { WorkspaceOutline } from "../../ports/workspace.ts";
import { hashContent } from "../files/file-cache.ts";
import { createImportMatcher, listImportPaths } from "./find-imports.ts";
import { includesNumber, type PackedOutline } from "./outline-reader.ts";

interface KnownFile extends PackedOutline {
  readonly hash: string;
  readonly places: readonly string[];
}

/** A name defined in more files than this is ambiguous, unless one of them is imported. */
const MAX_DEFINERS = 4;
/** With more changed names than this, checking every file is cheaper than finding the files that use them. */
const MAX_CHANGED_NAMES = 400;

export class SymbolMap {
  readonly #files = new Map<string, KnownFile>();
  readonly #definers = new Map<number, Set<string>>();
  readonly #outlines = new Map<string, WorkspaceOutline>();
  /** Names added or removed since the outlines were built. */
  readonly #changedNames = new Set<number>();
  readonly #changed = new Set<string>();
  #list: readonly WorkspaceOutline[] = [];

  set(path: string, outline: PackedOutline): void {
    const known = this.#files.get(path);
    this.#files.set(path, { ...outline, hash: hashContent(outline.text), places: listImportPaths(path) });
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
      this.#changedNames.add(name);
      const definers = this.#definers.get(name);
      definers?.delete(path);
      if (definers?.size === 0) this.#definers.delete(name);
    }
    for (const name of after) {
      if (includesNumber(before, name)) continue;
      this.#changedNames.add(name);
      this.#definers.set(name, (this.#definers.get(name) ?? new Set()).add(path));
    }
  }

  /** Lists outlines by path. Unchanged outlines and lists are the same objects. Awaits `pause` between files. */
  async listOutlines(pause: () => Promise<void> | undefined = () => undefined): Promise<readonly WorkspaceOutline[]> {
    if (this.#changed.size === 0) return this.#list;
    const changed = new Set(this.#changed);
    const changedNames = [...this.#changedNames];
    this.#changed.clear();
    this.#changedNames.clear();
    for (const path of changed) if (!this.#files.has(path)) this.#outlines.delete(path);
    for (const [path, { uses }] of this.#files) {
      if (changed.has(path) || usesAny(uses, changedNames)) this.#refresh(path);
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

  /** Lists files that define what this one uses; if several define a name, those that it imports. */
  #refersTo(path: string, { uses, defines, imports }: KnownFile): readonly string[] {
    const targets = new Set<string>();
    const isNamed = createImportMatcher(path, imports);
    const known = new Map<string, boolean>();
    const isImported = (target: string): boolean => {
      const answer = known.get(target) ?? isNamed(this.#files.get(target)?.places ?? []);
      known.set(target, answer);
      return answer;
    };
    for (const name of uses) {
      const definers = this.#definers.get(name);
      if (definers === undefined || includesNumber(defines, name)) continue;
      const meant = definers.size === 1 ? [...definers] : chooseDefiners([...definers], isImported);
      for (const definer of meant) targets.add(definer);
    }
    targets.delete(path);
    return [...targets].toSorted();
  }
}

const NOTHING = new Float64Array();
/** Names such as `run` are defined in so many files that they are skipped. */
const MAX_CHECKED_DEFINERS = 200;

function chooseDefiners(definers: readonly string[], isMeant: (path: string) => boolean): readonly string[] {
  const meant = definers.length > MAX_CHECKED_DEFINERS ? [] : definers.filter(isMeant);
  if (meant.length > 0) return meant.length > MAX_DEFINERS ? [] : meant;
  return definers.length > MAX_DEFINERS ? [] : definers;
}

function usesAny(uses: Float64Array, changedNames: readonly number[]): boolean {
  return changedNames.length > MAX_CHANGED_NAMES || changedNames.some((name) => includesNumber(uses, name));
}
