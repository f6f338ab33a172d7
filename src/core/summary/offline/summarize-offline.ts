/**
 * A summary by code alone: no model, no network, the same bytes for the same messages. It states the goal, what must
 * hold, what was decided, is open and is done, tells what happened in the words of those who said it, and lists the
 * names in use, all within a budget. The summary before it is folded in: its facts by id, its story line by line.
 *
 * It quotes and never computes, so whatever it names is in its source.
 */
import type { Message } from "../../message/message.ts";
import { countMessageInSteps } from "../../tokens/count-message.ts";
import { countText, countTextInSteps, finish } from "../../tokens/count-text.ts";
import type { Counter } from "../../tokens/counter.ts";
import { estimate } from "../../tokens/estimate.ts";
import { extractFactsInSteps } from "../facts/extract-facts.ts";
import { factWords } from "../facts/make-fact.ts";
import { EMPTY_SHEET, mergeFacets } from "../facts/merge-facets.ts";
import { messageTexts } from "../facts/message-texts.ts";
import { chooseProtected } from "../facts/protected-facts.ts";
import type { Facets, Fact, SummaryRecord } from "../record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { chainHash } from "../verify/chain-hash.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import type { Candidate } from "./candidate.ts";
import { composeText } from "./compose-text.ts";
import { foldLine } from "./fold-line.ts";
import { createNameUses } from "./name-uses.ts";
import { readCandidatesInSteps } from "./read-candidates.ts";
import { readOutputLines } from "./read-output-lines.ts";
import { OFFLINE_STRATEGY, readPrevious } from "./read-previous.ts";
import { judgeSalience } from "./salience.ts";

export interface OfflineOptions {
  /** What the text may take. */
  readonly budgetTokens: number;
  /** The summary of what came before the messages. */
  readonly previous?: SummaryRecord | undefined;
  /** Without one the estimate that needs no table. */
  readonly counter?: Counter | undefined;
  /** What the user asked to keep in mind. */
  readonly instructions?: string | undefined;
}

export interface OfflineSummary {
  readonly text: string;
  /** The most salient lines of the story, in order. */
  readonly keyPoints: readonly string[];
  /** Those of the summary before, with what the messages add. */
  readonly facets: Facets;
}

/** Summarises in steps of a few milliseconds, so that the caller can let others run. */
export function* summarizeOfflineInSteps(
  messages: readonly Message[],
  options: OfflineOptions,
): Generator<undefined, OfflineSummary> {
  const { previous, counter = estimate, instructions } = options;
  const uses = createNameUses();
  const sheet = yield* extractFactsInSteps(messages, (message, names) => uses.add(message, names));
  const facets = mergeFacets(previous?.facets, sheet);
  yield undefined;
  const capTokens = yield* capBySource(messages, { ...options, counter });
  const candidates = yield* newestOfEach(yield* gatherCandidates(messages, { previous, capTokens }));
  const stated = new Set((facets.sheet?.facts ?? []).map(({ text }) => factWords(text)));
  const statesFact = (body: string): boolean => stated.has(factWords(body.slice(body.indexOf(": ") + 2)));
  const salience = yield* judgeSalience(candidates, { instructions, statesFact });
  const { text, keyPoints } = yield* composeText({ facets, uses, salience, capTokens, counter });
  return { text, keyPoints, facets };
}

/** What tools gave back is offered only where everybody's words would leave room. */
const ENOUGH_CHARACTERS_A_TOKEN = 6;

function* gatherCandidates(
  messages: readonly Message[],
  { previous, capTokens }: { readonly previous: SummaryRecord | undefined; readonly capTokens: number },
): Generator<undefined, readonly Candidate[]> {
  const { candidates, outputs } = yield* readCandidatesInSteps(messages);
  const said = [...readPrevious(previous), ...candidates];
  const characters = said.reduce((sum, { body }) => sum + body.length, 0);
  if (characters >= capTokens * ENOUGH_CHARACTERS_A_TOKEN) return said;
  const found = [...said, ...(yield* readOutputLines(outputs))];
  return found.length > 0 ? found : readAnything(messages);
}

/** Where nobody said anything: the first words that can be found, such as thoughts or the name of a file. */
function readAnything(messages: readonly Message[]): readonly Candidate[] {
  for (const message of messages) {
    const { said, thought, given, called, labels, attached } = messageTexts(message);
    for (const text of [said, thought, given, called, labels, attached].flat()) {
      const raw = redactSecrets(text.slice(0, LONGEST_FALLBACK)).text;
      const line = foldLine(raw);
      if (line !== "") return [{ body: `${message.role}: ${line}`, raw, order: 1, messageId: message.id, weight: 1 }];
    }
  }
  return [];
}

const LONGEST_FALLBACK = 400;

/** A line that is said again in the same words stands where it was said last. */
function* newestOfEach(candidates: readonly Candidate[]): Generator<undefined, readonly Candidate[]> {
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

/** No summary is larger than what it stands for. Counting ends where the source is known to be larger. */
function* capBySource(
  messages: readonly Message[],
  { budgetTokens, previous, counter }: OfflineOptions & { readonly counter: Counter },
): Generator<undefined, number> {
  let tokens = previous === undefined ? 0 : yield* countTextInSteps(previous.text, counter);
  for (const message of messages) {
    if (tokens >= budgetTokens) return budgetTokens;
    tokens += yield* countMessageInSteps(message, counter);
  }
  return Math.min(budgetTokens, tokens);
}

/** The whole record, of messages that are counted from 1 on where no summary came before. */
export function summarizeOffline(messages: readonly Message[], options: OfflineOptions): SummaryRecord {
  const { previous, counter = estimate, instructions } = options;
  const { text, keyPoints, facets } = finish(summarizeOfflineInSteps(messages, options));
  const hash = chainHash(previous?.coverage.chainHash, messages);
  const report = verifySummary(text, messages, { previous });
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
    keyPoints,
    facets,
    verification: {
      score: report.score,
      claims: report.claims,
      derivedClaims: report.derived.length,
      removedClaims: 0,
      restored: [],
      evicted: evictedFrom(facets, options).map(({ id }) => id),
    },
    strategy: OFFLINE_STRATEGY,
    reason: "asked for",
    ...(instructions === undefined ? {} : { instructions }),
    tokensBefore: tokensBefore(messages, { previous, counter }),
    tokensAfter: countText(text, counter),
  };
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
    (tokens, message) => tokens + finish(countMessageInSteps(message, counter)),
    previous === undefined ? 0 : countText(previous.text, counter),
  );
}
