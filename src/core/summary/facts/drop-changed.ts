/**
 * Drops decisions, rules and open items that the user withdraws or replaces later; a summary would list them as still valid.
 * Compares the words of the two statements; a replacement that names no subject applies to the newest choice.
 */
import { isFunctionWord } from "../../language/other-language.ts";
import { foldWord, stemWord } from "../../language/stem-word.ts";
import { contentStems, isUnspaced } from "../../language/words.ts";
import {
  ENDS_RULE,
  findReplaced,
  isChange,
  isChoice,
  isReplacement,
  PERMITS,
  weighHint,
} from "../read/find-reversals.ts";
import type { Fact, FactKind } from "../record/record.ts";
import { meaningOf } from "./resolve-items.ts";

const MAX_CHANGES = 50;

/** Kinds that a later statement of the user can change. */
const CHANGEABLE: ReadonlySet<FactKind> = new Set(["decision", "constraint", "open-item", "question"]);

/** "We won't use Redis anymore" is a rule that changes a decision. */
const CHANGING: ReadonlySet<FactKind> = new Set(["decision", "constraint"]);

interface Change {
  readonly place: number;
  readonly fact: Fact;
  readonly words: ReadonlySet<string>;
  /** Words of what is replaced, if the change names it. */
  readonly replaced: ReadonlySet<string> | undefined;
}

/**
 * Drops the facts that new facts change. Changes by facts of earlier stretches were applied earlier. Hints are sentences
 * of the user that replace a statement with the same words, and are facts only if they do.
 */
export function dropChanged(
  facts: readonly Fact[],
  { isNew, hints = [] }: { readonly isNew: (fact: Fact) => boolean; readonly hints?: readonly Fact[] },
): readonly Fact[] {
  return applyChanges(applyHints(facts, hints), isNew);
}

function applyHints(facts: readonly Fact[], hints: readonly Fact[]): readonly Fact[] {
  let kept = facts;
  for (const hint of hints) {
    const words = subjectOf(hint);
    const weight = weighHint(hint.text);
    const isReplaced = (fact: Fact): boolean => isHintedAt(fact, { hint, words, weight });
    const replaced = kept.filter(isReplaced);
    if (replaced.length === 0) continue;
    // A limit without a subject replaces only the newest one.
    const limits = replaced.filter(({ text }) => isOtherLimit(text, hint.text)).slice(0, -1);
    const dropped = new Set(replaced.filter((fact) => !limits.includes(fact)));
    const isStated = kept.some(
      ({ source, kind, text }) => source === hint.source && CHANGING.has(kind) && text.includes(hint.text),
    );
    kept = [...kept.filter((fact) => !dropped.has(fact)), ...(isStated ? [] : [hint])];
  }
  return kept;
}

interface Hint {
  readonly hint: Fact;
  readonly words: ReadonlySet<string>;
  readonly weight: number;
}

function isHintedAt(fact: Fact, { hint, words, weight }: Hint): boolean {
  if (!CHANGEABLE.has(fact.kind) || fact.status === "done" || fact.source === hint.source) return false;
  if (fact.lastTurn > hint.lastTurn || (fact.lastTurn === hint.lastTurn && fact.saidBy !== "user")) return false;
  const own = [...subjectOf(fact)];
  const common = own.filter((word) => words.has(word)).length;
  if (fact.kind === "constraint")
    return (
      isOtherLimit(fact.text, hint.text) || isLifted({ rule: fact.text, hint: hint.text, common, words: own.length })
    );
  if (common > 0 && isOtherLimit(fact.text, hint.text)) return true;
  const replaced = replacedBy(hint);
  if (replaced !== undefined && !own.some((word) => replaced.has(word))) return false;
  const [least, share] = weight > 1 ? STRONGLY : WEAKLY;
  return common >= least && common >= share * own.length;
}

/** The share of a rule's words by which a sentence that ends a rule names it. */
const MIN_NAMED_SHARE = 0.3;

interface Lift {
  readonly rule: string;
  readonly hint: string;
  readonly common: number;
  readonly words: number;
}

/** A rule is lifted by permission with all its words but one. Permission does not lift a rule with a condition. */
function isLifted({ rule, hint, common, words }: Lift): boolean {
  if (ENDS_RULE.test(hint)) return common > 0 && common >= MIN_NAMED_SHARE * words;
  if (common < Math.max(2, words - 1) || !PERMITS.test(hint)) return false;
  return !/\b(?:without|unless|except|until|before)\b/i.test(rule);
}

/**
 * Returns true if a clause limits the same unit and names no other subject: "Make that 120 words." after "The text has at
 * most 200 words."
 */
function isOtherLimit(statement: string, hint: string): boolean {
  const before = readAmounts(statement);
  if (before.size === 0) return false;
  const words = contentStems(statement);
  return hint.split(/[,;:](?!\d)/).some((clause) => {
    const amounts = [...readAmounts(clause)];
    if (!amounts.some(([unit, amount]) => (before.get(unit) ?? amount) !== amount)) return false;
    const units = new Set(amounts.flatMap(([unit, amount]) => [unit, stemWord(foldWord(amount))]));
    const isKnown = (word: string): boolean =>
      words.has(word) || units.has(word) || LIMITING.has(word) || DECIDING.has(word);
    return [...contentStems(clause)].every(isKnown);
  });
}

