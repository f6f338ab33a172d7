/**
 * Drops decisions and open items that the user takes back or replaces later, because a summary lists them as standing.
 * Compares the words of the two statements; a replacement that names no subject applies to the newest choice.
 */
import { contentStems } from "../../language/words.ts";
import { isChange, isChoice, isReplacement } from "../read/find-reversals.ts";
import type { Fact, FactKind } from "../record/record.ts";
import { meaningOf } from "./resolve-items.ts";

const MAX_CHANGES = 50;

/** Kinds that a later statement of the user can change. */
const CHANGEABLE: ReadonlySet<FactKind> = new Set(["decision", "open-item", "question"]);

interface Change {
  readonly place: number;
  readonly fact: Fact;
  readonly words: ReadonlySet<string>;
}

/** Drops what the new facts change. Facts of earlier stretches have already changed what was before them. */
export function dropChanged(facts: readonly Fact[], isNew: (fact: Fact) => boolean): readonly Fact[] {
  const changes: readonly Change[] = facts.flatMap((fact, place) =>
    fact.kind === "decision" && fact.saidBy === "user" && isNew(fact) && isChange(fact.text)
      ? [{ place, fact, words: subjectOf(fact) }]
      : [],
  );
  if (changes.length === 0) return facts;
  const dropped = new Set<Fact>();
  for (const change of changes.slice(-MAX_CHANGES)) {
    const earlier = facts
      .slice(0, change.place)
      .filter(({ kind, status }) => CHANGEABLE.has(kind) && status !== "done");
    const changed = earlier.filter((fact) => isChangedBy(fact, change));
    for (const fact of changed.length > 0 ? changed : findJustDecided(earlier, change)) dropped.add(fact);
  }
  return facts.filter((fact) => !dropped.has(fact));
}

/** Number of common words, and their share of the shorter statement, from which two statements have one subject. */
const SAME_SUBJECT_WORDS = 2;
const SAME_SUBJECT_SHARE = 0.25;
/** In a statement with at most this many words, one is enough. */
const SHORT_WORDS = 3;

/** Words about deciding and changing, which have no subject. */
const DECIDING = contentStems(
  "decision decide decided agreed settled new let lets go going using used use keep instead actually mind changed never forget scrap drop skip second thought longer need want after all please cancel correction board team",
);

function subjectOf(fact: Fact): ReadonlySet<string> {
  return new Set([...meaningOf(fact)].filter((stem) => !DECIDING.has(stem)));
}

function isChangedBy(fact: Fact, { fact: change, words }: Change): boolean {
  if (fact.lastTurn > change.lastTurn || fact.source === change.source) return false;
  const own = [...subjectOf(fact)];
  const shorter = Math.min(own.length, words.size);
  const common = own.filter((word) => words.has(word)).length;
  const least = shorter <= SHORT_WORDS ? 1 : SAME_SUBJECT_WORDS;
  return common >= least && common >= SAME_SUBJECT_SHARE * shorter;
}

/** Returns the newest choice, if the user replaces it without naming it: "use SQLite instead". */
function findJustDecided(earlier: readonly Fact[], { fact: { text, lastTurn } }: Change): readonly Fact[] {
  if (!isReplacement(text)) return [];
  const newest = earlier.findLast(({ kind, text: decided }) => kind === "decision" && isChoice(decided));
  return newest === undefined || lastTurn - newest.lastTurn > MAX_TURNS_BETWEEN ? [] : [newest];
}

const MAX_TURNS_BETWEEN = 8;
