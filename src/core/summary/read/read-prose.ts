/**
 * Reads a summary that somebody else wrote, a model or a person, into lines for the story of the next one. Headings and
 * lines that announce a list say what the items under them are, so they stand before them and not by themselves; items
 * of a few words share a line. What code put under such a text is left out: names and facts are carried over by id.
 *
 * Each line says that it is from before, once: a line that says so already is not marked again.
 */

import { HEADINGS, readStory } from "../record/layout.ts";
import { FACTS_HEADING } from "../record/render-facts.ts";
import type { StoryLine } from "../record/story-line.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLabel, foldLine, shortenWords } from "../text/fold-line.ts";
import { type Sentence, splitSentences } from "../text/split-sentences.ts";

const EARLIER = "Earlier";
const LONGEST_LINE = 400;
/** Items that are shorter say little alone. */
const SHORT_ITEM = 32;
const LONGEST_ROW = 200;

export function readProse(text: string): readonly StoryLine[] {
  const redacted = redactSecrets(text).text;
  const story = readStory(redacted);
  const rest = story.length === 0 ? redacted : withoutSection(redacted, HEADINGS.story);
  let heading: string | undefined;
  const items = splitSentences(withoutOwn(rest)).flatMap((sentence) => {
    if (sentence.isHeading === true) heading = sentence.text;
    return sentence.isHeading === true ? [] : readItem(sentence, sentence.lead ?? heading);
  });
  return [...story, ...joinShort(items).map(({ lead, body }) => ({ body: `${prefixOf(lead)}: ${body}` }))];
}

interface Item {
  readonly lead: string;
  readonly body: string;
  readonly isShort: boolean;
}

function readItem({ text }: Sentence, lead: string | undefined): readonly Item[] {
  const line = foldLine(text.replaceAll(EMPHASIS, ""));
  const body = shortenWords(line.replace(MARKED_BEFORE, ""), LONGEST_LINE);
  if (body === "" || /[:：]$/.test(body) || !/[\p{L}\p{N}]/u.test(body)) return [];
  const label = lead === undefined ? "" : foldLabel(lead.replaceAll(EMPHASIS, ""));
  const isShort = lead !== undefined && body.length < SHORT_ITEM && !/[.!?]$/.test(body);
  return [{ lead: SAYS_NOTHING.test(label) ? "" : label, body, isShort }];
}

const EMPHASIS = /\*\*|__/g;
/** How a line that was read so before begins. */
const MARKED_BEFORE = /^(?:Earlier(?:, [^:]{1,40})?: )+/;
/** Headings that stand over anything. */
const SAYS_NOTHING = /^(?:(?:conversation |session )?(?:summary|overview|context|recap|key points|what happened))?$/i;

function prefixOf(lead: string): string {
  return lead === "" ? EARLIER : `${EARLIER}, ${lead}`;
}

function joinShort(items: readonly Item[]): readonly Item[] {
  const joined: Item[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const isRow = last?.isShort === true && item.isShort && last.lead === item.lead;
    if (!isRow || last.body.length + item.body.length > LONGEST_ROW) joined.push(item);
    else joined[joined.length - 1] = { ...item, body: `${last.body}; ${item.body}` };
  }
  return joined;
}

function withoutOwn(text: string): string {
  return [FACTS_HEADING, HEADINGS.names].reduce(withoutSection, text);
}

/** Without the heading and the items under it. */
function withoutSection(text: string, heading: string): string {
  let isInside = false;
  const kept = text.split("\n").filter((line) => {
    isInside = line.trim() === heading || (isInside && line.startsWith("- "));
    return !isInside;
  });
  return kept.join("\n");
}
