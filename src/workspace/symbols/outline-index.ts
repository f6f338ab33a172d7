/**
 * Keeps the outlines of a repository as its files are. A file whose stamp is as it was is not opened; one that was
 * opened and reads as before is not parsed. Parsing is done by another thread, and between files others have their
 * turn, so that nobody waits for a whole repository.
 */
import { type BigIntStats, lstat } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { WorkspaceOutline } from "../../ports/workspace.ts";
import { isSettled } from "../file-memory.ts";
import { stampOf } from "../read-inside.ts";
import type { Repository } from "../repository.ts";
import { requirePackages } from "../require-packages.ts";
import { BackgroundThread } from "../thread/background-thread.ts";
import { findLanguage } from "./languages.ts";
import { withoutOutline } from "./outline-reader.ts";
import { type PackedOutline, packOutline } from "./packed-outline.ts";
import { SymbolMap } from "./symbol-map.ts";

interface Seen {
  readonly stamp: string | undefined;
  /** Of the text; undefined where it could not be read. */
  readonly hash: string | undefined;
}

const MOST_SOURCE_BYTES = 2 ** 20;
const FILES_AT_ONCE = 8;
const STATS_AT_ONCE = 64;
const LONGEST_STRETCH_MS = 10;

/** It is kept through pauses of a conversation: starting it anew takes more than all else that a change takes. */
const THREAD = { timeoutMs: 15_000, idleMs: 30 * 60_000, mostHeapMegabytes: 512 } as const;

export class OutlineIndex {
  readonly #repository: Repository;
  readonly #symbols = new SymbolMap();
  readonly #seen = new Map<string, Seen>();
  readonly #thread = new BackgroundThread(THREAD);

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** Looks at every file of the tree that has a language. One call at a time. */
  async refresh(paths: readonly string[]): Promise<readonly WorkspaceOutline[]> {
    const readable = paths.filter((path) => findLanguage(path) !== undefined);
    if (readable.length > 0) requirePackages(NEEDED);
    const there = new Set(readable);
    for (const path of this.#seen.keys()) if (!there.has(path)) this.#forget(path);
    const changed = await this.#findChanged(readable);
    await eachOf(changed, { atOnce: FILES_AT_ONCE, use: (file) => this.#read(file) });
    return this.#symbols.outlines(createPause());
  }

  async #findChanged(paths: readonly string[]): Promise<readonly FoundFile[]> {
    const changed: FoundFile[] = [];
    const look = async (path: string): Promise<void> => {
      const facts = await findFacts(join(this.#repository.root, path));
      if (facts === undefined || !facts.isFile()) return this.#forget(path);
      const seen = this.#seen.get(path);
      if (seen?.stamp === undefined || seen.stamp !== stampOf(facts)) changed.push({ path, facts });
    };
    await eachOf(paths, { atOnce: STATS_AT_ONCE, use: look });
    return changed;
  }

  async #read({ path, facts }: FoundFile): Promise<void> {
    const settled = isSettled(facts, Date.now()) ? stampOf(facts) : undefined;
    if (facts.size > MOST_SOURCE_BYTES) {
      this.#seen.set(path, { stamp: settled, hash: undefined });
      return this.#symbols.set(path, packOutline(withoutOutline("the file is too long")));
    }
    // What may not be read, or is no text after all, has no outline.
    const read = await this.#repository.read(path).catch(() => undefined);
    const before = this.#seen.get(path)?.hash;
    this.#seen.set(path, { stamp: read === undefined ? settled : read.stamp, hash: read?.file.hash });
    if (read === undefined) return this.#symbols.delete(path);
    if (before !== read.file.hash) await this.#learn(path, read.file.text);
  }

  async #learn(path: string, source: string): Promise<void> {
    const outline = await this.#ask(path, source);
    if (outline === undefined || outline.text === "") this.#symbols.delete(path);
    else this.#symbols.set(path, outline);
  }

  async #ask(path: string, source: string): Promise<PackedOutline | undefined> {
    const answer = await this.#thread.ask({ type: "outline", path, source }).catch((error: Error) => error);
    if (answer instanceof Error) return packOutline(withoutOutline(answer.message));
    if (answer.type === "failed") return packOutline(withoutOutline(answer.reason));
    return answer.type === "outline" ? answer.outline : undefined;
  }

  #forget(path: string): void {
    this.#seen.delete(path);
    this.#symbols.delete(path);
  }
}

interface FoundFile {
  readonly path: string;
  readonly facts: BigIntStats;
}

const NEEDED = {
  feature: "Outlines need",
  packages: ["@vscode/tree-sitter-wasm"],
  otherwise: "or open the workspace with { outlines: false }.",
} as const;

/** By callback: promises take twice the time, and a repository has thousands of files. */
function findFacts(place: string): Promise<BigIntStats | undefined> {
  return new Promise((resolve) => {
    lstat(place, { bigint: true }, (error, facts) => resolve(error === null ? facts : undefined));
  });
}

async function eachOf<Item>(
  items: readonly Item[],
  { atOnce, use }: { readonly atOnce: number; readonly use: (item: Item) => Promise<void> },
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await use(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}

/** Gives way to others after every stretch of work. */
function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < LONGEST_STRETCH_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
