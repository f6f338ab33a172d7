/**
 * What an earlier summary offers to the story of the next one: its own story, line by line, or the sentences of a text
 * that somebody else wrote. Its facts are not read here: they are carried over by id. A line counts by how much it
 * mattered there, and the older it is the less, so that over many folds the least salient go first.
 *
 * Lines of a text that was never checked may name only what the facts of that summary name.
 */
import { finish } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { readSourceInSteps } from "../claims/read-source.ts";
import { findSupport } from "../claims/source-index.ts";
import { readStory } from "../record/layout.ts";
import type { SummaryRecord } from "../record/record.ts";
import type { StoryLine } from "../record/story-line.ts";
import type { Candidate } from "./candidate.ts";
import type { ConversationKind } from "./conversation-kind.ts";
import { type PlacedLine, splitTurns } from "./merge-turns.ts";
import { readProse } from "./read-prose.ts";

const OLDEST_WEIGHT = 0.45;
const NEWEST_WEIGHT = 0.9;
/** What a line that mattered least keeps of its weight; one that mattered most gains as much as this loses. */
const LEAST_SALIENT = 0.5;
const UNKNOWN_SALIENCE = 0.5;

export const OFFLINE_STRATEGY = "offline";

export function readPrevious(previous: SummaryRecord | undefined, kind: ConversationKind): readonly Candidate[] {
  if (previous === undefined) return [];
  const { strategy, text, lines, verification, origin } = previous;
  const said = strategy === OFFLINE_STRATEGY ? readStory(text, lines) : readProse(text);
  // A summary that stood in the history is itself the source of what it names.
  const isSource = verification !== undefined || origin !== undefined;
  const named = isSource ? said : onlyNamed(said, previous);
  const story: readonly PlacedLine[] = kind === "talk" ? splitTurns(named) : named;
  return story.map(({ body, date, messageIds = [], salience = UNKNOWN_SALIENCE, turn }, index) => {
    const age = OLDEST_WEIGHT + ((NEWEST_WEIGHT - OLDEST_WEIGHT) * (index + 1)) / story.length;
    const weight = age * (LEAST_SALIENT + 2 * (1 - LEAST_SALIENT) * salience);
    return { body, raw: body, date, messageIds, salience, order: index - story.length, turn, weight };
  });
}

function onlyNamed(story: readonly StoryLine[], previous: SummaryRecord): readonly StoryLine[] {
  const source = finish(readSourceInSteps([], { previous }));
  return story.filter(({ body, date }) => {
    return extractClaims(`${date ?? ""} ${body}`).every((claim) => findSupport(source, claim) !== "none");
  });
}
