/**
 * Checks a summary against its source by code: every claim must be in the source or computed from it, and every
 * protected fact must be in the summary. A previous text is a source if it was verified or is from the history.
 */
import { AMOUNT, checkOptions, FLAG, type OptionRule, RECORD } from "../../check-options.ts";
import { PalimpsestError } from "../../errors.ts";
import { batchTexts, textPieces } from "../../language/text-pieces.ts";
import { type AnyMessage, readMessages } from "../../message/formats/read-messages.ts";
import type { Message } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { type ContradictionFinder, createContradictionFinderInSteps } from "../claims/find-contradictions.ts";
import { readSourceInSteps, type SourceOptions, textsOfPrevious } from "../claims/read-source.ts";
import { type ClaimSupport, findSupport, type SourceIndex } from "../claims/source-index.ts";
import { extractFactsInSteps } from "../facts/extract-facts.ts";
import { mergeFacets } from "../facts/merge-facets.ts";
import { chooseProtected } from "../rank/rank-facts.ts";
import type { Claim, Fact, SummaryLine, SummaryRecord, VerificationReport } from "../record/record.ts";
import { redactMessagesInSteps } from "../secrets/redact-messages.ts";
import { messageTexts } from "../text/message-texts.ts";
import { createWordFinder } from "./find-words.ts";
import { addQuotedInSteps, type QuotedLines, withoutQuotes } from "./read-quoted.ts";

/** The earlier summary that the checked one continues, and its size. */
export interface VerifyOptions extends SourceOptions {
  /** Decides how many protected facts the summary has room for. Default: its size as written. */
  readonly budgetTokens?: number | undefined;
  /** True to search for sentences that contradict their source. Not needed for quotes. */
  readonly findsOpposites?: boolean | undefined;
}

type Verifiable = string | (Pick<SummaryRecord, "text"> & Partial<Pick<SummaryRecord, "tokensAfter" | "lines">>);

const LIST: OptionRule = { allowed: "a list", holds: Array.isArray };

const VERIFY_RULES = {
  previous: RECORD,
  protectedFacts: LIST,
  budgetTokens: AMOUNT,
  findsOpposites: FLAG,
  derived: LIST,
} satisfies Record<keyof VerifyOptions, OptionRule>;

/**
 * Compares a summary with its source, and corrects or removes what the source does not contain.
 *
 * @example
 * ```ts
 * const { score, missing, unsupported } = verifySummary("The ferry leaves at 9.", history);
 * ```
 */
export function verifySummary(
  summary: Verifiable,
  messages: readonly AnyMessage[],
  options: VerifyOptions = {},
): VerificationReport {
  requireText(summary);
  checkOptions(options, VERIFY_RULES, "verifySummary");
  return runSteps(verifySummaryInSteps(summary, readMessages(messages).messages, options));
}

function requireText(summary: Verifiable): void {
  const given: unknown = typeof summary === "string" ? summary : summary?.text;
  if (typeof given === "string") return;
  const text = "summary: expected a text, or a record whose `text` is a string.";
  throw new PalimpsestError("config-invalid", text, { details: { key: "summary" } });
}

/** Does the same as `verifySummary`, and yields within long messages. */
export function* verifySummaryInSteps(
  summary: Verifiable,
  unredacted: readonly Message[],
  options: VerifyOptions = {},
): Generator<undefined, VerificationReport> {
  const messages = yield* redactMessagesInSteps(unredacted);
  const text = typeof summary === "string" ? summary : summary.text;
  const protectedFacts = options.protectedFacts ?? (yield* chooseByDefault(summary, messages, options));
  const claims = yield* extractClaimsInSteps(text);
  const lines = quotedLines(summary);
  const given = { ...options, protectedFacts };
  const quoted = lines === undefined ? undefined : yield* readQuotedInSteps(messages, { claims, lines }, given);
  const source = quoted ?? (yield* readSourceInSteps(messages, given));
  yield undefined;
  const supports: ClaimSupport[] = [];
  for (const claim of claims) {
    supports.push(findSupport(source, claim, sentenceAround(text, claim)));
    if (supports.length % STEP_CLAIMS === 0) yield undefined;
  }
  const findsOpposites = options.findsOpposites ?? lines === undefined;
  const { restated, flipped } = yield* findFlipped(text, messages, { ...options, findsOpposites });
  const unfounded = claims.filter((_, index) => supports[index] === "none");
  const unsupported = [...unfounded, ...flipped].sort((left, right) => left.start - right.start);
  const derived = claims.filter((_, index) => supports[index] === "derived");
  yield undefined;
  const finder = createWordFinder(text, claims);
  yield undefined;
  const missing: Fact[] = [];
  for (const [index, fact] of protectedFacts.entries()) {
    if (!finder.hasFact(fact)) missing.push(fact);
    if (index % STEP_FACTS === STEP_FACTS - 1) yield undefined;
  }
  const checked = claims.length + restated;
  const all = checked + protectedFacts.length;
  const score = all === 0 ? 1 : (all - unsupported.length - missing.length) / all;
  return { score, claims: checked, missing, unsupported, derived };
}

