/**
 * Chooses the messages of the user that a summary of work quotes: the newest that fit. Older messages that state
 * something replace some of the requests among them: a request is finished some day, and what the user has stated is
 * still true.
 */
import { tellsFact } from "../read/read-user-words.ts";
import { BULLET } from "../record/layout.ts";
import type { Fact } from "../record/record.ts";
import { findLargest } from "../record/trim-summary.ts";
import { shortenWords } from "../text/fold-line.ts";
import { writeFact } from "./draft.ts";

export interface UserWordsRoom {
  readonly roomTokens: number;
  readonly count: (text: string) => number;
}

/** Returns the chosen messages in order. Shortens the newest one if it does not fit alone. */
export function chooseUserWords(messages: readonly Fact[], { roomTokens, count }: UserWordsRoom): Fact[] {
  const countLine = (fact: Fact): number => count(`${BULLET}${writeFact(fact)}\n`);
  const newestFirst = messages.toReversed();
  const newest = takeNewest(newestFirst, { roomTokens, countLine });
  const older = newestFirst.filter((fact) => !newest.has(fact) && tellsFact(fact.text));
  // Statements replace older requests only, so they take no room from the story.
  const requests = [...newest.keys()].slice(NEWEST_REQUESTS).reverse();
  const shareTokens = sumTokens(newest.values(), countLine) * STATED_SHARE;
  const replaced = older.length === 0 ? [] : requests.filter(({ text }) => !tellsFact(text));
  const dropped = takeSmall(replaced, { roomTokens: shareTokens, countLine });
  const freedTokens = sumTokens(dropped, countLine);
  const stated = takeSmall(older, { roomTokens: freedTokens, countLine });
  const leftTokens = freedTokens - sumTokens(stated, countLine);
  const restored = takeSmall([...dropped].reverse(), { roomTokens: leftTokens, countLine });
  return messages.flatMap((fact) => {
    if (stated.has(fact)) return fact;
    return dropped.has(fact) && !restored.has(fact) ? [] : (newest.get(fact) ?? []);
  });
}

/** Share of the quoted words that older statements may replace. */
const STATED_SHARE = 0.25;
/** Number of the newest messages that always stay. */
const NEWEST_REQUESTS = 6;

function sumTokens(facts: Iterable<Fact>, countLine: (fact: Fact) => number): number {
  return [...facts].reduce((sum, fact) => sum + countLine(fact), 0);
}

interface LineRoom {
  readonly roomTokens: number;
  readonly countLine: (fact: Fact) => number;
}

/** Maps each chosen message to its line, which may be shortened. Stops at the first one that does not fit. */
function takeNewest(newestFirst: readonly Fact[], { roomTokens, countLine }: LineRoom): ReadonlyMap<Fact, Fact> {
  const taken = new Map<Fact, Fact>();
  let room = roomTokens;
  for (const fact of newestFirst) {
    const fits = (some: Fact): boolean => countLine(some) <= room;
    const kept = fits(fact) || taken.size > 0 ? fact : shortenFact(fact, fits);
    if (kept === undefined || !fits(kept)) break;
    room -= countLine(kept);
    taken.set(fact, kept);
  }
  return taken;
}

function takeSmall(facts: readonly Fact[], { roomTokens, countLine }: LineRoom): ReadonlySet<Fact> {
  const taken = new Set<Fact>();
  let room = roomTokens;
  for (const fact of facts) {
    const tokens = countLine(fact);
    if (tokens > room) continue;
    room -= tokens;
    taken.add(fact);
  }
  return taken;
}

const MIN_CUT_CHARACTERS = 40;

/** Returns undefined if only a few words fit. */
function shortenFact(fact: Fact, fits: (fact: Fact) => boolean): Fact | undefined {
  const cut = (longest: number): Fact => ({ ...fact, text: shortenWords(fact.text, longest) });
  const longest = findLargest(fact.text.length, (characters) => fits(cut(characters)));
  return longest < MIN_CUT_CHARACTERS ? undefined : cut(longest);
}
