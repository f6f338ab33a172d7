/**
 * The paths of a repository, sorted, without what its own rules leave out and without names that nobody could read a
 * file by. Links are neither named nor walked, so that no walk goes in circles. What lies higher is found first, so
 * that a tree that is cut still shows what a repository is made of.
 */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceTree } from "../ports/workspace.ts";
import { findNameFault } from "./find-path-fault.ts";
import { isIgnored, NO_RULES, type Rules, rulesOf } from "./ignore-rules.ts";

export interface TreeOptions {
  /** Beyond so many files the tree is cut and says so; 20,000 without it. */
  readonly mostFiles?: number | undefined;
}

const MOST_FILES = 20_000;
/** Names that are looked at for each that may be shown: a repository may hold far more that it leaves out. */
const LOOKED_AT_A_FILE = 10;
const MOST_FOLDERS_DEEP = 100;
/** `.ac-dc` holds conversations about the repository. */
const ALWAYS_LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".ac-dc", "node_modules", ".DS_Store"]);

interface Folder {
  readonly path: string;
  readonly depth: number;
  readonly above: Rules;
}

export async function listTree(root: string, { mostFiles = MOST_FILES }: TreeOptions = {}): Promise<WorkspaceTree> {
  const paths: string[] = [];
  const folders: Folder[] = [{ path: "", depth: 0, above: NO_RULES }];
  let looked = 0;
  let isCut = false;
  for (const { path: folder, depth, above } of folders) {
    const entries = await readFolder(join(root, folder));
    const rules = await rulesOf(root, { folder, entries, above });
    for (const entry of entries) {
      looked += 1;
      if (looked > mostFiles * LOOKED_AT_A_FILE) return { paths: paths.toSorted(), isCut: true };
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!isReadable(entry.name) || isIgnored(path, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) {
        if (depth < MOST_FOLDERS_DEEP) folders.push({ path, depth: depth + 1, above: rules });
        else isCut = true;
      } else if (entry.isFile()) {
        if (paths.length === mostFiles) return { paths: paths.toSorted(), isCut: true };
        paths.push(path);
      }
    }
  }
  return { paths: paths.toSorted(), isCut };
}

/** Not so where the name is no UTF-8 either: what stands in its place opens nothing. */
function isReadable(name: string): boolean {
  return !ALWAYS_LEFT_OUT.has(name) && !/[\\\ufffd]/.test(name) && findNameFault(name) === undefined;
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  // What may not be looked into, or is gone by now, holds nothing that could be shown.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
