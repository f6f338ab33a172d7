/**
 * Whether a line names only what it was made from. Folding white space and cutting between words can put two words
 * together that were not, and then they may read as a date or a number that nobody said.
 */
import { extractClaims } from "../claims/extract-claims.ts";
import { addRedacted, createSourceIndex, findSupport } from "../verify/source-index.ts";
import type { SalientLine } from "./salience.ts";

export function isFaithful({ candidate: { body, raw } }: SalientLine): boolean {
  if (body === raw || body.endsWith(`: ${raw}`)) return true;
  const claims = extractClaims(body);
  if (claims.length === 0) return true;
  const index = createSourceIndex();
  addRedacted(index, `${raw}\n${body.slice(0, body.indexOf(": "))}`);
  return claims.every((claim) => findSupport(index, claim) !== "none");
}
