/**
 * Whether a fact says all of another one, as a clause of its own: "Remember: never delete it." says "Never delete it.",
 * and "It is not so that you may never delete it." does not.
 */
import { factWords } from "./make-fact.ts";

const MARKS = ".,;:!?–—(";

export function saysWhole(text: string, other: string): boolean {
  const [whole, clause] = [factWords(text), factWords(other)];
  if (clause === "" || clause.length >= whole.length) return false;
  for (let place = whole.indexOf(clause); place >= 0; place = whole.indexOf(clause, place + 1)) {
    const before = whole.slice(0, place).trimEnd();
    const after = whole.charAt(place + clause.length);
    const isOpened = before === "" || (MARKS.includes(before.slice(-1)) && before.length < place);
    if (isOpened && (after === "" || MARKS.includes(after))) return true;
  }
  return false;
}
