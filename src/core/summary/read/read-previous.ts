/**
 * Reads the candidate lines of the previous summary: its story, or the sentences of a model's text. The weight of a
 * line depends on its salience and decreases with age. Lines of an unverified text may contain only names of its facts.
 */
import { runSteps } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { readSourceInSteps } from "../claims/read-source.ts";
import { findSupport } from "../claims/source-index.ts";
import { HEADINGS, toEnglishHeading } from "../record/headings.ts";
import { FACTS_HEADING, joinLines, readStory, type StoryLine, withoutAddedLines } from "../record/layout.ts";
import type { SummaryRecord } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLabel, foldLine, shortenWords } from "../text/fold-line.ts";
import { type Sentence, splitSentences } from "../text/split-sentences.ts";
import { PREVIOUS_LINE_WEIGHTS } from "../weights.ts";
import type { Candidate, ConversationKind } from "./candidate.ts";
import { type PlacedLine, splitSpeakerLines } from "./merge-speaker-lines.ts";

export const OFFLINE_STRATEGY = "offline";

export function readPrevious(previous: SummaryRecord | undefined, kind: ConversationKind): readonly Candidate[] {
  if (previous === undefined) return [];
  const { strategy, text, lines, verification, origin } = previous;
  const said = strategy === OFFLINE_STRATEGY ? readStory(text, lines) : readByModel(previous);
  // A summary in the history is the source of its own claims.
  const isSource = verification !== undefined || origin !== undefined;
  const named = isSource ? said : keepNamedLines(said, previous);
  const story: readonly PlacedLine[] = kind === "talk" ? splitSpeakerLines(named) : named;
  return story.map(({ body, date, messageIds = [], salience = PREVIOUS_LINE_WEIGHTS.unknownSalience, turn }, index) => {
    const age =
      PREVIOUS_LINE_WEIGHTS.oldest +
      ((PREVIOUS_LINE_WEIGHTS.newest - PREVIOUS_LINE_WEIGHTS.oldest) * (index + 1)) / story.length;
    const weight = age * (PREVIOUS_LINE_WEIGHTS.leastSalient + 2 * (1 - PREVIOUS_LINE_WEIGHTS.leastSalient) * salience);
    return { body, raw: body, date, messageIds, salience, order: index - story.length, turn, weight };
  });
}

function keepNamedLines(story: readonly StoryLine[], previous: SummaryRecord): readonly StoryLine[] {
  const source = runSteps(readSourceInSteps([], { previous }));
  return story.filter(({ body, date }) => {
    return extractClaims(`${date ?? ""} ${body}`).every((claim) => findSupport(source, claim) !== "none");
  });
}

/** Reads the lines that code added as a story, before the sentences of the model. */
function readByModel(previous: SummaryRecord): readonly StoryLine[] {
  const prose = withoutAddedLines(previous);
  if (prose === previous.text) return readProse(prose);
  return [...readStory(joinLines(previous.lines ?? []), previous.lines), ...readProse(prose)];
}

const EARLIER = "Earlier";
const MAX_LINE_CHARACTERS = 400;
const SHORT_ITEM = 32;
const MAX_ROW_CHARACTERS = 200;

/**
 * Splits a text that a model or a person wrote into lines: headings precede their items, short items share a line, and
 * sections that code added are omitted. Each line begins with one "Earlier", even after several folds.
 */
export function readProse(text: string): readonly StoryLine[] {
  const redacted = redactSecrets(text).text;
  const story = readStory(redacted);
  const rest = story.length === 0 ? redacted : withoutSection(redacted, HEADINGS.story);
  let heading: string | undefined;
  const items = splitSentences(dropOwnSections(rest)).flatMap((sentence) => {
    if (sentence.isHeading === true) heading = sentence.text;
    return sentence.isHeading === true ? [] : readSummaryItem(sentence, sentence.lead ?? heading);
  });
  return [...story, ...joinShort(items).map(({ lead, body }) => ({ body: `${prefixOf(lead)}: ${body}` }))];
}

interface Item {
  readonly lead: string;
  readonly body: string;
  readonly isShort: boolean;
}

function readSummaryItem({ text }: Sentence, lead: string | undefined): readonly Item[] {
  const line = foldLine(text.replaceAll(EMPHASIS, ""));
  const body = shortenWords(line.replace(MARKED_BEFORE, ""), MAX_LINE_CHARACTERS);
  if (body === "" || /[:：]$/.test(body) || !/[\p{L}\p{N}]/u.test(body)) return [];
  const label = lead === undefined ? "" : foldLabel(lead.replaceAll(EMPHASIS, ""));
  const isShort = lead !== undefined && body.length < SHORT_ITEM && !/[.!?]$/.test(body);
  return [{ lead: EMPTY_ITEM.test(label) ? "" : label, body, isShort }];
}

const EMPHASIS = /\*\*|__/g;
const MARKED_BEFORE = /^(?:Earlier(?:, [^:]{1,40})?: )+/;
const EMPTY_ITEM = /^(?:(?:conversation |session )?(?:summary|overview|context|recap|key points|what happened))?$/i;

function prefixOf(lead: string): string {
  return lead === "" ? EARLIER : `${EARLIER}, ${lead}`;
}

function joinShort(items: readonly Item[]): readonly Item[] {
  const joined: Item[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const isRow = last?.isShort === true && item.isShort && last.lead === item.lead;
    if (!isRow || last.body.length + item.body.length > MAX_ROW_CHARACTERS) joined.push(item);
    else joined[joined.length - 1] = { ...item, body: `${last.body}; ${item.body}` };
  }
  return joined;
}

function dropOwnSections(text: string): string {
  return [FACTS_HEADING, HEADINGS.names].reduce(withoutSection, text);
}

function withoutSection(text: string, heading: string): string {
  let isInside = false;
  const kept = text.split("\n").filter((line) => {
    isInside = toEnglishHeading(line.trim()) === heading || (isInside && line.startsWith("- "));
    return !isInside;
  });
  return kept.join("\n");
}