const STEP_CLAIMS = 64;
const STEP_FACTS = 16;

/** Reads a long summary in pieces, and returns offsets in the whole text. */
function* extractClaimsInSteps(text: string): Generator<undefined, readonly Claim[]> {
  const claims: Claim[] = [];
  let offset = 0;
  for (const piece of textPieces(text)) {
    for (const claim of extractClaims(piece)) {
      claims.push({ ...claim, start: claim.start + offset, end: claim.end + offset });
    }
    offset += piece.length;
    yield undefined;
  }
  return claims;
}

/** Returns the lines of a summary if they are its whole text. */
function quotedLines(summary: Verifiable): readonly SummaryLine[] | undefined {
  if (typeof summary === "string" || summary.lines === undefined) return undefined;
  return summary.lines.map(({ text }) => text).join("\n") === summary.text ? summary.lines : undefined;
}

/** Returns the index of the quoted lines if they support all claims. */
function* readQuotedInSteps(
  messages: readonly Message[],
  quoting: QuotedLines,
  options: VerifyOptions,
): Generator<undefined, SourceIndex | undefined> {
  const index = yield* readSourceInSteps([], options);
  return (yield* addQuotedInSteps(index, messages, quoting)) ? index : undefined;
}

/** Reads all speakers and the previous summary, because a statement may have been true earlier. */
function* findFlipped(
  text: string,
  messages: readonly Message[],
  { findsOpposites = true, previous, protectedFacts = [] }: VerifyOptions,
): Generator<undefined, ReturnType<ContradictionFinder["result"]>> {
  if (!findsOpposites) return { restated: 0, flipped: [] };
  const finder = yield* createContradictionFinderInSteps(text);
  for (const fact of [...(previous?.facets.sheet?.facts ?? []), ...protectedFacts]) finder.add(fact.text);
  for (const each of previous === undefined ? [] : textsOfPrevious(previous)) finder.add(each);
  for (const message of messages) {
    const { spoken, reasoning } = messageTexts(message);
    for (const batch of batchTexts([...spoken, ...reasoning])) {
      finder.add(batch);
      yield undefined;
    }
  }
  // Tool output is long, so it is searched only if a sentence seems to contradict the source.
  for (const message of finder.result().flipped.length === 0 ? [] : messages) {
    const { inputs, outputs, attached } = messageTexts(message);
    for (const batch of batchTexts([...inputs, ...outputs, ...attached])) {
      finder.add(batch, "tool");
      yield undefined;
    }
  }
  const found = finder.result();
  return { ...found, flipped: yield* withoutQuotes(found.flipped, text, messages) };
}

function sentenceAround(text: string, { start, end }: Claim): string {
  const before = text.slice(Math.max(0, start - MAX_SENTENCE_CHARACTERS), start);
  const after = text.slice(end, end + MAX_SENTENCE_CHARACTERS);
  const from = Math.max(before.lastIndexOf("\n"), before.lastIndexOf(". "), before.lastIndexOf("! ")) + 1;
  const to = after.search(/[.!?](?:\s|$)|\n/);
  return `${before.slice(from)}${text.slice(start, end)}${to < 0 ? after : after.slice(0, to)}`;
}

const MAX_SENTENCE_CHARACTERS = 400;

/** Returns the size of a record when it was written, so that text lost since does not reduce the required facts. */
function roomOf(summary: Verifiable): number {
  if (typeof summary === "string") return countTokens(summary);
  return Math.max(countTokens(summary.text), summary.tokensAfter ?? 0);
}

function* chooseByDefault(
  summary: Verifiable,
  messages: readonly Message[],
  { previous, budgetTokens = roomOf(summary) }: VerifyOptions,
): Generator<undefined, readonly Fact[]> {
  const { sheet } = mergeFacets(previous?.facets, yield* extractFactsInSteps(messages));
  if (sheet === undefined) return [];
  return chooseProtected(sheet, { budgetTokens, count: (piece) => countTokens(piece) }).facts;
}
