/**
 * Places cache marks at the ends of stable parts, of the previous prompt and of the last durable message. A provider
 * looks back from a mark only a limited distance, so a long round needs the end of the previous prompt.
 */
import type { Head } from "../../core/log/head.ts";
import { hasOnlyThinking, type Message } from "../../core/message/message.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { AssembledItem, AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { MAX_BREAKPOINTS, placeBreakpoints, SYSTEM_END, type TierEnd } from "../../core/prompt/place-breakpoints.ts";
import type { CachedTier } from "../../core/sections/tier.ts";
import { countAssembled, type Limits, type Measure, type PromptRequest } from "../context/prompt-request.ts";
import type { SessionSnapshot } from "../state/find-need.ts";
import type { WeighedWorkspace } from "../workspace/workspace-content.ts";
import type { WorkspaceMemo } from "../workspace/workspace-memo.ts";
import { hashHistory, listSystemMessages } from "./find-changes.ts";

export interface BreakpointFacts {
  readonly assembler: AssembledPrompt;
  readonly head: Head;
  readonly limits: Limits;
  readonly measure: Measure;
  readonly provider: string;
  readonly settings: Pick<PlanSettings, "cacheTiers">;
  readonly placed: WeighedWorkspace | undefined;
  readonly memo: WorkspaceMemo;
  readonly messages: readonly Message[];
}

/** Returns ascending message indexes; none if the provider finds the prefix itself. */
export function findBreakpoints(facts: BreakpointFacts): readonly number[] {
  const { limits, provider, placed, settings } = facts;
  if (limits.info.cache.breakpoints === 0 && provider !== "anthropic") return [];
  // The document marks every tier, whatever its size, and nothing after them; a flat order has no marks.
  if (settings.cacheTiers === "document") {
    if (placed?.update === undefined) return [];
    const ends = findTierEnds(facts, placed);
    return placeBreakpoints(ends, { minimumTokens: 0, lastDurable: undefined, isOnePerTier: true });
  }
  // A mark below the provider's minimum has no effect, and some providers then return an empty answer.
  if (countAssembled(facts.assembler, facts.measure.surroundings) < limits.info.cache.minimumTokens) return [];
  return limits.info.provider === "openai" ? findMarksForOpenAi(facts) : findMarksThroughLast(facts);
}

function findMarksForOpenAi(facts: BreakpointFacts): readonly number[] {
  const { minimumTokens, breakpoints } = facts.limits.info.cache;
  const ends = facts.placed === undefined ? findFlatEnds(facts) : findTierEnds(facts, facts.placed);
  return placeBreakpoints(ends, { minimumTokens, lastDurable: undefined }).slice(-Math.max(1, breakpoints));
}

function findMarksThroughLast(facts: BreakpointFacts): readonly number[] {
  const { placed, limits } = facts;
  const options = { minimumTokens: limits.info.cache.minimumTokens, lastDurable: findLastDurable(facts) };
  if (placed === undefined) return placeBreakpoints(findFlatEnds(facts), options).slice(-MAX_BREAKPOINTS);
  const marks = placeBreakpoints(findTierEnds(facts, placed), options);
  // If a tier grew by more blocks than a provider looks back, its old end is worth more than the first mark.
  const grown = findPreviousEnd("L3", facts);
  const kept = grown === -1 || marks.includes(grown) ? marks : [...marks.slice(1 - MAX_BREAKPOINTS), grown];
  const before = findPreviousEnd("history", facts);
  const all = kept.length >= MAX_BREAKPOINTS || before === -1 ? kept : [...kept, before];
  return [...new Set(all)].toSorted((left, right) => left - right);
}

