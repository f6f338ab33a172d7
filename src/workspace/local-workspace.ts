/**
 * A workspace on this machine's disk. Outlines are kept up to date by looking at what the tree holds: a file whose time
 * and size are as they were is not read again.
 */
import type { Workspace, WorkspaceLink, WorkspaceOutline, WorkspaceTree } from "../ports/workspace.ts";
import { type FetchLimits, fetchLink } from "./fetch-link.ts";
import { listTree, type TreeOptions } from "./list-tree.ts";
import { readPage } from "./read-page.ts";
import { Repository, type RepositoryOptions } from "./repository.ts";
import { findLanguage } from "./symbols/languages.ts";
import { SymbolMap } from "./symbols/symbol-map.ts";

export interface LocalWorkspaceOptions extends RepositoryOptions, TreeOptions {
  readonly root: string;
  readonly links?: FetchLimits | undefined;
}

export async function openLocalWorkspace(options: LocalWorkspaceOptions): Promise<Workspace> {
  const repository = await Repository.open(options.root, options);
  const symbols = new SymbolMap();
  let outlines: readonly WorkspaceOutline[] = [];
  const tree = (): Promise<WorkspaceTree> => listTree(repository.root, options);
  return {
    listTree: tree,
    findFile: (path) => repository.findText(path),
    async listOutlines() {
      const { paths } = await tree();
      const hasChanged = await refresh(symbols, repository, paths);
      if (hasChanged) outlines = symbols.paths.flatMap((path) => outlineOf(symbols, path, outlines));
      return outlines;
    },
    readLink: (url) => readLink(url, options.links),
  };
}

/** True where an outline has come, gone or changed. */
async function refresh(symbols: SymbolMap, repository: Repository, paths: readonly string[]): Promise<boolean> {
  const readable = paths.filter((path) => findLanguage(path) !== undefined);
  const there = new Set(readable);
  let hasChanged = false;
  for (const path of symbols.paths) {
    if (there.has(path)) continue;
    symbols.remove(path);
    hasChanged = true;
  }
  for (const path of readable) {
    // What may not be read, or is no text after all, has no outline.
    const file = await repository.findText(path).catch(() => undefined);
    if (file !== undefined && (await symbols.update(path, file))) hasChanged = true;
  }
  return hasChanged;
}

function outlineOf(symbols: SymbolMap, path: string, known: readonly WorkspaceOutline[]): readonly WorkspaceOutline[] {
  const block = symbols.find(path);
  if (block === undefined) return [];
  const refersTo = symbols.refersTo(path);
  const before = known.find((outline) => outline.path === path);
  const isSame = before?.hash === block.hash && before.refersTo.join("\n") === refersTo.join("\n");
  return [isSame && before !== undefined ? before : { ...block, refersTo }];
}

async function readLink(url: string, limits: FetchLimits | undefined): Promise<WorkspaceLink> {
  const outcome = await fetchLink(url, limits);
  if (outcome.type === "refused") return { type: "refused", url, reason: outcome.reason };
  return { type: "page", ...(await readPage(outcome.page)) };
}
