/**
 * Merges facts by id and limits the number of each kind. A done item stays done; a command keeps its last outcome. Names
 * are limited by how likely they are needed again: old uses count less, especially in tool outputs.
 */
import type { Role } from "../../message/message.ts";
import type { NamedUse } from "../read/read-names.ts";
import { tellsFact } from "../read/read-user-words.ts";
import { joinUses } from "../read/tool-use.ts";
import type { Fact, FactId, FactKind, FactStatus } from "../record/record.ts";
import { NAME_WEIGHTS } from "../weights.ts";
import { factId } from "./make-fact.ts";

export function addFact(facts: Map<string, Fact>, fact: Fact): void {
  const known = facts.get(fact.id);
  if (IN_ORDER_OF_LAST_USE.has(fact.kind)) facts.delete(fact.id);
  facts.set(fact.id, known === undefined ? fact : mergeFact(known, fact));
}

const IN_ORDER_OF_LAST_USE: ReadonlySet<FactKind> = new Set(["identifier", "user-message"]);

export function mergeFact(known: Fact, again: Fact): Fact {
  const { owner = known.owner, due = known.due } = again;
  const { isTakenOver, ...rest } = known;
  return {
    ...rest,
    ...(isTakenOver === true && again.isTakenOver === true ? { isTakenOver } : {}),
    ...(NEWEST_HOLDS.has(known.kind) ? { text: again.text } : {}),
    // The source of a definition is its newest message.
    ...(known.kind === "definition" ? { source: again.source } : {}),
    saidBy: BY_ROLE[known.saidBy] >= BY_ROLE[again.saidBy] ? known.saidBy : again.saidBy,
    // A summary from the history does not close an item that is opened after it.
    status: isTakenOver === true && again.isTakenOver !== true ? again.status : joinStatus(known.status, again.status),
    lastTurn: Math.max(known.lastTurn, again.lastTurn),
    uses: known.uses + (again.source === known.source && again.lastTurn === known.lastTurn ? 0 : again.uses),
    ...(owner === undefined ? {} : { owner }),
    ...(due === undefined ? {} : { due }),
    ...(known.kind === "identifier" ? joinUse(known, again) : {}),
  };
}

const NEWEST_HOLDS: ReadonlySet<FactKind> = new Set(["command", "notebook-cell", "definition"]);

/** Rank of the speaker when two messages state the same fact. */
const BY_ROLE: Readonly<Record<Role, number>> = { user: 3, assistant: 2, tool: 1, system: 0 };

function joinStatus(known: FactStatus, again: FactStatus): FactStatus {
  return known === "done" || again === "done" ? "done" : known;
}

/** Maximum number of facts of each kind in a sheet. */
const LIMITS: Partial<Record<FactKind, number>> = {
  constraint: 300,
  reported: 300,
  goal: 4,
  "user-message": 100,
  "open-item": 300,
  question: 60,
  decision: 100,
  definition: 100,
  identifier: 1_000,
  command: 40,
  "notebook-cell": 40,
  error: 40,
  participant: 60,
};

/** Keeps the most important facts of each kind in their order, up to `times` the limit. */
export function limitFacts(facts: readonly Fact[], times = 1): readonly Fact[] {
  const dropped = new Set<string>();
  const byKind = Map.groupBy(facts, ({ kind }) => kind);
  for (const [kind, ofKind] of byKind) {
    const limit = LIMITS[kind] ?? Number.POSITIVE_INFINITY;
    const most = limit * times;
    if (ofKind.length <= most) continue;
    for (const fact of rankKind(ofKind, { kind, most }).slice(most)) dropped.add(fact.id);
  }
  return dropped.size === 0 ? facts : facts.filter((fact) => !dropped.has(fact.id));
}

interface RankOptions {
  readonly kind: FactKind;
  /** Facts after this number are dropped, so their order does not matter. */
  readonly most: number;
}

function rankKind(facts: readonly Fact[], { kind, most }: RankOptions): readonly Fact[] {
  if (kind === "identifier") return rankNames(facts);
  return kind === "user-message" ? rankUserMessages(facts, most) : sortByWeight(facts);
}

/** Number of the newest messages of the user that rank first. Older statements come next, then older requests. */
const NEWEST_MESSAGES = 50;

