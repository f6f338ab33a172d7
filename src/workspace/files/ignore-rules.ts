/**
 * Reads a repository's ignore rules: each `.gitignore` applies below its folder, the nearest one first, and
 * `.git/info/exclude` last. A nested repository starts with its own rules. The machine's git configuration is not read,
 * so that a tree is the same everywhere.
 */
import { constants, type Dirent } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { decodeText } from "./decode-text.ts";
import { readBounded } from "./root-reader.ts";

/** All rules for a folder in one list; the last match decides. */
export type Rules = Ignore;

export const NO_RULES: Rules = createRules();

/** Reads the rules of a folder: inherited ones and its own. */
export async function readFolderRules(
  root: string,
  { folder, entries, above }: { readonly folder: string; readonly entries: readonly Dirent[]; readonly above: Rules },
): Promise<Rules> {
  const own = entries.find(({ name }) => name === ".git");
  const inherited = own === undefined ? above : NO_RULES;
  const texts = [
    own?.isDirectory() ? await readRules(join(root, folder, ".git", "info", "exclude")) : undefined,
    entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
      ? await readRules(join(root, folder, ".gitignore"))
      : undefined,
  ];
  const lines = texts.flatMap((text) => readLines(text ?? "")).map((line) => anchorRule(line, folder));
  return lines.length === 0 ? inherited : createRules().add(inherited).add(lines);
}

export function isIgnored(path: string, isFolder: boolean, rules: Rules): boolean {
  return rules.ignores(isFolder ? `${path}/` : path);
}

function createRules(): Ignore {
  return ignore({ ignorecase: false });
}

/** Rewrites a folder's rule relative to the root. */
function anchorRule(line: string, folder: string): string {
  if (folder === "") return line;
  const [, negation = "", rule = ""] = /^(!?)(.*)$/.exec(line) ?? [];
  const isAnchored = /\/(?!\s*$)/.test(rule);
  const place = folder.replaceAll(/[\\*?[\]!# ]/g, "\\$&");
  return `${negation}/${place}/${isAnchored ? "" : "**/"}${rule.replace(/^\//, "")}`;
}

const MAX_BYTES = 2 ** 19;
const MAX_LINE_CHARACTERS = 500;
/** More of them can take minutes to match: three take 60 ms for a path of a hundred folders. */
const MAX_ANY_FOLDERS = 2;
const MAX_STARS = 12;

function readLines(text: string): readonly string[] {
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
    return decodeText((await readBounded(handle, facts, { mostBytes: MAX_BYTES })).bytes);
  } catch {
    // Unreadable rules ignore nothing.
    return undefined;
  } finally {
    await handle.close();
  }
}
