/**
 * What of a prompt is not as it was in another, block by block: what both begin with is what a provider's cache can
 * serve again, and what they share after that has only moved.
 */
import { diffLists } from "./diff.ts";

export interface ComparedBlock {
  readonly role: string;
  readonly text: string;
}

export interface Comparison<Block extends ComparedBlock = ComparedBlock> {
  /** Blocks that both begin with. */
  readonly same: number;
  readonly gone: readonly Block[];
  readonly come: readonly Block[];
  /** Blocks that both have in the same order after what differs first. */
  readonly moved: number;
}

/** Pairs that are looked at to find what both share; of longer prompts only what they begin and end with is. */
const MOST_PAIRS = 4_000_000;

export function comparePrompts<Block extends ComparedBlock>(
  before: readonly Block[],
  after: readonly Block[],
): Comparison<Block> {
  const same = countAlike(before, after);
  const [old, next] = [before.slice(same), after.slice(same)];
  const atEnd = countAlike(old.toReversed(), next.toReversed());
  const [gone, come] = [old.slice(0, old.length - atEnd), next.slice(0, next.length - atEnd)];
  if (gone.length * come.length > MOST_PAIRS) return { same, gone, come, moved: atEnd };
  const items = diffLists(gone.map(keyOf), come.map(keyOf));
  return {
    same,
    gone: items.flatMap((item) => (item.type === "went" ? gone.slice(item.before, item.before + 1) : [])),
    come: items.flatMap((item) => (item.type === "came" ? come.slice(item.after, item.after + 1) : [])),
    moved: atEnd + items.filter(({ type }) => type === "same").length,
  };
}

function countAlike(left: readonly ComparedBlock[], right: readonly ComparedBlock[]): number {
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

/** Characters from which on saying that they are the same is shorter than showing them. */
const LONG_SAME = 120;

/** How many characters two texts begin with alike, up to the end of a line; 0 where that is not worth leaving out. */
export function countSame(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left.charCodeAt(same) === right.charCodeAt(same)) same += 1;
  const lineEnd = left.lastIndexOf("\n", same - 1) + 1;
  return lineEnd >= LONG_SAME ? lineEnd : 0;
}
