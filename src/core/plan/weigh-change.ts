/**
 * What a change of the view takes out, puts in and moves: the terms of the economic gate. Everything up to the first
 * message that is no longer what it was stays where a provider's cache has it; what comes after has to be written again.
 */
import type { View, ViewMessage } from "../log/view.ts";
import type { ChangeWeight } from "./proposal.ts";

interface Measured {
  readonly view: View;
  readonly tokens: number;
}

export function weighChange(before: Measured, after: Measured): ChangeWeight {
  const [old, next] = [itemsOf(before.view), itemsOf(after.view)];
  const isSameCover =
    before.view.head.summary === after.view.head.summary && before.view.head.truncation === after.view.head.truncation;
  const places = isSameCover ? next.findIndex((item, index) => item.shown !== old[index]?.shown) : 0;
  const first = places < 0 ? next.length : places;
  const moved = next.slice(first);
  const known = new Set(old.map(({ shown }) => shown));
  const placeholders = sum(moved.filter(({ shown }) => !known.has(shown)));
  const fixedTokens = Math.max(0, before.tokens - sum(old));
  const cover = isSameCover ? 0 : Math.max(0, after.tokens - sum(next) - fixedTokens) + coverOf(before);
  const addedTokens = placeholders + cover;
  // Repair leaves out parts of what a broken history shows, so no more is kept than there is.
  const shown = sum(moved.filter((item) => known.has(item.shown)));
  const keptTokens = Math.max(0, Math.min(shown, after.tokens - addedTokens));
  return { removedTokens: before.tokens - after.tokens + addedTokens, addedTokens, keptTokens };
}

/** What the old summary took is part of what is not a message; it goes when another one takes its place. */
function coverOf({ view }: Measured): number {
  return view.head.summary?.tokensAfter ?? 0;
}

function itemsOf({ kept, messages }: View): readonly ViewMessage[] {
  return [...kept, ...messages];
}

function sum(items: readonly ViewMessage[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
