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

/** All that counts at one place, as one list in which the last word is right. */
export type Rules = Ignore;

export const NO_RULES: Rules = createRules();

/** Of a folder: those above it and its own. */
export async function rulesOf(
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
  const lines = texts.flatMap((text) => readLines(text ?? "")).map((line) => anchor(line, folder));
  return lines.length === 0 ? inherited : createRules().add(inherited).add(lines);
}

export function isIgnored(path: string, isFolder: boolean, rules: Rules): boolean {
  return rules.ignores(isFolder ? `${path}/` : path);
}

function createRules(): Ignore {
  return ignore({ ignorecase: false });
}

/** A rule of a folder, as the root would write it. */
function anchor(line: string, folder: string): string {
  if (folder === "") return line;
  const [, negation = "", rule = ""] = /^(!?)(.*)$/.exec(line) ?? [];
  const isAnchored = /\/(?!\s*$)/.test(rule);
  const place = folder.replaceAll(/[\\*?[\]!# ]/g, "\\$&");
  return `${negation}/${place}/${isAnchored ? "" : "**/"}${rule.replace(/^\//, "")}`;
}

const MOST_BYTES = 2 ** 19;
const MOST_LINE_CHARACTERS = 500;
/** With more of them a rule can take minutes to say no: three take 60 ms for a path of a hundred folders. */
const MOST_ANY_FOLDERS = 2;
const MOST_STARS = 12;

function readLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.filter((line) => line.length <= MOST_LINE_CHARACTERS && !isCostly(line));
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
