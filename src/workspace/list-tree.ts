/**
 * The paths of a repository, sorted, without what its own rules leave out: every `.gitignore` on the way down counts for
 * what lies below it. Links are neither named nor walked, so that no walk goes in circles.
 */
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";

export interface TreeOptions {
  /** Beyond so many files the tree is cut and says so; 20,000 without it. */
  readonly mostFiles?: number | undefined;
}

export interface Tree {
  readonly paths: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

interface Rules {
  /** Where they stand: the paths they are asked about begin there. */
  readonly folder: string;
  readonly ignore: Ignore;
}

const MOST_FILES = 20_000;
const ALWAYS_LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".DS_Store"]);

export async function listTree(root: string, { mostFiles = MOST_FILES }: TreeOptions = {}): Promise<Tree> {
  const paths: string[] = [];
  const walk = async (folder: string, above: readonly Rules[]): Promise<void> => {
    if (paths.length > mostFiles) return;
    const rules = await withOwnRules(root, folder, above);
    for (const entry of await readFolder(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (ALWAYS_LEFT_OUT.has(entry.name) || isIgnored(path, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) await walk(path, rules);
      else if (entry.isFile()) paths.push(path);
      if (paths.length > mostFiles) return;
    }
  };
  await walk("", []);
  return { paths: paths.slice(0, mostFiles).toSorted(), isCut: paths.length > mostFiles };
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function withOwnRules(root: string, folder: string, above: readonly Rules[]): Promise<readonly Rules[]> {
  const text = await readFile(join(root, folder, ".gitignore"), "utf8").catch(() => undefined);
  return text === undefined ? above : [...above, { folder, ignore: ignore().add(text) }];
}

/** The rules nearest to the file decide; one that says nothing leaves it to those above. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, ignore: own } of rules.toReversed()) {
    const below = folder === "" ? path : path.slice(folder.length + 1);
    const { ignored, unignored } = own.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}