const LIMITING = contentStems(
  "make most least less fewer more maximum minimum max limit requirement rule now fine okay allowed enough stays remains actually " +
    "ser sein dürfen darf jetzt höchstens maximal erlaubt pueden puede ahora permiten máximo maintenant permis permises maximum agora podem pode",
);

function readAmounts(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(AMOUNT)].map(([, amount = "", unit = ""]) => [stemWord(foldWord(unit)), amount]));
}

/** A number, in digits or as an English word, and its unit. */
const AMOUNT =
  /(?<![\p{L}\p{N}])(\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|hundred) ?(\p{L}{2,}|[%€$£])/giu;

/** The number and the share of the words of a statement that a strong and a weak hint must have. */
const STRONGLY = [1, 0.5] as const;
const WEAKLY = [2, 0.6] as const;

function applyChanges(facts: readonly Fact[], isNew: (fact: Fact) => boolean): readonly Fact[] {
  const changes: readonly Change[] = facts.flatMap((fact, place) =>
    CHANGING.has(fact.kind) && fact.saidBy === "user" && isNew(fact) && isChange(fact.text)
      ? [{ place, fact, words: subjectOf(fact), replaced: replacedBy(fact) }]
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
    // "Scrap that." contains no new decision, so it is dropped too.
    if (change.words.size === 0) dropped.add(change.fact);
  }
  return facts.filter((fact) => !dropped.has(fact)).map((fact) => withoutRules(fact, dropped));
}

/** Returns a goal without the dropped rules that its text contains. */
function withoutRules(fact: Fact, dropped: ReadonlySet<Fact>): Fact {
  if (fact.kind !== "goal") return fact;
  const rules = [...dropped].filter(({ kind }) => kind === "constraint");
  const text = rules.reduce((left, rule) => left.replace(` ${rule.text}`, ""), fact.text);
  return text === fact.text ? fact : { ...fact, text };
}

/** Two statements have the same subject if they share this many words, and this share of the shorter one. */
const SAME_SUBJECT_WORDS = 2;
const SAME_SUBJECT_SHARE = 0.25;
/** A statement with at most this many words needs to share only one. */
const SHORT_WORDS = 3;

/** Words about deciding and changing, which do not belong to the subject. */
const DECIDING = contentStems(
  "decision decide decided agreed settled new let lets go going using used use keep instead actually mind changed never forget scrap drop skip second thought longer need want after all please cancel correction board team always rather plan take won reflection " +
    "entscheidung entschieden beschlossen nehmen nimm verwenden stattdessen lieber überlegt usar usamos usemos decidimos decidido vamos mejor idea lugar vez utiliser utilise décidé prend plutôt finalement place avis décision usamos melhor decisão ideia 决定 改用 不用 使い 決め",
);

function subjectOf(fact: Fact): ReadonlySet<string> {
  return withoutCommonWords(meaningOf(fact));
}

/** A single character of a script without spaces is too little to compare. */
function withoutCommonWords(stems: ReadonlySet<string>): ReadonlySet<string> {
  const isSubject = (stem: string): boolean =>
    !DECIDING.has(stem) && !isFunctionWord(stem) && !(stem.length === 1 && isUnspaced(stem));
  return new Set([...stems].filter(isSubject));
}

function replacedBy({ text }: Fact): ReadonlySet<string> | undefined {
  const replaced = findReplaced(text);
  return replaced === undefined ? undefined : withoutCommonWords(contentStems(replaced));
}

function isChangedBy(fact: Fact, { fact: change, words, replaced }: Change): boolean {
  if (fact.lastTurn > change.lastTurn || fact.source === change.source) return false;
  const own = [...subjectOf(fact)];
  const shorter = Math.min(own.length, words.size);
  const common = own.filter((word) => words.has(word)).length;
  if (fact.kind === "constraint") return common > 0 && common >= MIN_RULE_SHARE * own.length;
  if (replaced !== undefined && own.some((word) => replaced.has(word))) return true;
  const least = shorter <= SHORT_WORDS && replaced === undefined ? 1 : SAME_SUBJECT_WORDS;
  return common >= least && common >= SAME_SUBJECT_SHARE * shorter;
}

/** A rule is dropped only by a statement with this share of its words. */
const MIN_RULE_SHARE = 0.5;

/** Returns the newest choice, if the user replaces it without naming it: "use SQLite instead". */
function findJustDecided(earlier: readonly Fact[], { fact: { text, lastTurn }, replaced }: Change): readonly Fact[] {
  if (replaced !== undefined || !isReplacement(text)) return [];
  const newest = earlier.findLast(({ kind, text: decided }) => kind === "decision" && isChoice(decided));
  return newest === undefined || lastTurn - newest.lastTurn > MAX_TURNS_BETWEEN ? [] : [newest];
}

const MAX_TURNS_BETWEEN = 8;
