/** Writes a draft within its cap, drops the least salient lines first, and finds missing facts. */
import { countText, countTextInSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import type { Counter } from "../../tokens/counter.ts";
import { createFaithfulnessCheck } from "../claims/read-source.ts";
import { EMPTY_SHEET } from "../facts/merge-facets.ts";
import { chooseStory } from "../rank/choose-lines.ts";
import type { Salience } from "../rank/judge-work.ts";
import { chooseProtected, rankFacts } from "../rank/rank-facts.ts";
import type { Candidate } from "../read/candidate.ts";
import type { Facets, Fact, FactSheet } from "../record/record.ts";
import type { TrimOptions } from "../record/trim-summary.ts";
import { ELLIPSIS, LEFT_OUT, shortenWords } from "../text/fold-line.ts";
import { WRITE_WEIGHTS } from "../weights.ts";
import { type Draft, dropLeastImportant, type WrittenDraft, writeDraft, writeFact } from "./draft.ts";

export interface FittedDraft extends WrittenDraft {
  readonly tokens: number;
}

const NOTHING: FittedDraft = { text: "", lines: [], tokens: 0, hasName: () => false };

export function* fitDraft(draft: Draft, { capTokens, counter }: TrimOptions): Generator<undefined, FittedDraft> {
  for (;;) {
    const written = yield* countDraft(draft, counter);
    if (written.tokens <= capTokens) return written;
    if (!dropLeastImportant(draft, written.tokens - capTokens)) return NOTHING;
  }
}

export function* countDraft(draft: Draft, counter: Counter): Generator<undefined, FittedDraft> {
  const written = yield* writeDraft(draft);
  const tokens = written.text === "" ? 0 : yield* countTextInSteps(written.text, counter);
  yield undefined;
  return { ...written, tokens };
}

export interface ExpectedFacts {
  readonly all: readonly Fact[];
  readonly alone: readonly Fact[];
}

/** Returns the protected facts that verification expects in this text, or undefined if all are present. */
export function findExpectedFacts(
  draft: Draft,
  sheet: FactSheet,
  { text, hasName }: FittedDraft,
): ExpectedFacts | undefined {
  const has = new Set(draft.required.map(({ id }) => id));
  const count = (piece: string): number => countTokens(piece);
  const alone = chooseProtected(sheet, { budgetTokens: countTokens(text), count }).facts;
  const isThere = (fact: Fact): boolean => has.has(fact.id) || (fact.kind === "identifier" && hasName(fact));
  if (alone.every(isThere)) return undefined;
  const wanted = new Set([...has, ...alone.map(({ id }) => id)]);
  return { alone, all: rankFacts(sheet).filter(({ id }) => wanted.has(id)) };
}

/** Requires facts, so that the story need not repeat them. */
export function setRequiredFacts(draft: Draft, facts: readonly Fact[]): void {
  const had = new Set(draft.required);
  draft.required.splice(0, draft.required.length, ...facts);
  for (const fact of facts) {
    if (had.has(fact)) continue;
    draft.chooser.say(writeFact(fact));
    draft.more?.say(writeFact(fact));
  }
}

export interface FillOptions extends TrimOptions {
  readonly facets: Facets;
  /** Reads lines of last resort. */
  readonly readMore?: (() => Generator<undefined, Salience>) | undefined;
  /** True if the source is larger than the budget. */
  readonly widens: boolean;
}

const ROUNDS = 4;
/** Levels of `widen`: more of the original words, then all of them. */
const LEVELS = [0, 1];

/**
 * Fills the room that whole lines leave free: lines of last resort, the beginning of a line, then longer wordings. A
 * longer text must contain more facts, so both steps repeat until all are present.
 */
export function* fillUp(draft: Draft, written: FittedDraft, options: FillOptions): Generator<undefined, FittedDraft> {
  const { facets, capTokens } = options;
  const isFull = ({ tokens }: FittedDraft): boolean => tokens >= capTokens * WRITE_WEIGHTS.fullShare;
  const isSparse = ({ tokens }: FittedDraft): boolean => tokens < capTokens * WRITE_WEIGHTS.sparseShare;
  let now = isSparse(written) ? yield* addMore(draft, written, options) : written;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (!isFull(now)) now = yield* addLastLine(draft, now, options);
    for (const level of options.widens ? LEVELS : [])
      if (isSparse(now)) now = yield* widen(draft, now, { ...options, level });
    const expected = findExpectedFacts(draft, facets.sheet ?? EMPTY_SHEET, now);
    yield undefined;
    if (expected === undefined) break;
    setRequiredFacts(draft, expected.all);
    draft.lastLine = undefined;
    now = yield* fitDraft(draft, options);
    if (!isFull(now)) yield* draft.chooser.fill(capTokens - now.tokens);
    now = yield* fitDraft(draft, options);
  }
  return now;
}

