/** Keeps a repository's outlines up to date. Unchanged files are not opened, and another thread parses. */
import { type BigIntStats, lstat } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { WorkspaceOutline } from "../../ports/workspace.ts";
import { findSettledStamp } from "../files/file-cache.ts";
import type { Repository } from "../files/repository.ts";
import { requirePackages } from "../files/require-packages.ts";
import { formatStamp } from "../files/root-reader.ts";
import { BackgroundThread } from "../thread/background-thread.ts";
import { findLanguage } from "./languages.ts";
import { createOutlineNote, type PackedOutline, packOutline } from "./outline-reader.ts";
import { SymbolMap } from "./symbol-map.ts";

interface SeenFile {
  readonly stamp: string | undefined;
  /** Hash of the text; undefined if it could not be read. */
  readonly hash: string | undefined;
}

const MAX_SOURCE_BYTES = 2 ** 20;
const CONCURRENT_FILES = 8;
const CONCURRENT_STATS = 64;
const MAX_SLICE_MS = 10;

/** Kept alive through pauses of a conversation, because starting a thread costs more than a typical update. */
const THREAD = { timeoutMs: 15_000, idleMs: 30 * 60_000, maxHeapMegabytes: 512 } as const;

export class OutlineIndex {
  readonly #repository: Repository;
  readonly #symbols = new SymbolMap();
  readonly #seen = new Map<string, SeenFile>();
  readonly #thread = new BackgroundThread(THREAD);

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** Updates the outlines of all files with a known language. Callers must not overlap. */
  async refresh(paths: readonly string[]): Promise<readonly WorkspaceOutline[]> {
    const readable = paths.filter((path) => findLanguage(path) !== undefined);
    if (readable.length > 0) requirePackages(REQUIREMENT);
    const there = new Set(readable);
    for (const path of this.#seen.keys()) if (!there.has(path)) this.#forget(path);
    const changed = await this.#findChanged(readable);
    await forEachConcurrently(changed, { atOnce: CONCURRENT_FILES, use: (file) => this.#read(file) });
    return this.#symbols.listOutlines(createPause());
  }

  async #findChanged(paths: readonly string[]): Promise<readonly FoundFile[]> {
    const changed: FoundFile[] = [];
    const examine = async (path: string): Promise<void> => {
      const facts = await findFacts(join(this.#repository.root, path));
      if (facts === undefined || !facts.isFile()) return this.#forget(path);
      const seen = this.#seen.get(path);
      if (seen?.stamp === undefined || seen.stamp !== formatStamp(facts)) changed.push({ path, facts });
    };
    await forEachConcurrently(paths, { atOnce: CONCURRENT_STATS, use: examine });
    return changed;
  }

  async #read({ path, facts }: FoundFile): Promise<void> {
    const settled = findSettledStamp(facts, Date.now());
    if (facts.size > MAX_SOURCE_BYTES) {
      this.#seen.set(path, { stamp: settled, hash: undefined });
      return this.#symbols.set(path, packOutline(createOutlineNote("the file is too long")));
    }
    // Refused and binary files have no outline.
    const read = await this.#repository.read(path).catch(() => undefined);
    const before = this.#seen.get(path)?.hash;
    this.#seen.set(path, { stamp: read === undefined ? settled : read.stamp, hash: read?.file.hash });
    if (read === undefined) return this.#symbols.delete(path);
    if (before !== read.file.hash) await this.#updateOutline(path, read.file.text);
  }

  async #updateOutline(path: string, source: string): Promise<void> {
    const outline = await this.#requestOutline(path, source);
    if (outline === undefined || outline.text === "") this.#symbols.delete(path);
    else this.#symbols.set(path, outline);
  }

  async #requestOutline(path: string, source: string): Promise<PackedOutline | undefined> {
    const answer = await this.#thread.run({ type: "outline", path, source }).catch((error: Error) => error);
    if (answer instanceof Error) return packOutline(createOutlineNote(answer.message));
    if (answer.type === "failed") return packOutline(createOutlineNote(answer.reason));
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

const REQUIREMENT = {
  feature: "Outlines need",
  packages: ["@vscode/tree-sitter-wasm"],
  otherwise: "or open the workspace with { outlines: false }.",
} as const;

/** Uses the callback API: promises take twice the time, and a repository has thousands of files. */
function findFacts(place: string): Promise<BigIntStats | undefined> {
  return new Promise((resolve) => {
    lstat(place, { bigint: true }, (error, facts) => resolve(error === null ? facts : undefined));
  });
}

async function forEachConcurrently<Item>(
  items: readonly Item[],
  { atOnce, use }: { readonly atOnce: number; readonly use: (item: Item) => Promise<void> },
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await use(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}

/** Returns a function that yields to the event loop when this slice of work is over. */
function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
