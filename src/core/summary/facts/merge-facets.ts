/**
 * Carries the facts of a chain from one summary to the next, by id. An empty proposal loses nothing, and a done item
 * stays done unless its id is in `reopened`. The lists of the facets are derived from the facts.
 */

import { pathKey } from "../claims/classify-token.ts";
import { isAdjustment } from "../read/find-requests.ts";
import type { ActionItem, Facets, Fact, FactId, FactKind, FactSheet, StretchSheet } from "../record/record.ts";
import { dropChanged } from "./drop-changed.ts";
import { addFact, limitFacts, listEvictedConstraints, mergeFact } from "./fact-list.ts";
import { mergeEqualRules } from "./merge-rules.ts";
import { resolveItems } from "./resolve-items.ts";
import { keepOpenGoals } from "./track-goals.ts";

export interface FacetProposal extends StretchSheet {
  readonly resolved?: readonly FactId[] | undefined;
  readonly reopened?: readonly FactId[] | undefined;
}

export function mergeFacets(previous: Facets | undefined, proposed: FacetProposal): Facets {
  const before = previous?.sheet ?? EMPTY_SHEET;
  const facts = new Map<string, Fact>(before.facts.map((fact) => [fact.id, fact]));
  const messages = before.messages ?? 0;
  for (const fact of changeGoals(facts, proposed)) {
    const lastUse = fact.lastUse === undefined ? {} : { lastUse: fact.lastUse + messages };
    addFact(facts, { ...fact, lastTurn: fact.lastTurn + before.turns, ...lastUse });
  }
  setStatus(facts, proposed.resolved ?? [], "done");
  const hints = (proposed.hints ?? []).map((hint) => ({ ...hint, lastTurn: hint.lastTurn + before.turns }));
  const finished = hints.filter(({ status }) => status === "done");
  const resolved = new Map(resolveItems([...facts.values()], finished).map((fact) => [fact.id, fact]));
  setStatus(resolved, proposed.reopened ?? [], "open");
  const earlier = new Set(before.facts.map(({ id }) => id));
  const standing = dropChanged([...resolved.values()], {
    isNew: ({ id }) => !earlier.has(id),
    hints: hints.filter(({ status }) => status !== "done"),
  });
  const joined = mergePartialPaths(mergeEqualRules(standing));
  const limited = limitFacts(joined);
  const evicted = [...(proposed.evicted ?? []), ...listEvictedConstraints(joined, limited)];
  return facetsOf({
    facts: limited,
    turns: before.turns + proposed.turns,
    messages: messages + (proposed.messages ?? 0),
    ...(evicted.length === 0 ? {} : { evicted }),
  });
}

/** Removes goals that are closed, and returns the facts to add. */
function changeGoals(facts: Map<string, Fact>, { facts: proposed, goalChanges }: FacetProposal): readonly Fact[] {
  const goals = [...facts.values()].filter(({ kind }) => kind === "goal");
  if (goalChanges === undefined || goals.length === 0) return proposed;
  const first = goalChanges.isGuess === true ? proposed.find(({ kind }) => kind === "goal") : undefined;
  if (first?.isGuess === true && goals.every(({ isGuess }) => isGuess === true)) return proposed;
  const newest = goals.at(-1)?.text ?? "";
  const added = proposed.filter((fact) => fact !== first && !(fact.kind === "goal" && isAdjustment(fact.text, newest)));
  const opens = added.some(({ kind }) => kind === "goal");
  const kept = new Set(keepOpenGoals(goals, goalChanges, opens));
  for (const goal of goals) if (!kept.has(goal)) facts.delete(goal.id);
  return added;
}

export const EMPTY_SHEET: FactSheet = { facts: [], turns: 0 };

export function facetsOf(sheet: FactSheet): Facets {
  const texts = (kind: FactKind): readonly string[] =>
    sheet.facts.filter((fact) => fact.kind === kind && fact.status !== "done").map(({ text }) => text);
  const goal = texts("goal").at(-1);
  return {
    ...(goal === undefined ? {} : { goal }),
    constraints: [...texts("pin-note"), ...texts("constraint")],
    decisions: [...texts("decision"), ...texts("definition")],
    actionItems: sheet.facts.flatMap((fact) => (fact.kind === "open-item" ? [actionItem(fact)] : [])),
    unresolved: texts("question"),
    entities: [...texts("identifier"), ...texts("command"), ...texts("notebook-cell"), ...texts("error")],
    participants: texts("participant"),
    done: sheet.facts.flatMap(({ kind, status, text }) => (kind === "open-item" && status === "done" ? [text] : [])),
    sheet,
  };
}

function actionItem({ text, owner, due, status }: Fact): ActionItem {
  return { task: text, owner, due, status: status === "done" ? "done" : "open" };
}

function setStatus(facts: Map<string, Fact>, ids: readonly FactId[], status: "open" | "done"): void {
  for (const id of ids) {
    const fact = facts.get(id);
    if (fact?.kind === "open-item" || fact?.kind === "question") facts.set(id, { ...fact, status });
  }
}

/** Merges a partial path into its full path: `a.ts` into `/app/src/a.ts`, or into the longest of several. */
export function mergePartialPaths(facts: readonly Fact[]): readonly Fact[] {
  const whole = findFullPaths(facts);
  if (whole.size === 0) return facts;
  const joined = new Map(facts.map((fact) => [fact.id, fact]));
  for (const fact of facts) {
    const wholeId = whole.get(fact.id);
    const target = wholeId === undefined ? undefined : joined.get(wholeId);
    if (target === undefined) continue;
    joined.set(target.id, { ...mergeFact(target, fact), home: target.home });
    joined.delete(fact.id);
  }
  return [...joined.values()].map((fact) => {
    const home = fact.home === undefined ? undefined : whole.get(fact.home);
    return home === undefined ? fact : { ...fact, home };
  });
}

/** Maps each partial path to the longest path that ends with it. */
function findFullPaths(facts: readonly Fact[]): ReadonlyMap<FactId, FactId> {
  const keys = new Map<string, FactId>();
  const longest = new Map<string, string>();
  for (const { id, kind, text } of facts) {
    if (kind !== "identifier" || !PATH.test(text) || text.includes("://")) continue;
    const key = pathKey(text);
    keys.set(key, id);
    let parts = 0;
    for (let slash = key.indexOf("/"); slash >= 0 && parts < MAX_PARTS; slash = key.indexOf("/", slash + 1)) {
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
const MAX_PARTS = 24;