function rankUserMessages(messages: readonly Fact[], most: number): readonly Fact[] {
  const newestFirst = messages.toReversed();
  const older = newestFirst.slice(NEWEST_MESSAGES);
  const stated = new Set<Fact>();
  for (const fact of older) {
    if (NEWEST_MESSAGES + stated.size >= most) break;
    if (tellsFact(fact.text)) stated.add(fact);
  }
  return [...newestFirst.slice(0, NEWEST_MESSAGES), ...stated, ...older.filter((fact) => !stated.has(fact))];
}

/** Returns the constraints that a limit dropped, which are always reported. */
export function listEvictedConstraints(before: readonly Fact[], after: readonly Fact[]): readonly FactId[] {
  if (before.length === after.length) return [];
  const kept = new Set(after.map(({ id }) => id));
  return before.flatMap(({ id, kind }) => (kind === "constraint" && !kept.has(id) ? [id] : []));
}

/** Sorts facts: open before done, the user's first, then by number of uses and by last turn. */
export function sortByWeight(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted(
    (left, right) =>
      Number(left.status === "done") - Number(right.status === "done") ||
      Number(right.saidBy === "user") - Number(left.saidBy === "user") ||
      right.uses - left.uses ||
      right.lastTurn - left.lastTurn,
  );
}

type Use = Pick<Fact, "given" | "shown" | "lastUse" | "home" | "use">;

export function describeUse(
  { origin, home, use, share = 1 }: Pick<NamedUse, "origin" | "home" | "use" | "share">,
  message: number,
): Use {
  return {
    given: origin === "shown" ? 0 : NAME_WEIGHTS[origin],
    shown: origin === "shown" ? round(share) : 0,
    lastUse: message,
    ...(home === undefined ? {} : { home: factId("identifier", home) }),
    ...(use === undefined ? {} : { use }),
  };
}

export function joinUse(known: Fact, again: Fact): Use {
  const lastUse = Math.max(known.lastUse ?? 0, again.lastUse ?? 0);
  const home = (again.given ?? 0) >= 1 || known.home === undefined ? (again.home ?? known.home) : known.home;
  const use = joinUses(known.use, again.use);
  return {
    given: round(decay(known.given, NAME_WEIGHTS.givenHalfLife, lastUse - (known.lastUse ?? 0)) + (again.given ?? 0)),
    shown: round(decay(known.shown, NAME_WEIGHTS.shownHalfLife, lastUse - (known.lastUse ?? 0)) + (again.shown ?? 0)),
    lastUse,
    ...(home === undefined ? {} : { home }),
    ...(use === undefined ? {} : { use }),
  };
}

/** Returns the weight at the time of a later message. A name from a summarizer counts as used just now. */
export function weighName({ given, shown, lastUse }: Fact, message: number): number {
  if (lastUse === undefined) return NAME_WEIGHTS.givenFactor * Math.log2(1 + NAME_WEIGHTS.said);
  const age = message - lastUse;
  return (
    NAME_WEIGHTS.givenFactor * Math.log2(1 + decay(given, NAME_WEIGHTS.givenHalfLife, age)) +
    Math.log2(1 + decay(shown, NAME_WEIGHTS.shownHalfLife, age))
  );
}

function decay(value: number | undefined, halfLife: number, messages: number): number {
  return (value ?? 0) * 2 ** (-messages / halfLife);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/**
 * Ranks names by how likely they are to be needed again, relative to their length; bare numbers rank low. Expects names
 * in the order of their last use, and ranks the later of two equal ones first.
 */
export function rankNames(names: readonly Fact[]): readonly Fact[] {
  const now = names.reduce((latest, { lastUse }) => Math.max(latest, lastUse ?? 0), 0);
  return names
    .map((fact, place) => ({ fact, place, rank: rankOf(fact, now) }))
    .sort((left, right) => right.rank - left.rank || right.place - left.place)
    .map(({ fact }) => fact);
}

const BARE_NUMBER = /^-?[\d.,%]+$/;

function rankOf(fact: Fact, now: number): number {
  const shape = BARE_NUMBER.test(fact.text) ? NAME_WEIGHTS.bareNumber : 1;
  return (
    (weighName(fact, now) * shape) / (fact.text.length + NAME_WEIGHTS.separatorCharacters) ** NAME_WEIGHTS.costPower
  );
}
