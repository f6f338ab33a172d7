/** Checks that a line has only claims from its source, because shortening can join two words into a date or number. */
import { extractClaims } from "./extract-claims.ts";
import { createContradictionFinder, mayOppose } from "./find-contradictions.ts";
import { addRedacted, createSourceIndex, findSupport, type SourceIndex } from "./source-index.ts";

export type FaithfulnessCheck = (line: { readonly body: string; readonly raw: string }) => boolean;

/** The claims of longer sources are cached, because many lines come from one long sentence. */
const LONG_SOURCE = 1_000;

export function createFaithfulnessCheck(): FaithfulnessCheck {
  const known = new Map<string, SourceIndex>();
  const readSource = (raw: string): SourceIndex => {
    const index = known.get(raw) ?? createSourceIndex();
    if (raw.length < LONG_SOURCE || !known.has(raw)) addRedacted(index, raw);
    if (raw.length >= LONG_SOURCE) known.set(raw, index);
    return index;
  };
  return ({ body, raw }) => {
    if (body === raw || body.endsWith(`: ${raw}`)) return true;
    if (isContradiction(body, raw)) return false;
    const claims = extractClaims(body);
    if (claims.length === 0) return true;
    const label = createSourceIndex();
    addRedacted(label, body.slice(0, body.indexOf(": ")));
    const sources = [label, readSource(raw)];
    return claims.every((claim) => sources.some((source) => findSupport(source, claim) !== "none"));
  };
}

/** Returns true if a shortened sentence lost its "not". */
function isContradiction(body: string, raw: string): boolean {
  if (body.length > LONG_SOURCE || raw.length > LONG_SOURCE) return false;
  if (!mayOppose(body) && !mayOppose(raw)) return false;
  const finder = createContradictionFinder(body);
  finder.add(raw);
  return finder.result().flipped.length > 0;
}
