/**
 * Indexes what supports a summary: covered messages, the facts of the previous summary, and its text if verified. Also
 * checks that a line has only claims from its own source, because shortening can join two words into a date or number.
 */
import type { Message } from "../../message/message.ts";
import { renderFact } from "../record/layout.ts";
import type { Fact, SummaryRecord } from "../record/record.ts";
import { splitTranscriptsInSteps } from "../text/split-transcripts.ts";
import { extractClaims } from "./extract-claims.ts";
import { createContradictionFinder, mayOppose } from "./find-contradictions.ts";
import {
  addDerived,
  addMessageInSteps,
  addRedacted,
  addTextsInSteps,
  createSourceIndex,
  findSupport,
  type SourceIndex,
} from "./source-index.ts";

export type PreviousSummary = Pick<SummaryRecord, "facets"> &
  Partial<Pick<SummaryRecord, "text" | "keyPoints" | "verification" | "origin">>;

export interface SourceOptions {
  readonly previous?: PreviousSummary | undefined;
  /** Facts that the summary must contain. Default: those that code finds and the summary has room for. */
  readonly protectedFacts?: readonly Fact[] | undefined;
  /** Computed texts that the summary may quote: "412 messages", a resolved date. */
  readonly derived?: readonly string[] | undefined;
}

/** Includes protected facts, which code read from the source. */
export function* readSourceInSteps(
  messages: readonly Message[],
  options: SourceOptions = {},
): Generator<undefined, SourceIndex> {
  const { previous, protectedFacts = [], derived = [] } = options;
  const index = createSourceIndex();
  for (const message of messages) {
    yield* addMessageInSteps(index, message);
    yield undefined;
  }
  yield* addTurnsInSteps(index, messages);
  const facts = [...(previous?.facets.sheet?.facts ?? []), ...protectedFacts];
  yield* addTextsInSteps(index, facts.map(renderFact));
  yield* addTextsInSteps(index, previous === undefined ? [] : textsOfPrevious(previous));
  for (const text of derived) addDerived(index, text);
  return index;
}

/** Adds the names and times of transcripts inside messages. */
function* addTurnsInSteps(index: SourceIndex, messages: readonly Message[]): Generator<undefined, void> {
  const known = new Set(messages);
  for (const turn of yield* splitTranscriptsInSteps(messages)) {
    if (known.has(turn)) continue;
    yield* addMessageInSteps(index, turn);
    yield undefined;
  }
}

export function textsOfPrevious({
  facets,
  text = "",
  keyPoints = [],
  verification,
  origin,
}: PreviousSummary): readonly string[] {
  const { goal, constraints, decisions, actionItems, unresolved, entities, participants, done } = facets;
  const items = actionItems.flatMap(({ task, owner, due }) => [task, owner ?? "", due ?? ""]);
  const lists = [constraints, decisions, items, unresolved, entities, participants, done].flat();
  const isSource = verification !== undefined || origin !== undefined;
  return [goal ?? "", ...lists, ...(isSource ? [text, ...keyPoints] : [])];
}

export type FaithfulnessCheck = (line: { readonly body: string; readonly raw: string }) => boolean;

/** The claims of longer sources are cached, because many lines come from one long sentence. */
const LONG_SOURCE = 1_000;

export function createFaithfulnessCheck(): FaithfulnessCheck {
  const known = new Map<string, SourceIndex>();
  const readSource = (raw: string): SourceIndex => {
    const index = known.get(raw) ?? createSourceIndex();
    if (raw.length < LONG_SOURCE || !known.has(raw)) addRedacted(index, raw);
    if (raw.length >= LONG_SOURCE) known.set(raw, index);
    return index;
  };
  return ({ body, raw }) => {
    if (body === raw || body.endsWith(`: ${raw}`)) return true;
    if (isContradiction(body, raw)) return false;
    const claims = extractClaims(body);
    if (claims.length === 0) return true;
    const label = createSourceIndex();
    addRedacted(label, body.slice(0, body.indexOf(": ")));
    const sources = [label, readSource(raw)];
    return claims.every((claim) => sources.some((source) => findSupport(source, claim) !== "none"));
  };
}

/** Returns true if a shortened sentence lost its "not". */
function isContradiction(body: string, raw: string): boolean {
  if (body.length > LONG_SOURCE || raw.length > LONG_SOURCE) return false;
  if (!mayOppose(body) && !mayOppose(raw)) return false;
  const finder = createContradictionFinder(body);
  finder.add(raw);
  return finder.result().flipped.length > 0;
}
