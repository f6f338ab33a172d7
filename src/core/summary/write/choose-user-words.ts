/**
 * Chooses the messages of the user that a summary of work quotes: all of them if they fit. Otherwise most of the room is
 * for the newest ones, and the rest for older ones that state something. A request is finished some day, and what the
 * user has stated is still true.
 */
import { tellsFact } from "../read/read-user-words.ts";
import { BULLET } from "../record/layout.ts";
import type { Fact } from "../record/record.ts";
import { findLargest } from "../record/trim-summary.ts";
import { shortenWords } from "../text/fold-line.ts";
import { WRITE_WEIGHTS } from "../weights.ts";
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
  // The statements replace messages, and take no room from the story.
  const usedTokens = sumTokens(newest.values(), countLine);
  const stated = takeSmall(older, { roomTokens: usedTokens * WRITE_WEIGHTS.statedShare, countLine });
  const leftTokens = usedTokens - sumTokens(stated, countLine);
  if (stated.size === 0) return messages.flatMap((fact) => newest.get(fact) ?? []);
  const chosen = takeNewest(newestFirst, { roomTokens: leftTokens, countLine });
  const others = newestFirst.filter((fact) => !chosen.has(fact) && !stated.has(fact));
  const restTokens = leftTokens - sumTokens(chosen.values(), countLine);
  const rest = takeSmall(others, { roomTokens: restTokens, countLine });
  return messages.flatMap((fact) => chosen.get(fact) ?? (stated.has(fact) || rest.has(fact) ? fact : []));
}

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
