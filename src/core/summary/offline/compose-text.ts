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
import type { Facets, Fact, FactSheet, SummaryLine } from "../record.ts";
import { type Candidate, sourcesOf } from "./candidate.ts";
import { type ChosenLine, type LineChooser, startChoosing } from "./choose-lines.ts";
import { contentWords } from "./content-words.ts";
import type { ConversationKind } from "./conversation-kind.ts";
import { type Draft, giveUp, NAME_TOKENS, type WrittenDraft, writeDraft, writeFact } from "./draft.ts";
import { createFaithCheck } from "./is-faithful.ts";
import { BULLET, joinLines } from "./layout.ts";
import type { Salience, SalientLine } from "./salience.ts";
import { shortenLast } from "./shorten-last.ts";
import { isStillDone } from "./work/still-done.ts";
import { writeShort } from "./write-short.ts";

export interface ComposeOptions {
  readonly kind: ConversationKind;
  readonly facets: Facets;
  readonly salience: Salience;
  /** Lines of last resort, read where nothing else fills the text. */
  readonly readMore?: (() => Generator<undefined, Salience>) | undefined;
  readonly capTokens: number;
  readonly counter: Counter;
}

export interface ComposedText {
  readonly text: string;
  readonly lines: readonly SummaryLine[];
  readonly keyPoints: readonly string[];
  /** What the lines of the story were made from. */
  readonly told: readonly Candidate[];
}

/** How often what is free is filled again, and facts that a reader would look for are put in. */
const MOST_ROUNDS = 12;
/** Facts that a reader would look for are added; where that does not settle, the text has those alone. */
const ROUNDS_TO_ADD = 3;
/** What names that nothing protects may take, and what is done. */
const NAMES_SHARE: Readonly<Record<ConversationKind, number>> = { work: 0.9, talk: 0 };
const MOST_NAMES_TOKENS = 1_400;
const DONE_SHARE = 0.1;
/** A text that is this full is full. */
const FULL_SHARE = 0.985;
/** One that is less full than this gets lines that would not be worth it otherwise. */
const SPARSE_SHARE = 0.96;

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
      yield* grow(draft, {
        freeTokens,
        namesTokens: round === 0 ? Math.min(MOST_NAMES_TOKENS, Math.ceil(freeTokens * NAMES_SHARE[options.kind])) : 0,
      });
      written = yield* fitDraft(draft, { capTokens, counter });
    }
    const expected = expectFacts(draft, sheet, written);
    yield undefined;
    if (expected !== undefined) {
      draft.required.splice(0, draft.required.length, ...(round < ROUNDS_TO_ADD ? expected.all : expected.alone));
      written = yield* fitDraft(draft, { capTokens, counter });
    } else if (written.tokens >= capTokens * FULL_SHARE || (round > 0 && written.tokens <= before)) break;
  }
  if (written.text !== "" && written.tokens < capTokens * FULL_SHARE) written = yield* fillUp(draft, written, options);
  const lines = written.text === "" ? writeShort(shortLines(sheet, salience), { capTokens, count }) : written.lines;
  const { chooser, more, lastLine } = draft;
  const told = [...chooser.chosen, ...(more?.chosen ?? [])].map(({ line }) => line.candidate);
  const all = lastLine === undefined ? told : [...told, lastLine];
  return { text: joinLines(lines), lines, keyPoints: keyPointsOf(chooser.chosen), told: all };
}

function* fillUp(draft: Draft, written: Written, options: ComposeOptions): Generator<undefined, Written> {
  const { capTokens } = options;
  const more = written.tokens < capTokens * SPARSE_SHARE ? yield* addMore(draft, written, options) : written;
  const last = more.tokens < capTokens * FULL_SHARE ? yield* addLastLine(draft, more, options) : more;
  return yield* settleFacts(draft, last, options);
}

/** A text that has grown is expected to hold more facts; the beginning of a line makes room for them. */
function* settleFacts(
  draft: Draft,
  written: Written,
  { facets, capTokens, counter }: ComposeOptions,
): Generator<undefined, Written> {
  let settled = written;
  for (let round = 0; round < ROUNDS_TO_ADD; round += 1) {
    const expected = expectFacts(draft, facets.sheet ?? EMPTY_SHEET, settled);
    yield undefined;
    if (expected === undefined) break;
    draft.required.splice(0, draft.required.length, ...expected.all);
    draft.lastLine = undefined;
    settled = yield* fitDraft(draft, { capTokens, counter });
  }
  return settled;
}

