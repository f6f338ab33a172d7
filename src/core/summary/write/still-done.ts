/**
 * Whether something that an agent reported as done can be told as done later on. That tests pass or a build works is true
 * of one moment, and the next change may end it, so it is told only of the newest turn; a bare "Fixed." says of nothing
 * what was done to it.
 */
import type { Fact } from "../record/record.ts";

const STATE =
  /\b(?:tests?|checks?|build|suite|lint|linter|types?|compil\w+|everything|it|they|all)\b[^.]{0,40}\b(?:pass(?:es|ed|ing)?|works?|working|succeed(?:s|ed)?|green|clean|compiles?|builds?)\b/i;
const FEWEST_WORDS = 3;

export function isStillDone({ text, lastTurn }: Fact, turns: number): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < FEWEST_WORDS || text.endsWith(":")) return false;
  return lastTurn >= turns - 1 || !STATE.test(text);
}
