/**
 * Finds the cuts of a recorded session and the names that its agent then needs: those in the arguments of its next
 * thirty calls that appeared before the cut and that no message between the cut and the call has shown again. A cut is
 * right before the first message of the agent after each number of tokens.
 */
import type { Message } from "../../../src/core/message/message.ts";
import { findNames } from "./find-names.ts";
import { argumentsOf, wordsOf } from "./print-message.ts";

export interface Cut {
  /** Messages before this one are before the cut. */
  readonly index: number;
  readonly atTokens: number;
  readonly needed: ReadonlySet<string>;
}

export interface CutOptions {
  readonly fromTokens: number;
  readonly stepTokens: number;
  readonly tokensOf: (message: Message) => number;
}

const NEXT_CALLS = 30;

export function findCuts(messages: readonly Message[], options: CutOptions): readonly Cut[] {
  return findNeededNames(messages, placesOf(messages, options)).filter(({ needed }) => needed.size > 0);
}

/** Adds to each place the names that are needed after it. */
export function findNeededNames<Place extends Pick<Cut, "index">>(
  messages: readonly Message[],
  places: readonly Place[],
): readonly (Place & Pick<Cut, "needed">)[] {
  const names = messages.map((message) => findNames(wordsOf(message)));
  const calls = messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [findNames(argumentsOf(part))] : [])),
  );
  const firstSaid = new Map<string, number>();
  for (const [index, said] of names.entries()) {
    for (const name of said) if (!firstSaid.has(name)) firstSaid.set(name, index);
  }
  return places.map((place) => ({ ...place, needed: findNeeded({ index: place.index, names, calls, firstSaid }) }));
}

function placesOf(
  messages: readonly Message[],
  { fromTokens, stepTokens, tokensOf }: CutOptions,
): readonly Pick<Cut, "index" | "atTokens">[] {
  const places: Pick<Cut, "index" | "atTokens">[] = [];
  let tokens = 0;
  let next = fromTokens;
  for (const [index, message] of messages.entries()) {
    if (tokens >= next && message.role === "assistant") {
      places.push({ index, atTokens: next });
      while (next <= tokens) next += stepTokens;
    }
    tokens += tokensOf(message);
  }
  return places;
}

interface NeededNames {
  readonly index: number;
  readonly names: readonly ReadonlySet<string>[];
  readonly calls: readonly (readonly ReadonlySet<string>[])[];
  readonly firstSaid: ReadonlyMap<string, number>;
}

function findNeeded({ index, names, calls, firstSaid }: NeededNames): ReadonlySet<string> {
  const needed = new Set<string>();
  const seen = new Set<string>();
  let left = NEXT_CALLS;
  for (let place = index; place < names.length && left > 0; place += 1) {
    for (const used of (calls[place] ?? []).slice(0, left)) {
      for (const name of used) if (!seen.has(name) && (firstSaid.get(name) ?? index) < index) needed.add(name);
    }
    left -= calls[place]?.length ?? 0;
    for (const name of names[place] ?? []) seen.add(name);
  }
  return needed;
}
