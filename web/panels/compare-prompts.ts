/**
 * What of a prompt is not as it was in the one before, block by block: what both begin with is what a provider's cache
 * can serve again.
 */
export interface ComparedBlock {
  readonly role: string;
  readonly text: string;
}

export interface Comparison<Block extends ComparedBlock = ComparedBlock> {
  /** Blocks that both begin with. */
  readonly same: number;
  readonly gone: readonly Block[];
  readonly come: readonly Block[];
  /** Blocks that both end with, after what differs. */
  readonly sameAtEnd: number;
}

export function comparePrompts<Block extends ComparedBlock>(
  before: readonly Block[],
  after: readonly Block[],
): Comparison<Block> {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && isSame(before[same], after[same])) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < most - same && isSame(before.at(-1 - sameAtEnd), after.at(-1 - sameAtEnd))) sameAtEnd += 1;
  return {
    same,
    gone: before.slice(same, before.length - sameAtEnd),
    come: after.slice(same, after.length - sameAtEnd),
    sameAtEnd,
  };
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
