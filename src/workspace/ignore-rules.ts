/**
 * What a repository leaves out of itself: each `.gitignore` counts for what lies below it, the nearest one first, and
 * `.git/info/exclude` last. A folder that is a repository of its own starts anew. Settings of the machine are not read,
 * so that a tree is the same for everybody.
 */
import type { Dirent } from "node:fs";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { decodeText } from "./decode-text.ts";
import { readBounded } from "./read-inside.ts";

export interface Rules {
  /** Where they stand: the paths they are asked about begin there. */
  readonly folder: string;
  readonly ignore: Ignore;
}

/** Of a folder: those above it and its own. */
export async function rulesOf(
  root: string,
  {
    folder,
    entries,
    above,
  }: { readonly folder: string; readonly entries: readonly Dirent[]; readonly above: readonly Rules[] },
): Promise<readonly Rules[]> {
  const own = entries.find(({ name }) => name === ".git");
  const inherited = own === undefined ? above : [];
  const texts = [
    own?.isDirectory() ? await readRules(join(root, folder, ".git", "info", "exclude")) : undefined,
    entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
      ? await readRules(join(root, folder, ".gitignore"))
      : undefined,
  ];
  return [...inherited, ...texts.flatMap((text) => (text === undefined ? [] : { folder, ignore: readLines(text) }))];
}

/** The rules nearest to the file decide; one that says nothing leaves it to those above. */
export function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, ignore: own } of rules.toReversed()) {
    const below = folder === "" ? path : path.slice(folder.length + 1);
    const { ignored, unignored } = ask(own, below, isFolder);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/**
 * Rules are asked about what may be shown down to its folder. Where they would have left the folder out, nearer ones
 * have overruled them, and only what they say of the name itself still counts.
 */
function ask(own: Ignore, path: string, isFolder: boolean): { readonly ignored: boolean; readonly unignored: boolean } {
  const end = isFolder ? "/" : "";
  const slash = path.lastIndexOf("/");
  const isOverruled = slash > 0 && own.test(`${path.slice(0, slash)}/`).ignored;
  return own.test(`${isOverruled ? path.slice(slash + 1) : path}${end}`);
}

const MOST_BYTES = 2 ** 19;
const MOST_LINE_CHARACTERS = 500;
/** With more of them a rule can take minutes to say no: three take 60 ms for a path of a hundred folders. */
const MOST_ANY_FOLDERS = 2;
const MOST_STARS = 12;

function readLines(text: string): Ignore {
  const lines = text.split(/\r?\n/).filter((line) => line.length <= MOST_LINE_CHARACTERS && !isCostly(line));
  return ignore({ ignorecase: false }).add(lines);
}

function isCostly(line: string): boolean {
  return (line.match(/\*\*/g)?.length ?? 0) > MOST_ANY_FOLDERS || (line.match(/\*/g)?.length ?? 0) > MOST_STARS;
}

/** A link, a pipe or a folder in its place is no file of rules. */
async function readRules(place: string): Promise<string | undefined> {
  const actual = await realpath(place).catch(() => undefined);
  if (actual !== place) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(place, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) return undefined;
    return decodeText((await readBounded(handle, facts, { mostBytes: MOST_BYTES })).bytes);
  } catch {
    // Rules that cannot be read leave nothing out.
    return undefined;
  } finally {
    await handle.close();
  }
}
