/**
 * Writes a summary by code: no model, no network, and the same text for the same messages. Quotes the messages, so
 * every claim is in its source. Folds the previous summary in: its facts by id, its story line by line.
 */
import {
  AMOUNT,
  ANYTHING,
  checkOptions,
  FLAG,
  type OptionRule,
  oneOf,
  RECORD,
  required,
  TEXT,
} from "../../check-options.ts";
import { detectLanguage } from "../../language/detect-language.ts";
import { type AnyMessage, readMessages } from "../../message/formats/read-messages.ts";
import type { Message } from "../../message/message.ts";
import { countMessageInSteps } from "../../tokens/count-message.ts";
import { countText, countTextInSteps, runSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import type { Counter } from "../../tokens/counter.ts";
import { estimate, requireCounter } from "../../tokens/estimate.ts";
import { extractFactsInSteps } from "../facts/extract-facts.ts";
import { factWords } from "../facts/make-fact.ts";
import { EMPTY_SHEET, mergeFacets } from "../facts/merge-facets.ts";
import { judgeTalk } from "../rank/judge-talk.ts";
import { judgeWork, type Salience } from "../rank/judge-work.ts";
import { chooseProtected } from "../rank/rank-facts.ts";
import { type Candidate, type ConversationKind, findConversationKind } from "../read/candidate.ts";
import { readCandidatesInSteps } from "../read/read-candidates.ts";
import { readOutputLines, readRemainder } from "../read/read-output-lines.ts";
import { OFFLINE_STRATEGY, readPrevious } from "../read/read-previous.ts";
import { findHeadingLanguage, HEADINGS, type HeadingLanguage, type Headings, headingsIn } from "../record/headings.ts";
import { chainHash, type Facets, type Fact, type SummaryRecord } from "../record/record.ts";
import { redactMessagesInSteps } from "../secrets/redact-messages.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLine } from "../text/fold-line.ts";
import { messageTexts } from "../text/message-texts.ts";
import { createSentenceReader, type SentenceReader } from "../text/split-sentences.ts";
import { splitTranscriptsInSteps } from "../text/split-transcripts.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import { WORK_LINE_WEIGHTS } from "../weights.ts";
import type { ComposedText } from "../write/compose-text.ts";
import { composeText } from "../write/compose-text.ts";

/** The size of a summary by code, and the summary that it continues. */
export interface OfflineOptions {
  /** Maximum number of tokens of the text. */
  readonly budgetTokens: number;
  /** The summary that covers the messages before these. */
  readonly previous?: SummaryRecord | undefined;
  /** Default: the estimate that needs no table. */
  readonly counter?: Counter | undefined;
  /** The user's instructions for the summary. */
  readonly instructions?: string | undefined;
  /** Budget of the later verification, if known. Goals that verification would restore are then included at once. */
  readonly checkedTokens?: number | undefined;
  /** True to leave room free instead of filling it with tool output and restored words. */
  readonly sparing?: boolean | undefined;
  /** The language of the headings: English, or that of the conversation if there are headings in it. */
  readonly headings?: HeadingLanguage | undefined;
}

/** A summary by code: its text and its facts. */
export interface OfflineSummary extends ComposedText {
  /** The facts of the previous summary, merged with those of the messages. */
  readonly facets: Facets;
}

export function* summarizeOfflineInSteps(
  given: readonly Message[],
  options: OfflineStepOptions,
): Generator<undefined, OfflineSummary> {
  const messages = yield* redactMessagesInSteps(given);
  const { previous, counter = estimate, instructions } = options;
  const kind = findConversationKind(messages, previous);
  const sentences = createSentenceReader();
  const said = yield* splitTranscriptsInSteps(messages);
  const sheet = yield* extractFactsInSteps(messages, { sentences, turns: said });
  const facets = mergeFacets(previous?.facets, sheet);
  yield undefined;
  const capTokens = yield* capBySource(messages, { ...options, counter });
  const candidates = yield* gatherCandidates(said, { kind, sentences, previous, capTokens });
  const statements = (facets.sheet?.facts ?? []).filter(({ kind }) => kind !== "user-message");
  const stated = new Set(statements.map(({ text }) => factWords(text)));
  const statesFact = (body: string): boolean => stated.has(factWords(body.slice(body.indexOf(": ") + 2)));
  const judgeKind = kind === "talk" ? judgeTalk : judgeWork;
  const judge = (lines: readonly Candidate[]) => judgeKind(lines, { instructions, statesFact });
  const salience = yield* judge(candidates);
  const readMore = function* (): Generator<undefined, Salience> {
    return yield* judge(yield* keepNewest(yield* readRemainder(messages, candidates)));
  };
  const more = options.sparing === true ? undefined : readMore;
  const widens = options.sparing !== true && capTokens >= options.budgetTokens;
  const composed = yield* composeText({
    ...{
      kind,
      facets,
      salience,
      readMore: more,
      widens,
      capTokens,
      counter,
      headings: chooseHeadings(messages, options),
    },
    checkedTokens: options.checkedTokens ?? capTokens,
  });
  return { ...composed, facets };
}

function chooseHeadings(messages: readonly Message[], { headings, previous }: OfflineOptions): Headings {
  if (headings !== "conversation") return HEADINGS;
  const said = messages.filter(({ role }) => role === "user").flatMap((message) => messageTexts(message).spoken);
  return headingsIn(detectLanguage(said) ?? findHeadingLanguage(previous?.text ?? "") ?? "en");
}

interface OfflineStepOptions extends OfflineOptions {
  readonly sourceTokens?: number | undefined;
}

/** Limits the summary to the size of its source. Stops counting once the source is larger than the cap. */
function* capBySource(
  messages: readonly Message[],
  { budgetTokens, previous, counter, sourceTokens }: OfflineStepOptions & { readonly counter: Counter },
): Generator<undefined, number> {
  if (sourceTokens !== undefined) return Math.min(budgetTokens, sourceTokens);
  let tokens = previous === undefined ? 0 : yield* countTextInSteps(previous.text, counter);
  for (const message of messages) {
    if (tokens >= budgetTokens) return budgetTokens;
    tokens += yield* countMessageInSteps(message, counter);
  }
  return Math.min(budgetTokens, tokens);
}

/**
 * Returns the whole record. Accepts messages in any supported format.
 *
 * @example
 * ```ts
 * const { text, facets } = summarizeOffline(history, { budgetTokens: 500 });
 * console.log(text, facets.decisions);
 * ```
 */
export function summarizeOffline(input: readonly AnyMessage[], given: OfflineOptions): SummaryRecord {
  checkOptions(given, OFFLINE_RULES, "summarizeOffline");
  const options = { ...given, counter: requireCounter(given.counter) };
  const { previous, counter, instructions } = options;
  const { messages } = readMessages(input, { firstIndex: previous?.coverage.count });
  const sourceTokens = tokensBefore(messages, { previous, counter });
  const summary = runSteps(summarizeOfflineInSteps(messages, { ...options, sourceTokens }));
  const { text, lines, keyPoints, facets } = summary;
  const hash = chainHash(previous?.coverage.chainHash, messages);
  const report = verifySummary(summary, messages, { previous, protectedFacts: protectedIn(summary) });
  return {
    id: `offline-${hash.slice(0, 16)}`,
    at: messages.reduce((latest, { saidAt }) => Math.max(latest, saidAt ?? 0), previous?.at ?? 0),
    depth: previous === undefined ? 0 : previous.depth + 1,
    ...(previous === undefined ? {} : { parentId: previous.id }),
    coverage: {
      firstSeq: previous?.coverage.firstSeq ?? 1,
      lastSeq: (previous?.coverage.lastSeq ?? 0) + messages.length,
      count: (previous?.coverage.count ?? 0) + messages.length,
      chainHash: hash,
    },
    messageIds: messages.map(({ id }) => id),
    text,
    lines,
    keyPoints,
    facets,
    verification: {
      score: report.score,
      claims: report.claims,
      derivedClaims: report.derived.length,
      removedClaims: 0,
      restored: [],
      evicted: [...evictedFrom(facets, options).map(({ id }) => id), ...(facets.sheet?.evicted ?? [])],
    },
    strategy: OFFLINE_STRATEGY,
    reason: "requested by the caller",
    ...(instructions === undefined ? {} : { instructions }),
    tokensBefore: sourceTokens,
    tokensAfter: countText(text, counter),
  };
}

const OFFLINE_RULES = {
  budgetTokens: required({
    allowed: "a number of at least 1",
    holds: (value) => typeof value === "number" && value >= 1,
  }),
  previous: RECORD,
  counter: ANYTHING,
  instructions: TEXT,
  checkedTokens: AMOUNT,
  sparing: FLAG,
  headings: oneOf("english", "conversation"),
} satisfies Record<keyof OfflineOptions, OptionRule>;

function protectedIn({ text, facets: { sheet = EMPTY_SHEET } }: OfflineSummary): readonly Fact[] {
  const count = (piece: string): number => countTokens(piece);
  return chooseProtected(sheet, { budgetTokens: count(text), count }).facts;
}

function evictedFrom(
  { sheet = EMPTY_SHEET }: Facets,
  { budgetTokens, counter = estimate }: OfflineOptions,
): readonly Fact[] {
  return chooseProtected(sheet, { budgetTokens, count: (text) => countText(text, counter) }).evicted;
}

function tokensBefore(
  messages: readonly Message[],
  { previous, counter }: { readonly previous: SummaryRecord | undefined; readonly counter: Counter },
): number {
  return messages.reduce(
    (tokens, message) => tokens + runSteps(countMessageInSteps(message, counter)),
    previous === undefined ? 0 : countText(previous.text, counter),
  );
}

export interface GatherOptions {
  readonly kind: ConversationKind;
  readonly sentences: SentenceReader;
  readonly previous: SummaryRecord | undefined;
  readonly capTokens: number;
}

/**
 * Gathers candidate lines from the previous summary, from messages and calls, and from tool output if these leave room.
 * A repeated line keeps only its last place.
 */
export function* gatherCandidates(
  messages: readonly Message[],
  { kind, sentences, previous, capTokens }: GatherOptions,
): Generator<undefined, readonly Candidate[]> {
  const { candidates, outputs } = yield* readCandidatesInSteps(messages, { kind, sentences });
  const said = [...readPrevious(previous, kind), ...candidates];
  const characters = said.reduce((sum, { body }) => sum + body.length, 0);
  const isEnough = characters >= capTokens * WORK_LINE_WEIGHTS.enoughCharactersPerToken;
  const found = isEnough ? said : [...said, ...(yield* readOutputLines(outputs, kind))];
  return yield* keepNewest(found.length > 0 ? found : readFallback(messages));
}

/** For a stretch without candidates, returns its first text, such as reasoning or a file name. */
function readFallback(messages: readonly Message[]): readonly Candidate[] {
  for (const message of messages) {
    const { spoken, reasoning, outputs, inputs, labels, attached } = messageTexts(message);
    for (const text of [spoken, reasoning, outputs, inputs, labels, attached].flat()) {
      const raw = redactSecrets(text.slice(0, MAX_FALLBACK_CHARACTERS)).text;
      const line = foldLine(raw);
      if (line !== "") return [{ body: `${message.role}: ${line}`, raw, order: 1, messageId: message.id, weight: 1 }];
    }
  }
  return [];
}

const MAX_FALLBACK_CHARACTERS = 400;

export function* keepNewest(candidates: readonly Candidate[]): Generator<undefined, readonly Candidate[]> {
  const newest = new Map<string, Candidate>();
  for (const [index, candidate] of candidates.entries()) {
    const words = factWords(candidate.body);
    newest.delete(words);
    newest.set(words, candidate);
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  return [...newest.values()];
}

const STEP_LINES = 512;
