/**
 * Completes a record from the text of any writer: merges the facts of the stretch with those of the chain, verifies and
 * repairs the text, finds the sources of the lines that remain, and records the findings.
 */
import { groupRounds } from "../../message/group-messages.ts";
import type { Message, MessageId } from "../../message/message.ts";
import { countText } from "../../tokens/count-text.ts";
import { extractFactsInSteps } from "../facts/extract-facts.ts";
import { type ProposedLists, readFacets } from "../facts/make-fact.ts";
import { mergeFacets } from "../facts/merge-facets.ts";
import { chooseProtected } from "../rank/rank-facts.ts";
import { renderFacts } from "../record/layout.ts";
import {
  type Coverage,
  chainHashInSteps,
  type Facets,
  type Fact,
  type SummaryLine,
  type SummaryRecord,
  type Verification,
} from "../record/record.ts";
import type { TrimOptions } from "../record/trim-summary.ts";
import { redactMessagesInSteps } from "../secrets/redact-messages.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import type { ShortOptions } from "../write/compose-text.ts";
import { keepSupportedFacts } from "./find-words.ts";
import { repairSummary } from "./repair-summary.ts";
import { verifySummaryInSteps } from "./verify-summary.ts";

export interface WrittenSummary {
  readonly text: string;
  /** Present if the writer returns lines. */
  readonly lines?: readonly SummaryLine[] | undefined;
  readonly keyPoints?: readonly string[] | undefined;
  /** Facts proposed by the writer for the new stretch. */
  readonly proposed?: ProposedLists | undefined;
  /** Merged facets, if code wrote the text. */
  readonly facets?: Facets | undefined;
}

export interface CompleteOptions extends TrimOptions {
  readonly stretch: readonly Message[];
  readonly previous: SummaryRecord | undefined;
  readonly protectedShare: number;
  /** True to add key points that the text lacks. */
  readonly includesKeyPoints?: boolean | undefined;
}

export interface CheckedSummary extends Pick<SummaryRecord, "text" | "lines" | "keyPoints" | "facets"> {
  readonly tokens: number;
  readonly verification: Verification;
}

/** Restores missing protected facts and removes unsupported claims. */
export function* checkSummaryInSteps(
  written: WrittenSummary,
  given: CompleteOptions,
): Generator<undefined, CheckedSummary> {
  const stretch = yield* redactMessagesInSteps(given.stretch);
  const options = { ...given, stretch };
  const { previous, capTokens, protectedShare, counter } = options;
  const count = (text: string): number => countText(text, counter);
  const facets = written.facets ?? (yield* mergeInSteps(written, options));
  const sheet = facets.sheet ?? { facts: [], turns: 0 };
  const chosen = chooseProtected(sheet, { budgetTokens: capTokens, protectedShare, count });
  const protectedFacts = chosen.facts;
  // Key points by code come from the source and are already in the text.
  const points = written.keyPoints ?? [];
  const keyPoints = written.facets === undefined ? yield* keepSupported(points, options) : points;
  const told = redactSecrets(written.text).text;
  const text = options.includesKeyPoints === true ? addKeyPoints(told, keyPoints, { capTokens, count }) : told;
  const report = yield* verifySummaryInSteps({ text, lines: written.lines }, stretch, {
    previous,
    protectedFacts,
    findsOpposites: written.facets === undefined,
  });
  const repaired = repairSummary(text, report, { budgetTokens: capTokens, protectedFacts, count });
  const verification: Verification = {
    score: report.score,
    claims: report.claims,
    derivedClaims: report.derived.length,
    removedClaims: repaired.removed.length,
    restored: repaired.restored.map(({ id }) => id),
    evicted: [...chosen.evicted.map(({ id }) => id), ...(sheet.evicted ?? [])],
  };
  const traced = { written: written.lines ?? [], restored: repaired.restored };
  const lines = written.lines === undefined ? {} : { lines: traceLines(repaired.text, traced) };
  return { text: repaired.text, ...lines, tokens: count(repaired.text), keyPoints, facets, verification };
}

/** Adds the key points that fit, because a prompt shows only the text of a record. */
function addKeyPoints(text: string, keyPoints: readonly string[], { capTokens, count }: ShortOptions): string {
  const missing = keyPoints.filter((point) => !text.includes(point));
  if (missing.length === 0) return text;
  let told = `${text}\n\n${POINTS_HEADING}`;
  for (const point of missing) {
    const next = `${told}\n- ${point}`;
    if (count(next) > capTokens) break;
    told = next;
  }
  return told.endsWith(POINTS_HEADING) ? text : told;
}

export const POINTS_HEADING = "Key points:";

