/**
 * Puts the text of an offline summary together under its cap: the protected facts first, because they must be there,
 * then the story as far as it goes, then names that neither of them has said. What is left free is filled, what is
 * above the cap is given up, the least salient first; what counts is the count of the text as it is written.
 */
import { countText, countTextInSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import type { Counter } from "../../tokens/counter.ts";
import { EMPTY_SHEET } from "../facts/merge-facets.ts";
import { chooseProtected } from "../facts/protected-facts.ts";
import { rankFacts } from "../facts/rank-facts.ts";
import { rankNames } from "../facts/rank-names.ts";
import type { Facets, Fact, FactSheet } from "../record.ts";
import { type ChosenLine, type LineChooser, startChoosing } from "./choose-lines.ts";
import { contentWords } from "./content-words.ts";
import { type Draft, giveUp, NAME_TOKENS, type WrittenDraft, writeDraft, writeFact } from "./draft.ts";
import { isFaithful } from "./is-faithful.ts";
import { BULLET } from "./layout.ts";
import type { NameUses } from "./name-uses.ts";
import type { Salience, SalientLine } from "./salience.ts";
import { writeShort } from "./write-short.ts";

export interface ComposeOptions {
  readonly facets: Facets;
  readonly uses: NameUses;
  readonly salience: Salience;
  readonly capTokens: number;
  readonly counter: Counter;
}

export interface ComposedText {
  readonly text: string;
  readonly keyPoints: readonly string[];
}

/** How often what is free is filled again, and facts that a reader would look for are put in. */
const MOST_ROUNDS = 8;
/** Facts that a reader would look for are added; where that does not settle, the text has those alone. */
const ROUNDS_TO_ADD = 3;
/** What names that nothing protects may take, and what is done. */
const NAMES_SHARE = 0.15;
const DONE_SHARE = 0.1;
/** A text that is this full is full. */
const FULL_SHARE = 0.985;

export function* composeText(options: ComposeOptions): Generator<undefined, ComposedText> {
  const { facets, salience, capTokens, counter } = options;
  const sheet = facets.sheet ?? EMPTY_SHEET;
  const count = (text: string): number => countText(text, counter);
  const draft = yield* startDraft(options, count);
  let written = yield* fitDraft(draft, { capTokens, counter });
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { tokens: before } = written;
    const freeTokens = capTokens - before;
    if (written.tokens < capTokens * FULL_SHARE) {
      yield* grow(draft, { freeTokens, namesTokens: round === 0 ? Math.ceil(freeTokens * NAMES_SHARE) : 0 });
      written = yield* fitDraft(draft, { capTokens, counter });
    }
    const expected = expectFacts(draft, sheet, written);
    yield undefined;
    if (expected !== undefined) {
      draft.required.splice(0, draft.required.length, ...(round < ROUNDS_TO_ADD ? expected.all : expected.alone));
      written = yield* fitDraft(draft, { capTokens, counter });
    } else if (written.tokens >= capTokens * FULL_SHARE || (round > 0 && written.tokens <= before)) break;
  }
  const text = written.text === "" ? writeShort(shortLines(sheet, salience), { capTokens, count }) : written.text;
  return { text, keyPoints: keyPointsOf(draft.chooser.chosen) };
}

function* startDraft(
  { facets, uses, salience, capTokens }: ComposeOptions,
  count: (text: string) => number,
): Generator<undefined, Draft> {
  const sheet = facets.sheet ?? EMPTY_SHEET;
  const required = [...chooseProtected(sheet, { budgetTokens: capTokens, count }).facts];
  yield undefined;
  const done = chooseDone(facets.done, { roomTokens: capTokens * DONE_SHARE, count });
  const said = [...required.map(writeFact), ...done];
  const chooser = yield* chooseStory(salience, { said, count });
  const names = rankNames(sheet.facts.filter(({ kind }) => kind === "identifier"));
  return { required, done, chooser, names, extraNames: 0, labelOf: uses.labelOf };
}

interface Written extends WrittenDraft {
  readonly tokens: number;
}