function findFlatEnds(facts: BreakpointFacts): readonly TierEnd[] {
  const { assembler, measure } = facts;
  const { items } = assembler;
  const { instructionsTokens, toolsTokens } = measure.surroundings;
  const tokensOf = (...names: readonly AssembledItem["section"][]): number =>
    names.reduce((sum, name) => sum + assembler.sectionTokens(name), 0);
  const lastOf = (...names: readonly AssembledItem["section"][]): number =>
    items.findLastIndex(({ section }) => names.includes(section));
  const before = findPreviousEnd("history", facts);
  return [
    { tier: "L0", index: SYSTEM_END, tokens: instructionsTokens + toolsTokens + tokensOf("instructions") },
    { tier: "L1", index: lastOf("summary", "pinned"), tokens: tokensOf("summary", "pinned") },
    { tier: "L2", index: before, tokens: before === -1 ? 0 : countHistoryThrough(items, before) },
  ];
}

/** The first tier starts with the system text. A workspace without tiers has one mark, at its end. */
function findTierEnds({ assembler, measure, messages }: BreakpointFacts, placed: WeighedWorkspace): readonly TierEnd[] {
  const { counts, surroundings } = measure;
  const systemTokens =
    surroundings.instructionsTokens +
    surroundings.toolsTokens +
    assembler.sectionTokens("instructions") +
    listSystemMessages(assembler, placed).reduce((sum, message) => sum + counts.count(message), 0);
  const endOf = (name: string, tier: CachedTier): TierEnd => {
    const held = placed.places.find((place) => place.name === name)?.messages ?? [];
    const last = held.at(-1);
    const tokens = held.reduce((sum, message) => sum + counts.count(message), 0);
    return { tier, index: last === undefined ? SYSTEM_END : messages.lastIndexOf(last), tokens };
  };
  const top = endOf("L0", "L0");
  const first = { ...top, tokens: top.tokens + systemTokens };
  if (placed.update === undefined) return [first, endOf("workspace", "L1")];
  return [first, endOf("L1", "L1"), endOf("L2", "L2"), endOf("L3", "L3")];
}

/** Finds the last message of the previous prompt in a section, if everything up to it is unchanged; -1 for none. */
function findPreviousEnd(name: "L3" | "history", facts: BreakpointFacts): number {
  const { head, assembler, placed, memo, messages } = facts;
  const before = head.requests.at(-1)?.sections.find((section) => section.name === name);
  const known = before?.units;
  if (known === undefined || known === 0) return -1;
  const held =
    placed?.places.find((place) => place.name === name)?.messages ??
    assembler.items.flatMap(({ section, message }) => (section === name ? [message] : []));
  const hash = name === "history" ? hashHistory(known, facts) : memo.chainOf(name, held)[known - 1];
  if (hash !== before?.hash) return -1;
  let units = 0;
  const index = held.findIndex(({ parts }) => {
    units += parts.length;
    return units >= known;
  });
  const last = held[index];
  return last === undefined ? -1 : messages.lastIndexOf(last);
}

function countHistoryThrough(items: readonly AssembledItem[], last: number): number {
  return items.slice(0, last + 1).reduce((sum, { section, tokens }) => (section === "history" ? sum + tokens : sum), 0);
}

/** Pending results may change the order of the messages that they complete. */
function findLastDurable({ assembler, messages }: BreakpointFacts): number | undefined {
  const { items } = assembler;
  const isOpen = assembler.closing().length > 0;
  const last = isOpen
    ? items.findLast(({ message }) => message.role !== "tool" && message.role !== "assistant")
    : items.findLast(({ message }) => !hasOnlyThinking(message));
  return last === undefined ? undefined : messages.lastIndexOf(last.message);
}

export function wantsBreakpoints(request: PromptRequest, { settings }: SessionSnapshot, isTemporary: boolean): boolean {
  if (request.breakpoints !== undefined) return request.breakpoints;
  const { breakpoints = "always", enabled } = settings;
  switch (breakpoints) {
    case "always":
      return true;
    case "never":
      return false;
    case "with-compaction":
      // The next prompt will not have this temporary view.
      return enabled && !isTemporary;
    default:
      return breakpoints satisfies never;
  }
}
