/**
 * One fact for a file that was named by its whole path and by the end of it: `a.ts`, `src/a.ts` and `/app/src/a.ts` are
 * the last of them, which says what the others say. Where several paths end the same, it is the one that was used last.
 */
import { pathKey } from "../claims/classify-token.ts";
import type { Fact, FactId } from "../record/record.ts";
import { joinFacts } from "./fact-list.ts";

export function joinPaths(facts: readonly Fact[]): readonly Fact[] {
  const whole = findWhole(facts);
  if (whole.size === 0) return facts;
  const joined = new Map(facts.map((fact) => [fact.id, fact]));
  for (const fact of facts) {
    const wholeId = whole.get(fact.id);
    const target = wholeId === undefined ? undefined : joined.get(wholeId);
    if (target === undefined) continue;
    joined.set(target.id, { ...joinFacts(target, fact), home: target.home });
    joined.delete(fact.id);
  }
  return [...joined.values()].map((fact) => {
    const home = fact.home === undefined ? undefined : whole.get(fact.home);
    return home === undefined ? fact : { ...fact, home };
  });
}

/** For each path that is the end of another one, the longest that it is the end of. */
function findWhole(facts: readonly Fact[]): ReadonlyMap<FactId, FactId> {
  const keys = new Map<string, FactId>();
  const longest = new Map<string, string>();
  for (const { id, kind, text } of facts) {
    if (kind !== "identifier" || !PATH.test(text) || text.includes("://")) continue;
    const key = pathKey(text);
    keys.set(key, id);
    let parts = 0;
    for (let slash = key.indexOf("/"); slash >= 0 && parts < MOST_PARTS; slash = key.indexOf("/", slash + 1)) {
      const end = key.slice(slash + 1);
      if ((longest.get(end)?.length ?? 0) <= key.length) longest.set(end, key);
      parts += 1;
    }
  }
  const whole = new Map<FactId, FactId>();
  for (const [key, id] of keys) {
    const target = keys.get(longest.get(key) ?? "");
    if (target !== undefined) whole.set(id, target);
  }
  return whole;
}

const PATH = /[/\\]|\.[A-Za-z]\w{0,7}$/;
const MOST_PARTS = 24;