const NOTHING: Written = { text: "", tokens: 0, hasName: () => false };

/** Writes the draft, giving up what does not fit. */
function* fitDraft(
  draft: Draft,
  { capTokens, counter }: Pick<ComposeOptions, "capTokens" | "counter">,
): Generator<undefined, Written> {
  for (;;) {
    const written = yield* writeDraft(draft);
    const tokens = written.text === "" ? 0 : yield* countTextInSteps(written.text, counter);
    yield undefined;
    if (tokens <= capTokens) return { ...written, tokens };
    if (!giveUp(draft, tokens - capTokens)) return NOTHING;
  }
}

function* grow(
  draft: Draft,
  { freeTokens, namesTokens }: { readonly freeTokens: number; readonly namesTokens: number },
): Generator<undefined, void> {
  const left = yield* draft.chooser.fill(freeTokens - namesTokens);
  draft.extraNames += Math.floor((left + namesTokens) / NAME_TOKENS);
}

interface Choosing {
  /** What the text says beside the story. */
  readonly said: readonly string[];
  readonly count: (text: string) => number;
}

/** A day is written once for all lines of it. */
const DATE_TOKENS = 7;

function chooseStory(salience: Salience, { said, count }: Choosing): Generator<undefined, LineChooser> {
  const placesOf = (text: string): readonly number[] =>
    contentWords(text).flatMap((word) => salience.places.get(word) ?? []);
  const dates = new Set<string>();
  const cost = ({ candidate: { body, date } }: SalientLine): number => {
    const isNew = date !== undefined && !dates.has(date);
    if (isNew) dates.add(date);
    return count(`${BULLET}${body}\n`) + (isNew ? DATE_TOKENS : 0);
  };
  return startChoosing(salience, { said: said.map(placesOf), cost, isFaithful });
}

/** The newest that fit. */
function chooseDone(
  done: readonly string[],
  { roomTokens, count }: { readonly roomTokens: number; readonly count: (text: string) => number },
): string[] {
  const chosen: string[] = [];
  let room = roomTokens;
  for (const text of done.toReversed()) {
    room -= count(`${BULLET}${text}\n`);
    if (room < 0) break;
    chosen.unshift(text);
  }
  return chosen;
}

interface ExpectedFacts {
  /** With those that the draft has already. */
  readonly all: readonly Fact[];
  readonly alone: readonly Fact[];
}

/**
 * The protected facts by the measure of whoever checks the text, which goes by the text's own size; undefined where it
 * has them all.
 */
function expectFacts(draft: Draft, sheet: FactSheet, { text, hasName }: Written): ExpectedFacts | undefined {
  const has = new Set(draft.required.map(({ id }) => id));
  const count = (piece: string): number => countTokens(piece);
  const alone = chooseProtected(sheet, { budgetTokens: countTokens(text), count }).facts;
  const isThere = (fact: Fact): boolean => has.has(fact.id) || (fact.kind === "identifier" && hasName(fact));
  if (alone.every(isThere)) return undefined;
  const wanted = new Set([...has, ...alone.map(({ id }) => id)]);
  return { alone, all: rankFacts(sheet).filter(({ id }) => wanted.has(id)) };
}

const MOST_KEY_POINTS = 8;

function keyPointsOf(chosen: readonly ChosenLine[]): readonly string[] {
  return chosen
    .toSorted((left, right) => right.value - left.value)
    .slice(0, MOST_KEY_POINTS)
    .map(({ line }) => line.candidate)
    .sort((left, right) => left.order - right.order)
    .map(({ body }) => body);
}

/** What to say where there is no room for more than a few words: facts that are never left out, then the newest. */
function shortLines(sheet: FactSheet, { lines }: Salience): readonly string[] {
  const facts = sheet.facts.filter(({ kind }) => kind === "pin-note" || kind === "constraint").map(writeFact);
  const bodies = lines.toReversed().map(({ candidate }) => candidate.body);
  return [...facts, ...bodies.slice(0, MOST_SHORT_LINES)];
}

const MOST_SHORT_LINES = 16;
