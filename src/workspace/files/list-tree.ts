/**
 * Lists the paths of a repository, sorted, without ignored files and without names that the workspace refuses to read.
 * Links are neither listed nor followed, so that no walk loops. Higher levels come first, so that a cut tree still
 * shows the structure.
 */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceTree } from "../../ports/workspace.ts";
import { findNameFault } from "./find-path-fault.ts";
import { isIgnored, NO_RULES, type Rules, readFolderRules } from "./ignore-rules.ts";

export interface TreeOptions {
  /** Limit of files, beyond which the tree is cut and marked so; default 20,000. */
  readonly mostFiles?: number | undefined;
}

const MAX_FILES = 20_000;
/** Names visited for each listed file: a repository may ignore far more than it contains. */
const NAMES_PER_FILE = 10;
const MAX_DEPTH = 100;
/** `.ac-dc` holds conversations about the repository. */
const ALWAYS_IGNORED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".ac-dc", "node_modules", ".DS_Store"]);

interface Folder {
  readonly path: string;
  readonly depth: number;
  readonly above: Rules;
}

export async function listTree(root: string, { mostFiles = MAX_FILES }: TreeOptions = {}): Promise<WorkspaceTree> {
  const paths: string[] = [];
  const folders: Folder[] = [{ path: "", depth: 0, above: NO_RULES }];
  let visited = 0;
  let isCut = false;
  for (const { path: folder, depth, above } of folders) {
    const entries = await readFolder(join(root, folder));
    const rules = await readFolderRules(root, { folder, entries, above });
    for (const entry of entries) {
      visited += 1;
      if (visited > mostFiles * NAMES_PER_FILE) return { paths: paths.toSorted(), isCut: true };
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!isReadable(entry.name) || isIgnored(path, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) folders.push({ path, depth: depth + 1, above: rules });
        else isCut = true;
      } else if (entry.isFile()) {
        if (paths.length === mostFiles) return { paths: paths.toSorted(), isCut: true };
        paths.push(path);
      }
    }
  }
  return { paths: paths.toSorted(), isCut };
}

/** Also refuses names that are not UTF-8: their replacement opens no file. */
function isReadable(name: string): boolean {
  return !ALWAYS_IGNORED.has(name) && !/[\\\ufffd]/.test(name) && findNameFault(name) === undefined;
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  // A folder that cannot be read, or was deleted, is empty.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
