/**
 * Fills what whole lines leave free of a text: lines of last resort, then the beginning of a line that does not fit as
 * a whole, then lines of the story in all the words in which they were said. A text that has grown is expected to hold
 * more facts, so that both are done in turn until it has them.
 */
import { countText } from "../../tokens/count-text.ts";
import { createFaithCheck } from "../claims/is-faithful.ts";
import { EMPTY_SHEET } from "../facts/merge-facets.ts";
import { chooseStory } from "../rank/choose-story.ts";
import type { Salience } from "../rank/salience.ts";
import type { Facets } from "../record/record.ts";
import type { Draft } from "./draft.ts";
import { type Cap, countDraft, expectFacts, fitDraft, requireFacts, type Written } from "./fit-draft.ts";
import { shortenLast } from "./shorten-last.ts";

export interface FillOptions extends Cap {
  readonly facets: Facets;
  /** Lines of last resort, read where nothing else fills the text. */
  readonly readMore?: (() => Generator<undefined, Salience>) | undefined;
  /** Whether lines may be told in more words than needed, where the source has more than the text may take. */
  readonly widens: boolean;
}

/** A text that is this full is full. */
export const FULL_SHARE = 0.985;
/** One that is less full than this gets lines that would not be worth it otherwise. */
const SPARSE_SHARE = 0.96;
const ROUNDS = 4;
/** In more of their words, then in all of them. */
const LEVELS = [0, 1];

export function* fillUp(draft: Draft, written: Written, options: FillOptions): Generator<undefined, Written> {
  const { facets, capTokens } = options;
  const isFull = ({ tokens }: Written): boolean => tokens >= capTokens * FULL_SHARE;
  const isSparse = ({ tokens }: Written): boolean => tokens < capTokens * SPARSE_SHARE;
  let now = isSparse(written) ? yield* addMore(draft, written, options) : written;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (!isFull(now)) now = yield* addLastLine(draft, now, options);
    for (const level of options.widens ? LEVELS : [])
      if (isSparse(now)) now = yield* widen(draft, now, { ...options, level });
    const expected = expectFacts(draft, facets.sheet ?? EMPTY_SHEET, now);
    yield undefined;
    if (expected === undefined) break;
    requireFacts(draft, expected.all);
    draft.lastLine = undefined;
    now = yield* fitDraft(draft, options);
    if (!isFull(now)) yield* draft.chooser.fill(capTokens - now.tokens);
    now = yield* fitDraft(draft, options);
  }
  return now;
}

/** What is left of the room goes to lines of last resort. */
function* addMore(draft: Draft, written: Written, options: FillOptions): Generator<undefined, Written> {
  const { readMore, capTokens, counter } = options;
  const salience = readMore === undefined ? undefined : yield* readMore();
  if (salience === undefined || salience.lines.length === 0) return written;
  const said = written.lines.map(({ text }) => text);
  draft.more = yield* chooseStory(salience, { kind: draft.kind, said, count: (text) => countText(text, counter) });
  let now = written;
  for (let round = 0; round < ROUNDS_OF_MORE && now.tokens < capTokens * FULL_SHARE; round += 1) {
    yield* draft.more.fill(capTokens - now.tokens);
    now = yield* fitDraft(draft, options);
  }
  return now;
}

const ROUNDS_OF_MORE = 3;

/** The beginning of one more line, as long as it fits and says something. */
function* addLastLine(draft: Draft, written: Written, { capTokens, counter }: Cap): Generator<undefined, Written> {
  const rest = [...draft.chooser.rest(MOST_LAST_LINES), ...(draft.more?.rest(MOST_LAST_LINES) ?? [])];
  const lines = rest.map(({ candidate }) => candidate);
  const isNeeded = capTokens >= SMALLEST_FULL && written.tokens < capTokens * SPARSE_SHARE;
  for (const line of shortenLast(lines, { roomTokens: capTokens - written.tokens, isNeeded })) {
    draft.lastLine = line;
    const longer = yield* countDraft(draft, counter);
    if (longer.tokens <= capTokens) return longer;
  }
  draft.lastLine = undefined;
  return written;
}

const MOST_LAST_LINES = 32;
/** Smaller texts are not worth a torn line. */
const SMALLEST_FULL = 200;

interface Widening extends Cap {
  readonly level: number;
}

/** Lines that were told in few words are told in more, the most salient first. */
function* widen(draft: Draft, written: Written, options: Widening): Generator<undefined, Written> {
  const { capTokens, counter } = options;
  let now = written;
  // Lines that become longer are put together otherwise, so that the text may grow by more than they do.
  let spareTokens = 0;
  for (let round = 0; round < ROUNDS_OF_MORE && now.tokens < capTokens * FULL_SHARE; round += 1) {
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
  { counter, level, roomTokens }: Widening & { readonly roomTokens: number },
): Generator<undefined, void> {
  const count = (text: string): number => countText(text, counter);
  const isFaithful = createFaithCheck();
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