function* addMore(draft: Draft, written: FittedDraft, options: FillOptions): Generator<undefined, FittedDraft> {
  const { readMore, capTokens, counter } = options;
  const salience = readMore === undefined ? undefined : yield* readMore();
  if (salience === undefined || salience.lines.length === 0) return written;
  const said = written.lines.map(({ text }) => text);
  draft.more = yield* chooseStory(salience, { kind: draft.kind, said, count: (text) => countText(text, counter) });
  let now = written;
  for (let round = 0; round < ROUNDS_OF_MORE && now.tokens < capTokens * WRITE_WEIGHTS.fullShare; round += 1) {
    yield* draft.more.fill(capTokens - now.tokens);
    now = yield* fitDraft(draft, options);
  }
  return now;
}

const ROUNDS_OF_MORE = 3;

function* addLastLine(
  draft: Draft,
  written: FittedDraft,
  { capTokens, counter }: TrimOptions,
): Generator<undefined, FittedDraft> {
  const rest = [...draft.chooser.rest(MAX_LAST_LINES), ...(draft.more?.rest(MAX_LAST_LINES) ?? [])];
  const lines = rest.map(({ candidate }) => candidate);
  const isNeeded = capTokens >= MIN_FILLED_CAP_TOKENS && written.tokens < capTokens * WRITE_WEIGHTS.sparseShare;
  for (const line of shortenLastLine(lines, { roomTokens: capTokens - written.tokens, isNeeded })) {
    draft.lastLine = line;
    const longer = yield* countDraft(draft, counter);
    if (longer.tokens <= capTokens) return longer;
  }
  draft.lastLine = undefined;
  return written;
}

const MAX_LAST_LINES = 32;
/** Texts with a smaller cap are not filled with part of a line. */
const MIN_FILLED_CAP_TOKENS = 200;

interface WidenOptions extends TrimOptions {
  readonly level: number;
}

/** Uses longer wordings for lines, the most salient first. */
function* widen(draft: Draft, written: FittedDraft, options: WidenOptions): Generator<undefined, FittedDraft> {
  const { capTokens, counter } = options;
  let now = written;
  // Longer lines merge differently, so the text may grow by more than the lines do.
  let spareTokens = 0;
  for (let round = 0; round < ROUNDS_OF_MORE && now.tokens < capTokens * WRITE_WEIGHTS.fullShare; round += 1) {
    const before = [...draft.wide];
    yield* widenLines(draft, { ...options, roomTokens: capTokens - now.tokens - spareTokens });
    const wider = yield* countDraft(draft, counter);
    if (wider.tokens > now.tokens && wider.tokens <= capTokens) {
      now = wider;
      continue;
    }
    draft.wide.clear();
    for (const [candidate, body] of before) draft.wide.set(candidate, body);
    if (wider.tokens <= now.tokens) break;
    spareTokens += 2 * (wider.tokens - capTokens);
  }
  return now;
}

function* widenLines(
  { chooser, wide }: Draft,
  { counter, level, roomTokens }: WidenOptions & { readonly roomTokens: number },
): Generator<undefined, void> {
  const count = (text: string): number => countText(text, counter);
  const isFaithful = createFaithfulnessCheck();
  let room = roomTokens;
  for (const [index, { line }] of chooser.chosen.toSorted((left, right) => right.value - left.value).entries()) {
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
    const { candidate } = line;
    const body = candidate.fuller?.[level]?.() ?? "";
    const tokens = count(body) - count(wide.get(candidate) ?? candidate.body);
    if (tokens <= 0 || tokens > room || !isFaithful({ ...candidate, body })) continue;
    room -= tokens;
    wide.set(candidate, body);
  }
}

const STEP_LINES = 32;

const MAX_CHARACTERS_PER_TOKEN = 6;
const SHORTER = 0.85;
const MIN_CHARACTERS = 6;
/** In scripts without spaces a character counts as half a word. */
const MIN_SPACELESS = 3;
const SPACELESS = /[\u2e80-\u9fff\uac00-\ud7af]/;

export interface LastLineRoom {
  readonly roomTokens: number;
  /** True if a few words are better than nothing. */
  readonly isNeeded: boolean;
}

/** Yields beginnings of lines that do not fit: first those that keep most of their line, then a few words. */
export function* shortenLastLine(
  lines: readonly Candidate[],
  { roomTokens, isNeeded }: LastLineRoom,
): Generator<Candidate, void> {
  const isFaithful = createFaithfulnessCheck();
  for (const share of isNeeded ? [WRITE_WEIGHTS.mostOfLine, 0] : [WRITE_WEIGHTS.mostOfLine]) {
    for (const line of lines) {
      const label = line.body.indexOf(": ") + 2;
      const fewest = SPACELESS.test(line.body.charAt(label)) ? MIN_SPACELESS : MIN_CHARACTERS;
      const least = label + Math.max(fewest, share * (line.body.length - label));
      for (let longest = roomTokens * MAX_CHARACTERS_PER_TOKEN; longest >= least; longest *= SHORTER) {
        const body = beforeComputed(shortenWords(line.body, Math.floor(longest)));
        if (body.length < least || body.endsWith(LEFT_OUT)) break;
        if (isFaithful({ body, raw: line.raw })) yield { ...line, body };
      }
    }
  }
}

/** Cuts before a computed date, because half of it is another date. */
function beforeComputed(body: string): string {
  const start = body.lastIndexOf(" (= ");
  return start < 0 || body.includes(")", start) ? body : `${body.slice(0, start)} ${ELLIPSIS}`;
}
