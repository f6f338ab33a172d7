/**
 * Composes the text of an offline summary within its cap: protected facts, then as much of the story as fits, then
 * names that are in neither. Decides by the token count of the written text.
 */
import { countText } from "../../tokens/count-text.ts";
import { rankNames } from "../facts/fact-list.ts";
import { EMPTY_SHEET } from "../facts/merge-facets.ts";
import { isDone, listTellingItems } from "../facts/resolve-items.ts";
import { chooseStory } from "../rank/choose-lines.ts";
import type { Salience } from "../rank/judge-work.ts";
import { chooseProtected, rankFacts } from "../rank/rank-facts.ts";
import { type ConversationKind, sourcesOf } from "../read/candidate.ts";
import { isChangedFile } from "../read/tool-use.ts";
import type { Headings } from "../record/headings.ts";
import { BULLET, joinLines } from "../record/layout.ts";
import type { Fact, FactSheet, SummaryLine } from "../record/record.ts";
import { findWordEnd } from "../text/fold-line.ts";
import { WRITE_WEIGHTS } from "../weights.ts";
import { chooseUserWords } from "./choose-user-words.ts";
import { type Draft, writeFact } from "./draft.ts";
import { type FillOptions, fillUp, findExpectedFacts, fitDraft, setRequiredFacts } from "./fit-draft.ts";

export interface ComposeOptions extends FillOptions {
  readonly kind: ConversationKind;
  readonly headings: Headings;
  readonly salience: Salience;
  /** Budget of the later verification, which exceeds the cap if the source is short. */
  readonly checkedTokens: number;
}

export interface ComposedText {
  readonly text: string;
  readonly lines: readonly SummaryLine[];
  /** The newest messages of the user, and the most salient lines of the story. */
  readonly keyPoints: readonly string[];
}

/** Maximum number of rounds. Each round fills free room and adds expected facts. */
const MAX_ROUNDS = 12;
/** Rounds that add expected facts before the text is reduced to these facts. */
const ROUNDS_TO_ADD = 3;

export function* composeText(options: ComposeOptions): Generator<undefined, ComposedText> {
  const { facets, salience, capTokens, counter } = options;
  const sheet = facets.sheet ?? EMPTY_SHEET;
  const count = (text: string): number => countText(text, counter);
  const draft = yield* startDraft(options, count);
  const namesShare = options.kind === "work" ? WRITE_WEIGHTS.workNamesShare : WRITE_WEIGHTS.talkNamesShare;
  let written = yield* fitDraft(draft, { capTokens, counter });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { tokens: before } = written;
    const freeTokens = capTokens - before;
    if (written.tokens < capTokens * WRITE_WEIGHTS.fullShare) {
      const namesTokens = Math.ceil(freeTokens * namesShare);
      yield* growDraft(draft, freeTokens, round === 0 ? namesTokens : 0);
      written = yield* fitDraft(draft, { capTokens, counter });
    }
    const expected = findExpectedFacts(draft, sheet, written);
    yield undefined;
    if (expected !== undefined) {
      setRequiredFacts(draft, round < ROUNDS_TO_ADD ? expected.all : expected.alone);
      written = yield* fitDraft(draft, { capTokens, counter });
    } else if (written.tokens >= capTokens * WRITE_WEIGHTS.fullShare) break;
    else if (round > 0 && written.tokens <= before) {
      // If there are no lines of low value to add, free room is for more names.
      if (options.readMore !== undefined || draft.bareNames === Number.POSITIVE_INFINITY) break;
      draft.bareNames = Number.POSITIVE_INFINITY;
    }
  }
  if (written.text !== "" && written.tokens < capTokens * WRITE_WEIGHTS.fullShare)
    written = yield* fillUp(draft, written, options);
  const lines = written.text === "" ? writeShortText(shortLines(sheet, salience), { capTokens, count }) : written.lines;
  return { text: joinLines(lines), lines, keyPoints: keyPointsOf(draft) };
}

function* startDraft(
  { kind, headings, facets, salience, capTokens, checkedTokens }: ComposeOptions,
  count: (text: string) => number,
): Generator<undefined, Draft> {
  const sheet = facets.sheet ?? EMPTY_SHEET;
  const required = chooseRequired(sheet, { capTokens, checkedTokens, count });
  yield undefined;
  const finished = sheet.facts.filter((fact) => isDone(fact) && (kind === "talk" || isStillDone(fact, sheet.turns)));
  const done = chooseDone(listTellingItems(finished), { capTokens, count });
  const said = [...required.map(writeFact), ...done.map(({ text }) => text)];
  const userWords = findUserWords(sheet, { kind, required, capTokens, count });
  const chooser = yield* chooseStory(salience, { kind, said: [...said, ...userWords.map(writeFact)], count });
  const ranked = rankNames(sheet.facts.filter(({ kind }) => kind === "identifier"));
  const names = [...ranked.filter(isChangedFile), ...ranked.filter((name) => !isChangedFile(name))];
  const bareNames = Math.floor((capTokens * WRITE_WEIGHTS.bareNamesShare) / WRITE_WEIGHTS.nameTokens);
  const known = new Map(names.map((name) => [name.id, name]));
  const listing = { names, known, extraNames: 0, bareNames };
  return {
    kind,
    headings,
    required,
    said: userWords,
    done,
    chooser,
    ...listing,
    wide: new Map(),
    keysByLine: new Map(),
  };
}

