/**
 * Where this prompt's marks go when no workspace gives it tiers: after the system text, after what stands for the
 * covered part, where the prompt before ended, and after the last message that the next one will have too. The third
 * is there because a provider looks back from a mark only so far, and a long round leads further.
 */
import type { Head } from "../core/log/head.ts";
import { isThought } from "../core/message/message.ts";
import type { AssembledItem, Assembler } from "../core/prompt/assemble-prompt.ts";
import { MOST_BREAKPOINTS, placeBreakpoints, SYSTEM_END } from "../core/prompt/place-breakpoints.ts";
import type { Limits, Measure } from "./prompt-size.ts";

export interface BreakpointFacts {
  readonly assembler: Assembler;
  readonly head: Head;
  readonly limits: Limits;
  readonly measure: Measure;
  readonly provider: string;
}

/** Indices of the assembled items, ascending; none where the provider finds the prefix itself. */
export function findBreakpoints({ assembler, head, limits, measure, provider }: BreakpointFacts): readonly number[] {
  const { breakpoints, minimumTokens } = limits.info.cache;
  if (breakpoints === 0 && provider !== "anthropic") return [];
  const { items } = assembler;
  const { instructionsTokens, toolsTokens } = measure.surroundings;
  const tokensOf = (...names: readonly AssembledItem["section"][]): number =>
    names.reduce((sum, name) => sum + assembler.sectionTotal(name).tokens, 0);
  const lastOf = (...names: readonly AssembledItem["section"][]): number =>
    items.findLastIndex(({ section }) => names.includes(section));
  const before = previousEnd(assembler, head);
  const ends = [
    { tier: "L0", index: SYSTEM_END, tokens: instructionsTokens + toolsTokens + tokensOf("instructions") },
    { tier: "L1", index: lastOf("summary", "pinned"), tokens: tokensOf("summary", "pinned") },
    { tier: "L2", index: before, tokens: before === -1 ? 0 : tokensBetween(items, before) },
  ] as const;
  const leastTokens = minimumTokens;
  return placeBreakpoints(ends, { leastTokens, lastDurable: lastDurable(assembler) }).slice(-MOST_BREAKPOINTS);
}

/** The last item of the history that the prompt before had, where that is still as it was. */
function previousEnd(assembler: Assembler, head: Head): number {
  const before = head.requests.at(-1)?.sections.find(({ name }) => name === "history");
  if (before?.units === undefined || assembler.chainAt("history", before.units) !== before.hash) return -1;
  let units = assembler.sectionTotal("history").units;
  const { items } = assembler;
  for (let index = items.length - 1; index >= 0 && items[index]?.section === "history"; index -= 1) {
    if (units <= before.units) return index;
    units -= items[index]?.message.parts.length ?? 0;
  }
  return -1;
}

function tokensBetween(items: readonly AssembledItem[], last: number): number {
  return items.slice(0, last + 1).reduce((sum, { section, tokens }) => (section === "history" ? sum + tokens : sum), 0);
}

/** While results are still to come, what they complete may be written in another order. */
function lastDurable(assembler: Assembler): number | undefined {
  const { items } = assembler;
  const isOpen = assembler.closing().length > 0;
  const last = isOpen
    ? items.findLastIndex(({ message }) => message.role !== "tool" && message.role !== "assistant")
    : items.findLastIndex(({ message }) => !isThought(message));
  return last === -1 ? undefined : last;
}
