/**
 * What an earlier summary offers to the story of the next one: its own story, line by line, or the sentences of a text
 * that somebody else wrote. Its facts are not read here: they are carried over by id. The older a line the less it
 * counts, so that over many folds the least salient of the oldest go first.
 *
 * Lines of a text that was never checked may name only what the facts of that summary name.
 */
import { finish } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { splitSentences } from "../facts/split-sentences.ts";
import type { SummaryRecord } from "../record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { findSupport } from "../verify/source-index.ts";
import { readSourceInSteps } from "../verify/verify-summary.ts";
import type { Candidate } from "./candidate.ts";
import { foldLine, shortenWords } from "./fold-line.ts";
import { readStory } from "./layout.ts";
import type { StoryLine } from "./story-line.ts";

const OLDEST_WEIGHT = 0.45;
const NEWEST_WEIGHT = 0.9;
const LONGEST_LINE = 400;

export const OFFLINE_STRATEGY = "offline";

export function readPrevious(previous: SummaryRecord | undefined): readonly Candidate[] {
  if (previous === undefined) return [];
  const said = previous.strategy === OFFLINE_STRATEGY ? readStory(previous.text) : readProse(previous.text);
  const story = previous.verification === undefined ? onlyNamed(said, previous) : said;
  return story.map(({ body, date }, index) => ({
    body,
    raw: body,
    date,
    order: index - story.length,
    weight: OLDEST_WEIGHT + ((NEWEST_WEIGHT - OLDEST_WEIGHT) * (index + 1)) / story.length,
  }));
}

function onlyNamed(story: readonly StoryLine[], previous: SummaryRecord): readonly StoryLine[] {
  const source = finish(readSourceInSteps([], { previous }));
  return story.filter(({ body, date }) => {
    return extractClaims(`${date ?? ""} ${body}`).every((claim) => findSupport(source, claim) !== "none");
  });
}

/** Lines that only announce others, as headings do, say nothing by themselves. */
function readProse(text: string): readonly StoryLine[] {
  return splitSentences(redactSecrets(text).text).flatMap((sentence) => {
    const body = shortenWords(foldLine(sentence.text), LONGEST_LINE);
    return body === "" || body.endsWith(":") ? [] : [{ body: `Earlier: ${body}` }];
  });
}
