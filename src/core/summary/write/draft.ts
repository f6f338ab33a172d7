/** A summary that is being composed. The written text lists only names that are not in its other lines. */
import { extractClaims } from "../claims/extract-claims.ts";
import { containsClause, factWords } from "../facts/make-fact.ts";
import type { ChosenLine, LineChooser } from "../rank/choose-lines.ts";
import { type Candidate, type ConversationKind, sourcesOf } from "../read/candidate.ts";
import { isGreeting } from "../read/find-demands.ts";
import { mergeSpeakerLines } from "../read/merge-speaker-lines.ts";
import { createNameKey } from "../read/read-names.ts";
import { isAgreement } from "../read/read-user-words.ts";
import type { Headings } from "../record/headings.ts";
import {
  joinLines,
  type Layout,
  type NameGroup,
  NEXT_PREFIX,
  renderOwnerAndDue,
  type StoryLine,
  writeLines,
} from "../record/layout.ts";
import type { Fact, SummaryLine } from "../record/record.ts";
import { WRITE_WEIGHTS } from "../weights.ts";
import {
  findGroup,
  groupNames,
  isNumber,
  type KnownFacts,
  MAX_NAMES_PER_LINE,
  TALK_LABELS,
  writeGroup,
} from "./group-names.ts";

export interface Draft {
  readonly kind: ConversationKind;
  readonly headings: Headings;
  /** Facts that the text must contain, most important first. */
  readonly required: Fact[];
  /** Messages of the user, newest last. */
  readonly said: Fact[];
  /** Done items, newest last. */
  readonly done: Fact[];
  readonly chooser: LineChooser;
  /** Names besides the required ones, most important first. */
  readonly names: readonly Fact[];
  /** Number of `names` that are listed. */
  extraNames: number;
  /** Maximum number of names without a file; required ones may exceed it. Infinity: lines have no limit either. */
  bareNames: number;
  readonly known: KnownFacts;
  more?: LineChooser | undefined;
  /** The beginning of a line that does not fit as a whole. */
  lastLine?: Candidate | undefined;
  readonly wide: Map<Candidate, string>;
  readonly keysByLine: Map<string, readonly string[]>;
}

export interface WrittenDraft {
  readonly text: string;
  readonly lines: readonly SummaryLine[];
  readonly hasName: (name: Fact) => boolean;
}

