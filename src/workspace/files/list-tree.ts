/** Lists the paths of a repository, sorted, without ignored, refused and secret files. Follows no links. */
import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { WorkspaceTree } from "../../ports/workspace.ts";
import { decodeText } from "./decode-text.ts";
import { findNameFault, readBounded } from "./root-reader.ts";
import { isSecretFile } from "./secret-files.ts";

export interface TreeOptions {
  /** Largest number of files; a longer tree is cut and marked as cut. Default 20,000. */
  readonly maxFiles?: number | undefined;
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
  readonly above: IgnoreRules;
}

export async function listTree(root: string, { maxFiles = MAX_FILES }: TreeOptions = {}): Promise<WorkspaceTree> {
  const paths: string[] = [];
  const folders: Folder[] = [{ path: "", depth: 0, above: NO_RULES }];
  let visited = 0;
  let isCut = false;
  for (const { path: folder, depth, above } of folders) {
    const entries = await readFolder(join(root, folder));
    const rules = await readFolderRules(root, { folder, entries, above });
    for (const entry of entries) {
      visited += 1;
      if (visited > maxFiles * NAMES_PER_FILE) return { paths: paths.toSorted(), isCut: true };
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!isReadable(entry.name) || isIgnored(path, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) folders.push({ path, depth: depth + 1, above: rules });
        else isCut = true;
      } else if (entry.isFile() && !isSecretFile(path)) {
        if (paths.length === maxFiles) return { paths: paths.toSorted(), isCut: true };
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

/** All rules for a folder in one list; the last match decides. */
export type IgnoreRules = Ignore;

export const NO_RULES: IgnoreRules = createRules();

/** Reads the rules of a folder: inherited ones and its own. */
export async function readFolderRules(
  root: string,
  {
    folder,
    entries,
    above,
  }: { readonly folder: string; readonly entries: readonly Dirent[]; readonly above: IgnoreRules },
): Promise<IgnoreRules> {
  const own = entries.find(({ name }) => name === ".git");
  const inherited = own === undefined ? above : NO_RULES;
  const texts = [
    own?.isDirectory() ? await readRules(join(root, folder, ".git", "info", "exclude")) : undefined,
    entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
      ? await readRules(join(root, folder, ".gitignore"))
      : undefined,
  ];
  const lines = texts.flatMap((text) => readIgnoreLines(text ?? "")).map((line) => anchorRule(line, folder));
  return lines.length === 0 ? inherited : createRules().add(inherited).add(lines);
}

export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  return rules.ignores(isFolder ? `${path}/` : path);
}

function createRules(): Ignore {
  return ignore({ ignorecase: false });
}

function anchorRule(line: string, folder: string): string {
  if (folder === "") return line;
  const [, negation = "", rule = ""] = /^(!?)(.*)$/.exec(line) ?? [];
  const isAnchored = /\/(?!\s*$)/.test(rule);
  const place = folder.replaceAll(/[\\*?[\]!# ]/g, "\\$&");
  return `${negation}/${place}/${isAnchored ? "" : "**/"}${rule.replace(/^\//, "")}`;
}

const MAX_BYTES = 2 ** 19;
const MAX_LINE_CHARACTERS = 500;
/** A rule with more `**` can take minutes to match. Three take 60 ms for a path of a hundred folders. */
const MAX_ANY_FOLDERS = 2;
const MAX_STARS = 12;

function readIgnoreLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.filter((line) => line.length <= MAX_LINE_CHARACTERS && !isCostly(line));
}

function isCostly(line: string): boolean {
  return (line.match(/\*\*/g)?.length ?? 0) > MAX_ANY_FOLDERS || (line.match(/\*/g)?.length ?? 0) > MAX_STARS;
}

/** Ignores links, pipes and folders of that name. */
async function readRules(place: string): Promise<string | undefined> {
  const actual = await realpath(place).catch(() => undefined);
  if (actual !== place) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(place, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) return undefined;
    return decodeText((await readBounded(handle, facts, { maxBytes: MAX_BYTES })).bytes);
  } catch {
    // A file of rules that cannot be read excludes nothing.
    return undefined;
  } finally {
    await handle.close();
  }
}