/** What is left of the room goes to lines of last resort. */
function* addMore(
  draft: Draft,
  written: Written,
  { kind, readMore, capTokens, counter }: ComposeOptions,
): Generator<undefined, Written> {
  const salience = readMore === undefined ? undefined : yield* readMore();
  if (salience === undefined || salience.lines.length === 0) return written;
  const said = written.lines.map(({ text }) => text);
  const count = (text: string): number => countText(text, counter);
  draft.more = yield* chooseStory(salience, { kind, said, count });
  let now = written;
  for (let round = 0; round < ROUNDS_OF_MORE && now.tokens < capTokens * FULL_SHARE; round += 1) {
    yield* draft.more.fill(capTokens - now.tokens);
    now = yield* fitDraft(draft, { capTokens, counter });
  }
  return now;
}

const ROUNDS_OF_MORE = 3;

/** Where whole lines leave room, the beginning of one more, as long as it fits and says something. */
function* addLastLine(
  draft: Draft,
  written: Written,
  { capTokens, counter }: Pick<ComposeOptions, "capTokens" | "counter">,
): Generator<undefined, Written> {
  const rest = [...draft.chooser.rest(MOST_LAST_LINES), ...(draft.more?.rest(MOST_LAST_LINES) ?? [])];
  const lines = rest.map(({ candidate }) => candidate);
  const isNeeded = capTokens >= SMALLEST_FULL && written.tokens < capTokens * SPARSE_SHARE;
  for (const line of shortenLast(lines, { roomTokens: capTokens - written.tokens, isNeeded })) {
    draft.lastLine = line;
    const longer = yield* writeDraft(draft);
    const tokens = yield* countTextInSteps(longer.text, counter);
    if (tokens <= capTokens) return { ...longer, tokens };
  }
  draft.lastLine = undefined;
  return written;
}

const MOST_LAST_LINES = 32;
/** Smaller texts are not worth a torn line. */
const SMALLEST_FULL = 200;

function* startDraft(
  { kind, facets, salience, capTokens }: ComposeOptions,
  count: (text: string) => number,
): Generator<undefined, Draft> {
  const sheet = facets.sheet ?? EMPTY_SHEET;
  const required = [...chooseProtected(sheet, { budgetTokens: capTokens, count }).facts];
  yield undefined;
  const done = chooseDone(
    sheet.facts.filter((fact) => isDone(fact) && (kind === "talk" || isStillDone(fact, sheet.turns))),
    { roomTokens: capTokens * DONE_SHARE, count },
  );
  const said = [...required.map(writeFact), ...done.map(({ text }) => text)];
  const chooser = yield* chooseStory(salience, { kind, said, count });
  const names = rankNames(sheet.facts.filter(({ kind }) => kind === "identifier"));
  return { kind, required, done, chooser, names, extraNames: 0, keysByLine: new Map() };
}

interface Written extends WrittenDraft {
  readonly tokens: number;
}

const NOTHING: Written = { text: "", lines: [], tokens: 0, hasName: () => false };

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
  if (draft.kind === "work") draft.extraNames += Math.floor((left + namesTokens) / NAME_TOKENS);
}

interface Choosing {
  readonly kind: ConversationKind;
  /** What the text says beside the story. */
  readonly said: readonly string[];
  readonly count: (text: string) => number;
}

/** A day is written once for all lines of it. */
const DATE_TOKENS = 7;

function chooseStory(salience: Salience, { kind, said, count }: Choosing): Generator<undefined, LineChooser> {
  const placesOf = (text: string): readonly number[] =>
    contentWords(text).flatMap((word) => salience.places.get(salience.wordOf?.(word) ?? word) ?? []);
  const dates = new Set<string>();
  const cost = ({ candidate: { body, date } }: SalientLine): number => {
    const isNew = date !== undefined && !dates.has(date);
    if (isNew) dates.add(date);
    return count(`${BULLET}${body}\n`) + (isNew ? DATE_TOKENS : 0);
  };
  return startChoosing(salience, { kind, said: said.map(placesOf), cost, isFaithful: createFaithCheck() });
}

function isDone({ kind, status }: Fact): boolean {
  return kind === "open-item" && status === "done";
}

/** The newest that fit. */
function chooseDone(
  done: readonly Fact[],
  { roomTokens, count }: { readonly roomTokens: number; readonly count: (text: string) => number },
): Fact[] {
  const chosen: Fact[] = [];
  let room = roomTokens;
  for (const fact of done.toReversed()) {
    room -= count(`${BULLET}${fact.text}\n`);
    if (room < 0) break;
    chosen.unshift(fact);
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
function shortLines(sheet: FactSheet, { lines }: Salience): readonly SummaryLine[] {
  const facts = sheet.facts.filter(({ kind }) => kind === "pin-note" || kind === "constraint");
  const newest = lines.slice(-MOST_SHORT_LINES).toReversed();
  return [
    ...facts.map((fact) => ({ text: writeFact(fact), messageIds: [fact.source] })),
    ...newest.map(({ candidate }) => ({ text: candidate.body, messageIds: sourcesOf(candidate) })),
  ];
}

const MOST_SHORT_LINES = 16;