export function* writeDraft(draft: Draft): Generator<undefined, WrittenDraft> {
  const layout = layoutOf(draft);
  const keys = new Set<string>();
  for (const [index, { text }] of writeLines(layout, draft.headings).entries()) {
    for (const key of keysOfLine(draft, text)) keys.add(key);
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  const listed = listNames(draft, keys);
  yield undefined;
  const lines = writeLines({ ...layout, names: nameGroups(listed, draft) }, draft.headings);
  const texts = new Set(listed.map((name) => name.text));
  return { text: joinLines(lines), lines, hasName: (name) => texts.has(name.text) || isNamed(name, keys) };
}

const STEP_LINES = 64;

/** Caches the keys, because a draft is written several times with mostly the same lines. */
function keysOfLine({ keysByLine }: Draft, text: string): readonly string[] {
  const keys = keysByLine.get(text) ?? extractClaims(text).map(createNameKey);
  keysByLine.set(text, keys);
  return keys;
}

/** Lists the required names, and others while their lines have room. */
function listNames({ required, names, extraNames, bareNames, known }: Draft, keys: Set<string>): readonly Fact[] {
  const listed: Fact[] = [];
  const texts = new Set<string>();
  const sizes = new Map<string, number>();
  let bare = 0;
  const list = (name: Fact, isRequired: boolean): void => {
    if (isNamed(name, keys) || texts.has(name.text)) return;
    const { key, isFile } = findGroup(name, known);
    const size = sizes.get(key) ?? 0;
    const isLimited = !isRequired && Number.isFinite(bareNames);
    if (isLimited && !hasRoom(name, { size, isFile, isBareFull: bare >= bareNames })) return;
    sizes.set(key, size + 1);
    if (!isFile) bare += 1;
    listed.push(name);
    texts.add(name.text);
    for (const own of keysOf(name)) keys.add(own);
  };
  for (const fact of required) if (fact.kind === "identifier") list(fact, true);
  const most = listed.length + extraNames;
  for (const name of extraNames === 0 ? [] : names) {
    if (listed.length >= most) break;
    if (isNumber(name) && Number.isFinite(bareNames)) continue;
    list(name, false);
  }
  return listed;
}

interface GroupState {
  readonly size: number;
  readonly isFile: boolean;
  readonly isBareFull: boolean;
}

/** Maximum number of lines for the names of a file. Others can be recalled. */
const FILE_LINES = 3;

/** Files are not limited. The names of a file get a few lines, other names one line for each label. */
function hasRoom({ use }: Fact, { size, isFile, isBareFull }: GroupState): boolean {
  if (use !== undefined) return true;
  return isFile ? size < FILE_LINES * (MAX_NAMES_PER_LINE - 1) : size < MAX_NAMES_PER_LINE && !isBareFull;
}

function isNamed(name: Fact, keys: ReadonlySet<string>): boolean {
  const own = keysOf(name);
  return own.length > 0 && own.every((key) => keys.has(key));
}

const keysByName = new WeakMap<Fact, readonly string[]>();

function keysOf(name: Fact): readonly string[] {
  const keys = keysByName.get(name) ?? extractClaims(name.text).map(createNameKey);
  keysByName.set(name, keys);
  return keys;
}

function nameGroups(listed: readonly Fact[], { kind, known }: Draft): readonly NameGroup[] {
  if (kind === "work") return groupNames(listed, known);
  const shown = listed.filter(({ saidBy }) => saidBy === "tool");
  const said = listed.filter(({ saidBy }) => saidBy !== "tool");
  return [...writeGroup(TALK_LABELS.said, said), ...writeGroup(TALK_LABELS.inOutput, shown)];
}

function layoutOf({ kind, required, said, done, chooser, more, lastLine, wide }: Draft): Layout {
  const stated = new Set<string>();
  const isNew = (text: string): boolean => stated.size < stated.add(factWords(text)).size;
  const texts: TextsOf = (...kinds) =>
    required.filter(({ kind, text }) => kinds.includes(kind) && isNew(text)).map(lineOf);
  // A statement is written once, under the first heading that has it, so constraints come first.
  const constraints = withoutRepeats(texts("pin-note", "constraint"));
  const goals = texts("goal");
  const reported = withoutRepeats(texts("reported"));
  const open = kind === "work" ? withNextStep(texts, required) : texts("open-item", "question");
  const decisions = texts("decision");
  const known = texts("definition");
  const unwritten = said
    .filter(({ text }) => isNew(text))
    .flatMap((fact) => withoutFacts(fact, required))
    .map(lineOf);
  const finished = done.filter(({ text }) => isNew(text)).map(({ text, source }) => ({ text, messageIds: [source] }));
  const others = [...(more?.chosen ?? []).map(({ line }) => line.candidate), ...(lastLine ? [lastLine] : [])];
  const story = storyOf(kind, chooser, { others, wide, isNew });
  return { goals, constraints, said: unwritten, reported, decisions, known, open, done: finished, story, names: [] };
}

/**
 * Removes sentences at the ends of a user message that are written as facts. Returns nothing if all of them are, or if
 * only a greeting is left.
 */
function withoutFacts(said: Fact, required: readonly Fact[]): readonly Fact[] {
  const facts = required.filter(({ kind, source }) => source === said.source && kind !== "identifier");
  let words = factWords(said.text);
  for (const { text } of facts) words = words.replace(factWords(text), "");
  if (facts.length > 0 && !HAS_WORD.test(words)) return [];
  let { text } = said;
  for (let before = ""; before !== text; ) {
    before = text;
    for (const { text: fact } of facts) text = withoutEnds(text, fact);
  }
  // The number of a list item whose text was removed.
  if (text !== said.text) text = text.replace(/(?:^| )\d{1,2}[.)]$/, "");
  const isCourtesy = text !== said.text && (isGreeting(text) || isAgreement(text));
  return isCourtesy ? [] : [{ ...said, text }];
}

const HAS_WORD = /[\p{L}\p{N}]{2}/u;

function withoutEnds(text: string, fact: string): string {
  if (text.endsWith(` ${fact}`)) return text.slice(0, -fact.length).trimEnd();
  return text.startsWith(`${fact} `) ? text.slice(fact.length).trimStart() : text;
}