function* mergeInSteps({ proposed }: WrittenSummary, options: CompleteOptions): Generator<undefined, Facets> {
  const { stretch, previous } = options;
  const extracted = yield* extractFactsInSteps(stretch);
  const source = stretch.at(-1)?.id;
  if (proposed === undefined || source === undefined) return mergeFacets(previous?.facets, extracted);
  const read = readFacets(proposed, { source, turn: Math.max(0, extracted.turns - 1) });
  const supported = keepSupportedFacts(read, stretch, { previous });
  yield undefined;
  return mergeFacets(previous?.facets, { ...extracted, facts: [...extracted.facts, ...supported] });
}

/** Drops key points with an unsupported claim. */
function* keepSupported(
  keyPoints: readonly string[],
  { stretch, previous }: CompleteOptions,
): Generator<undefined, readonly string[]> {
  if (keyPoints.length === 0) return [];
  const lines = keyPoints.map((point) => redactSecrets(point).text.replaceAll(/\s+/gu, " ").trim());
  const { unsupported } = yield* verifySummaryInSteps(lines.join("\n"), stretch, { previous, protectedFacts: [] });
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? -1) + line.length + 1);
  const faulty = new Set(unsupported.map(({ start }) => ends.findIndex((end) => start < end)));
  return lines.filter((line, index) => line !== "" && !faulty.has(index));
}

type Place = "depth" | "parentId" | "coverage" | "messageIds" | "lastRoundId" | "origin";

export interface RecordFacts extends Omit<SummaryRecord, keyof CheckedSummary | "tokensAfter" | Place> {
  readonly coverage: Coverage;
  /** True at the depth limit of a chain: the record then has the depth of its parent. */
  readonly keepsDepth: boolean;
}

export function* completeRecordInSteps(
  checked: CheckedSummary,
  { stretch, previous }: Pick<CompleteOptions, "stretch" | "previous">,
  { keepsDepth, coverage, ...facts }: RecordFacts,
): Generator<undefined, SummaryRecord> {
  const { tokens, ...content } = checked;
  const lastRoundId = groupRounds(stretch).at(-1)?.items[0]?.id ?? previous?.lastRoundId;
  yield undefined;
  const hash = yield* chainHashInSteps(previous?.coverage.chainHash, stretch);
  const depth = previous === undefined ? 0 : previous.depth + (keepsDepth ? 0 : 1);
  return {
    ...facts,
    ...content,
    depth,
    ...(previous === undefined ? {} : { parentId: previous.id }),
    coverage: { ...coverage, chainHash: hash },
    messageIds: stretch.map(({ id }): MessageId => id),
    ...(lastRoundId === undefined ? {} : { lastRoundId }),
    tokensAfter: tokens,
  };
}

export interface TraceOptions {
  readonly written: readonly SummaryLine[];
  readonly restored: readonly Fact[];
}

export function traceLines(text: string, { written, restored }: TraceOptions): readonly SummaryLine[] {
  if (text === "") return [];
  const ofFacts = sourcesOfFacts(restored);
  let next = 0;
  return text.split("\n").map((line): SummaryLine => {
    const found = findWritten(written, { line, from: next });
    if (found !== undefined) next = found + 1;
    const source = found === undefined ? undefined : written[found];
    return { messageIds: ofFacts.get(line) ?? [], ...source, text: line };
  });
}

/** Returns the equal written line, or else the next one that this line is a part of. */
function findWritten(
  written: readonly SummaryLine[],
  { line, from }: { readonly line: string; readonly from: number },
): number | undefined {
  for (let place = from; place < written.length; place += 1) {
    if (written[place]?.text === line) return place;
  }
  for (let place = from; place < Math.min(written.length, from + MAX_LOST_LINES); place += 1) {
    if (isShortenedFrom(line, written[place]?.text ?? "")) return place;
  }
  return undefined;
}

/** Maximum number of removed lines before a shortened one. */
const MAX_LOST_LINES = 200;

/** Returns true if a line is shorter than `whole`, and its letters and digits occur there in the same order. */
function isShortenedFrom(line: string, whole: string): boolean {
  const left = line.replaceAll(NO_WORD, "");
  const all = whole.replaceAll(NO_WORD, "");
  if (left === "" || left.length >= all.length) return false;
  let place = 0;
  for (const character of left) {
    place = all.indexOf(character, place) + 1;
    if (place === 0) return false;
  }
  return true;
}

const NO_WORD = /[^\p{L}\p{N}]+/gu;

function sourcesOfFacts(facts: readonly Fact[]): ReadonlyMap<string, readonly MessageId[]> {
  const sources = new Map<string, readonly MessageId[]>();
  const note = (members: readonly Fact[]): void => {
    const [, line] = renderFacts(members).split("\n");
    if (line !== undefined) sources.set(line, [...new Set(members.map(({ source }) => source))]);
  };
  for (const fact of facts) if (fact.kind !== "identifier") note([fact]);
  note(facts.filter(({ kind }) => kind === "identifier"));
  return sources;
}
