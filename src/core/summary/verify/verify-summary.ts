/**
 * Checks a summary against what it stands for, by code: whatever it names has to be in its source or computed from it,
 * and every protected fact has to be in it. Prose without names, numbers or dates is not judged.
 *
 * The source of a summary is the covered messages with their times, the verified facts of the summary before it, and
 * that summary's own text where it was verified, because then each of its claims had a source in turn.
 */
import type { Message } from "../../message/message.ts";
import { finish } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { extractFactsInSteps } from "../facts/extract-facts.ts";
import { mergeFacets } from "../facts/merge-facets.ts";
import { chooseProtected } from "../facts/protected-facts.ts";
import { renderFact } from "../facts/render-facts.ts";
import type { Facets, Fact, SummaryRecord, VerificationReport } from "../record.ts";
import { findWordsIn } from "./find-words.ts";
import {
  addDerived,
  addMessageInSteps,
  addTextsInSteps,
  createSourceIndex,
  findSupport,
  type SourceIndex,
} from "./source-index.ts";

export type PreviousSummary = Pick<SummaryRecord, "facets"> &
  Partial<Pick<SummaryRecord, "text" | "keyPoints" | "verification">>;

export interface VerifyOptions {
  /** The summary that this one takes over from. */
  readonly previous?: PreviousSummary | undefined;
  /** What has to be in it. By default what code finds in the source and the summary has room for. */
  readonly protectedFacts?: readonly Fact[] | undefined;
  /** Texts that code computed and the summary may quote: "412 messages", a resolved date. */
  readonly derived?: readonly string[] | undefined;
}

type Verifiable = string | Pick<SummaryRecord, "text">;

export function verifySummary(
  summary: Verifiable,
  messages: readonly Message[],
  options: VerifyOptions = {},
): VerificationReport {
  return finish(verifySummaryInSteps(summary, messages, options));
}

/** Checks as `verifySummary` does, and yields after each message, and within long ones, so that the caller can let others run. */
export function* verifySummaryInSteps(
  summary: Verifiable,
  messages: readonly Message[],
  options: VerifyOptions = {},
): Generator<undefined, VerificationReport> {
  const text = typeof summary === "string" ? summary : summary.text;
  const previous = options.previous?.facets;
  const protectedFacts = options.protectedFacts ?? (yield* chooseByDefault(text, messages, previous));
  const source = yield* readSourceInSteps(messages, { ...options, protectedFacts });
  yield undefined;
  const claims = extractClaims(text);
  const supports = claims.map((claim) => findSupport(source, claim));
  const unsupported = claims.filter((_, index) => supports[index] === "none");
  const derived = claims.filter((_, index) => supports[index] === "derived");
  yield undefined;
  const finder = findWordsIn(text);
  const missing = protectedFacts.filter((fact) => !finder.hasFact(fact));
  const all = claims.length + protectedFacts.length;
  const score = all === 0 ? 1 : (all - unsupported.length - missing.length) / all;
  return { score, claims: claims.length, missing, unsupported, derived };
}

/** Everything that a summary of these messages may name. Protected facts were read from their source by code. */
export function* readSourceInSteps(
  messages: readonly Message[],
  options: VerifyOptions = {},
): Generator<undefined, SourceIndex> {
  const { previous, protectedFacts = [], derived = [] } = options;
  const index = createSourceIndex();
  for (const message of messages) {
    yield* addMessageInSteps(index, message);
    yield undefined;
  }
  const facts = [...(previous?.facets.sheet?.facts ?? []), ...protectedFacts];
  yield* addTextsInSteps(index, facts.map(renderFact));
  yield* addTextsInSteps(index, previous === undefined ? [] : textsOf(previous));
  for (const text of derived) addDerived(index, text);
  return index;
}

function textsOf({ facets, text = "", keyPoints = [], verification }: PreviousSummary): readonly string[] {
  const { goal, constraints, decisions, actionItems, unresolved, entities, participants, done } = facets;
  const items = actionItems.flatMap(({ task, owner, due }) => [task, owner ?? "", due ?? ""]);
  const lists = [constraints, decisions, items, unresolved, entities, participants, done].flat();
  return [goal ?? "", ...lists, ...(verification === undefined ? [] : [text, ...keyPoints])];
}

function* chooseByDefault(
  text: string,
  messages: readonly Message[],
  previous: Facets | undefined,
): Generator<undefined, readonly Fact[]> {
  const { sheet } = mergeFacets(previous, yield* extractFactsInSteps(messages));
  if (sheet === undefined) return [];
  return chooseProtected(sheet, { budgetTokens: countTokens(text), count: (piece) => countTokens(piece) }).facts;
}