/** Returns the required facts, with the goals that verification would restore: the story need not repeat them. */
function chooseRequired(
  sheet: FactSheet,
  { capTokens, checkedTokens, count }: ShortOptions & Pick<ComposeOptions, "checkedTokens">,
): Fact[] {
  const { facts } = chooseProtected(sheet, { budgetTokens: capTokens, count });
  if (checkedTokens <= capTokens) return [...facts];
  const checked = chooseProtected(sheet, { budgetTokens: checkedTokens, count }).facts;
  const wanted = new Set([...facts, ...checked.filter(({ kind }) => kind === "goal")].map(({ id }) => id));
  return rankFacts(sheet).filter(({ id }) => wanted.has(id));
}

interface UserWordsOptions extends ShortOptions {
  readonly kind: ConversationKind;
  readonly required: readonly Fact[];
}

function findUserWords({ facts }: FactSheet, { kind, required, capTokens, count }: UserWordsOptions): Fact[] {
  if (kind === "talk") return [];
  const beside = capTokens - count(required.map(writeFact).join("\n"));
  const roomTokens = Math.min(capTokens * WRITE_WEIGHTS.userShare, beside * WRITE_WEIGHTS.besideFactsShare);
  const messages = facts.filter(({ kind }) => kind === "user-message");
  return chooseUserWords(messages, { roomTokens, count });
}

function* growDraft(draft: Draft, freeTokens: number, namesTokens: number): Generator<undefined, void> {
  const left = yield* draft.chooser.fill(freeTokens - namesTokens);
  if (draft.kind === "work") draft.extraNames += Math.floor((left + namesTokens) / WRITE_WEIGHTS.nameTokens);
}

function chooseDone(done: readonly Fact[], { capTokens, count }: ShortOptions): Fact[] {
  const chosen: Fact[] = [];
  let room = capTokens * WRITE_WEIGHTS.doneShare;
  for (const fact of done.toReversed()) {
    room -= count(`${BULLET}${fact.text}\n`);
    if (room < 0) break;
    chosen.unshift(fact);
  }
  return chosen;
}

/** Returns the newest messages of the user, then the most salient lines of the story, each in order. */
function keyPointsOf({ said, chooser }: Draft): readonly string[] {
  const byUser = said.slice(-WRITE_WEIGHTS.userPoints).map(writeFact);
  const story = chooser.chosen
    .toSorted((left, right) => right.value - left.value)
    .slice(0, WRITE_WEIGHTS.keyPoints - byUser.length)
    .map(({ line }) => line.candidate)
    .sort((left, right) => left.order - right.order);
  return [...byUser, ...story.map(({ body }) => body)];
}

/** Returns the lines of a very short summary: facts that are never omitted, then the newest lines. */
function shortLines(sheet: FactSheet, { lines }: Salience): readonly SummaryLine[] {
  const facts = sheet.facts.filter(({ kind }) => kind === "pin-note" || kind === "constraint");
  const newest = lines.slice(-MAX_SHORT_LINES).toReversed();
  return [
    ...facts.map((fact) => ({ text: writeFact(fact), messageIds: [fact.source] })),
    ...newest.map(({ candidate }) => ({ text: candidate.body, messageIds: sourcesOf(candidate) })),
  ];
}

const MAX_SHORT_LINES = 16;

export interface ShortOptions {
  readonly capTokens: number;
  readonly count: (text: string) => number;
}

/** Writes the lines that fit into very little room, without headings, or else the first words of one. */
export function writeShortText(
  lines: readonly SummaryLine[],
  { capTokens, count }: ShortOptions,
): readonly SummaryLine[] {
  const kept: SummaryLine[] = [];
  const fits = (text: string): boolean => count(text) <= capTokens;
  for (const { text, messageIds } of lines) {
    const line = { text: `${BULLET}${text}`, messageIds };
    if (fits(joinLines([...kept, line]))) kept.push(line);
  }
  if (kept.length > 0) return kept;
  for (const { text, messageIds } of lines) {
    const words = firstWords(text, fits);
    if (words !== "") return [{ text: words, messageIds }];
  }
  return [];
}

/** Adds a bullet if there is room for it. */
function firstWords(line: string, fits: (text: string) => boolean): string {
  for (const start of [BULLET, ""]) {
    let end = Math.min(line.length, MAX_TRY_CHARACTERS);
    while (end > 0) {
      end = findWordEnd(line, end);
      const words = `${start}${line.slice(0, end).trimEnd()}`;
      if (end > 0 && fits(words)) return words;
      end -= 1;
    }
  }
  return "";
}

const MAX_TRY_CHARACTERS = 400;

const STATE =
  /\b(?:tests?|checks?|build|suite|lint|linter|types?|compil\w+|everything|it|they|all)\b[^.]{0,40}\b(?:pass(?:es|ed|ing)?|works?|working|succeed(?:s|ed)?|green|clean|compiles?|builds?)\b/i;
const MIN_WORDS = 3;

/** Returns true if reported work still counts. A passing test counts only in the newest turn; a bare "Fixed." never. */
export function isStillDone({ text, lastTurn }: Fact, turns: number): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < MIN_WORDS || text.endsWith(":")) return false;
  return lastTurn >= turns - 1 || !STATE.test(text);
}
