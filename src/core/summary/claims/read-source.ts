/** Indexes what supports a summary: covered messages, the facts of the previous summary, and its text if verified. */
import type { Message } from "../../message/message.ts";
import type { Fact, SummaryRecord } from "../record/record.ts";
import { renderFact } from "../record/render-facts.ts";
import { splitTranscriptsInSteps } from "../text/split-transcripts.ts";
import { addDerived, addMessageInSteps, addTextsInSteps, createSourceIndex, type SourceIndex } from "./source-index.ts";

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