function withoutRepeats(lines: readonly SummaryLine[]): readonly SummaryLine[] {
  const words = lines.map(({ text }) => factWords(text));
  const all = words.join("\n");
  // Most clauses are unique, and comparing each with each is slow.
  const isRepeated = (clause = ""): boolean => all.indexOf(clause) !== all.lastIndexOf(clause);
  return lines.filter(
    ({ text }, index) => !isRepeated(words[index]) || !lines.some((other) => containsClause(other.text, text)),
  );
}

/** Puts the agent's next step first. */
function withNextStep(texts: TextsOf, required: readonly Fact[]): readonly SummaryLine[] {
  const next = findNextStep(required);
  const open = texts("open-item", "question");
  const place = next === undefined ? -1 : open.findIndex(({ text }) => text === writeFact(next));
  const line = open[place];
  if (line === undefined) return open;
  return [{ ...line, text: `${NEXT_PREFIX}${line.text}` }, ...open.slice(0, place), ...open.slice(place + 1)];
}

type TextsOf = (...kinds: readonly Fact["kind"][]) => readonly SummaryLine[];

function storyOf(
  kind: ConversationKind,
  { chosen }: LineChooser,
  { others, wide, isNew }: Pick<Draft, "wide"> & { others: readonly Candidate[]; isNew: (text: string) => boolean },
): readonly StoryLine[] {
  const saliences = rankSalience(chosen);
  const told = [
    ...chosen.map(({ line: { candidate } }, index) => {
      return { ...candidate, body: wide.get(candidate) ?? candidate.body, salience: saliences[index] };
    }),
    ...others.map((candidate) => ({ ...candidate, salience: 0 })),
  ]
    .sort((left, right) => left.order - right.order)
    .reverse()
    .filter(({ body }) => isNew(body.slice(body.indexOf(": ") + 1).trim() || body))
    .reverse();
  if (kind === "talk") return mergeSpeakerLines(told);
  return told.map((line) => ({ ...line, messageIds: sourcesOf(line) }));
}

/** Returns the percentile of each line's score; for a line of the previous summary, averaged with its old salience. */
function rankSalience(chosen: readonly ChosenLine[]): readonly number[] {
  const places = chosen.map((_, place) => place);
  places.sort((left, right) => (chosen[left]?.value ?? 0) - (chosen[right]?.value ?? 0) || left - right);
  const saliences: number[] = [];
  for (const [rank, place] of places.entries()) {
    const share = (rank + 1) / chosen.length;
    const before = chosen[place]?.line.candidate.salience;
    saliences[place] = Math.round((before === undefined ? share : (share + before) / 2) * 1_000) / 1_000;
  }
  return saliences;
}

function lineOf(fact: Fact): SummaryLine {
  return { text: writeFact(fact), messageIds: [fact.source] };
}

export function writeFact(fact: Fact): string {
  if (fact.kind === "user-message") return fact.owner === undefined ? fact.text : `${fact.owner}: ${fact.text}`;
  return `${fact.text}${renderOwnerAndDue(fact)}`;
}

/** Drops the next least important lines, about `overTokens` or fewer. Returns false if nothing is left to drop. */
export function dropLeastImportant(draft: Draft, overTokens: number): boolean {
  if (draft.wide.size > 0) {
    draft.wide.clear();
    return true;
  }
  if (draft.more?.drop(overTokens) === true) return true;
  if (draft.extraNames > 0) {
    draft.extraNames = Math.max(0, draft.extraNames - Math.max(1, Math.floor(overTokens / WRITE_WEIGHTS.nameTokens)));
    return true;
  }
  if (draft.chooser.drop(overTokens)) return true;
  if (draft.done.shift() !== undefined || draft.said.shift() !== undefined) return true;
  return draft.required.pop() !== undefined;
}

/** Returns the first open item that the agent set itself, in the newest turn that has one. */
export function findNextStep(facts: readonly Fact[]): Fact | undefined {
  const open = facts.filter(
    ({ kind, status, saidBy }) => kind === "open-item" && status === "open" && saidBy !== "user",
  );
  const newest = open.reduce((latest, { lastTurn }) => Math.max(latest, lastTurn), 0);
  return open.find(({ lastTurn }) => lastTurn === newest);
}
