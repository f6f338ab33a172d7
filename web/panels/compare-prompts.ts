/** Compares two prompts block by block. A provider's cache can serve the blocks that both start with. */
import { diffLists } from "./diff.ts";

export interface ComparedBlock {
  readonly role: string;
  readonly text: string;
}

export interface Comparison<Block extends ComparedBlock = ComparedBlock> {
  /** How many blocks both prompts start with. */
  readonly same: number;
  readonly removed: readonly Block[];
  readonly added: readonly Block[];
  /** How many later blocks both prompts have in the same order. */
  readonly moved: number;
}

/** In longer prompts only the common start and end are found. */
const MAX_PAIRS = 4_000_000;

export function comparePrompts<Block extends ComparedBlock>(
  before: readonly Block[],
  after: readonly Block[],
): Comparison<Block> {
  const same = countCommonStart(before, after);
  const [old, next] = [before.slice(same), after.slice(same)];
  const atEnd = countCommonStart(old.toReversed(), next.toReversed());
  const [removed, added] = [old.slice(0, old.length - atEnd), next.slice(0, next.length - atEnd)];
  if (removed.length * added.length > MAX_PAIRS) return { same, removed, added, moved: atEnd };
  const items = diffLists(removed.map(keyOf), added.map(keyOf));
  return {
    same,
    removed: items.flatMap((item) => (item.type === "removed" ? removed.slice(item.before, item.before + 1) : [])),
    added: items.flatMap((item) => (item.type === "added" ? added.slice(item.after, item.after + 1) : [])),
    moved: atEnd + items.filter(({ type }) => type === "same").length,
  };
}

function countCommonStart(left: readonly ComparedBlock[], right: readonly ComparedBlock[]): number {
  let count = 0;
  while (count < Math.min(left.length, right.length) && isSame(left[count], right[count])) count += 1;
  return count;
}

function keyOf({ role, text }: ComparedBlock): string {
  return `${role}\n${text}`;
}

function isSame(left: ComparedBlock | undefined, right: ComparedBlock | undefined): boolean {
  return left?.role === right?.role && left?.text === right?.text;
}

/** A shorter common start is shown. */
const MIN_COMMON_CHARACTERS = 120;

/** How many characters both texts start with, up to the end of a line; 0 if that is too short to leave out. */
export function countCommonCharacters(left: string, right: string): number {
  const limit = Math.min(left.length, right.length);
  let same = 0;
  while (same < limit && left.charCodeAt(same) === right.charCodeAt(same)) same += 1;
  const lineEnd = left.lastIndexOf("\n", same - 1) + 1;
  return lineEnd >= MIN_COMMON_CHARACTERS ? lineEnd : 0;
}
