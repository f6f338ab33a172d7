/** Hashes the sections of a prompt, stored with the request, and finds those that do not continue the last prompt. */
import type { SectionChange, SectionHash } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import { chainUnit, hashText } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { type AssembledPrompt, isSystemText } from "../../core/prompt/assemble-prompt.ts";
import type { TierMove } from "../../core/prompt/tiers/tier-table.ts";
import type { LeftOutReason, LeftOutThinking } from "../../core/prompt/walk-thinking.ts";
import { SECTION_ORDER, type SectionName } from "../../core/sections/section.ts";
import { readItemPath } from "../../core/sections/tier.ts";
import { countNote, type Measure, type PromptRequest } from "../context/prompt-request.ts";
import { hashMessageOnce } from "../workspace/place-workspace.ts";
import type { WeighedWorkspace } from "../workspace/workspace-content.ts";
import type { WorkspaceMemo } from "../workspace/workspace-memo.ts";

interface PlacedFacts {
  /** The workspace; undefined without one. Its tiers can contain parts of the history. */
  readonly placed: WeighedWorkspace | undefined;
  readonly memo: WorkspaceMemo;
}

export interface HashFacts extends PlacedFacts {
  readonly request: PromptRequest;
  readonly measure: Measure;
  /** Passages that this prompt recalls. Later prompts have them in their history. */
  readonly recalled?: { readonly countedTokens: number; readonly message: Message } | undefined;
}

export function hashSections(assembler: AssembledPrompt, facts: HashFacts): readonly SectionHash[] {
  const { request, measure, placed, recalled } = facts;
  const { toolsTokens } = measure.surroundings;
  const tools = request.tools === undefined ? "" : measure.counts.countTools(request.tools).hash;
  return [
    hashInstructions(assembler, facts),
    { name: "tools", hash: tools, tokens: toolsTokens },
    ...(placed === undefined ? hashConversation(assembler) : hashPlaces(assembler, placed, facts)).map((section) =>
      section.name === "history"
        ? { ...addRecalled(section, recalled?.message), ...hashStandIns(assembler, section) }
        : section,
    ),
    { name: "notes", hash: "", tokens: countNote(assembler, measure.surroundings) + (recalled?.countedTokens ?? 0) },
  ];
}

/** Hashes recalled passages as the end of the history, so that leaving one out counts as a change. */
function addRecalled(section: SectionHash, recalled: Message | undefined): SectionHash {
  if (recalled === undefined) return section;
  const hash = recalled.parts.reduce((chained, part) => chainUnit(chained, recalled.role, part), section.hash);
  return { ...section, hash, units: (section.units ?? 0) + recalled.parts.length };
}

function hashInstructions(assembler: AssembledPrompt, { request, measure, placed }: HashFacts): SectionHash {
  const preamble = assembler.sectionTotal("instructions");
  const beside = placed === undefined ? [] : listSystemMessages(assembler, placed);
  const text = [`${request.instructions ?? ""}\n${preamble.hash}`, ...beside.map(hashMessageOnce)].join("\n");
  const besideTokens = beside.reduce((sum, message) => sum + measure.counts.count(message), 0);
  const tokens = measure.surroundings.instructionsTokens + preamble.tokens + besideTokens;
  return { name: "instructions", hash: hashText(text), tokens };
}

/** Lists the parts of the system text besides instructions: outlines, and a summary that is rendered there. */
export function listSystemMessages({ items }: AssembledPrompt, { system }: WeighedWorkspace): readonly Message[] {
  const summaries = items.filter((item) => item.section === "summary" && isSystemText(item));
  return [...(system === undefined ? [] : [system]), ...summaries.map(({ message }) => message)];
}

function hashConversation(assembler: AssembledPrompt): readonly SectionHash[] {
  return (["summary", "pinned", "history"] as const).map((name) => ({ name, ...assembler.sectionTotal(name) }));
}

function hashPlaces(
  assembler: AssembledPrompt,
  { places }: WeighedWorkspace,
  { memo, measure }: HashFacts,
): readonly SectionHash[] {
  const closingTokens = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  return places.map(({ name, messages }) => {
    const chain = memo.chainOf(name, messages);
    const tokens = messages.reduce((sum, message) => sum + measure.counts.count(message), 0);
    const shown = name === "history" ? tokens + closingTokens : tokens;
    return { name, tokens: shown, units: chain.length, hash: chain.at(-1) ?? "" };
  });
}

function hashStandIns(assembler: AssembledPrompt, { hash }: SectionHash): Pick<SectionHash, "standIns"> {
  const { length: units } = standInUnits(assembler);
  return units === 0 ? {} : { standIns: { units, hash: addStandIns(hash, assembler, units) } };
}

function standInUnits(assembler: AssembledPrompt) {
  return assembler.closing().flatMap(({ message: { role, parts } }) => parts.map((part) => ({ role, part })));
}

function addStandIns(hash: string, assembler: AssembledPrompt, units: number): string {
  const first = standInUnits(assembler).slice(0, units);
  return first.reduce((chained, { role, part }) => chainUnit(chained, role, part), hash);
}

export interface ChangeFacts extends PlacedFacts {
  readonly assembler: AssembledPrompt;
  readonly sections: readonly SectionHash[];
  readonly provider: string;
  readonly model: string | undefined;
  readonly isOwnView: boolean;
  /** Set for models that bind thinking to what precedes it. */
  readonly leftOut: readonly LeftOutThinking[] | undefined;
}

/** Returns the sections that do not continue the last prompt, in order. */
export function findChanges(head: Head, facts: ChangeFacts): readonly SectionChange[] {
  const last = head.requests.at(-1);
  if (last === undefined) return [];
  if (last.provider !== facts.provider || last.model !== facts.model) {
    return [{ section: "instructions", reason: "the prompt is for another model or provider" }];
  }
  const find = (sections: readonly SectionHash[], name: SectionName): SectionHash =>
    sections.find((section) => section.name === name) ?? { name, hash: "", tokens: 0, units: 0 };
  return SECTION_ORDER.flatMap((name): SectionChange[] => {
    const [before, now] = [find(last.sections, name), find(facts.sections, name)];
    if (!continues(now, before, facts)) return [{ section: name, ...explainChange(name, head, facts) }];
    return keepsStandIns(now, before, facts) ? [] : [{ section: name, reason: STAND_IN_REPLACED }];
  });
}

const STAND_IN_REPLACED = "a tool result, or a later message, replaced its stand-in";

/** Only the last section may grow: any other growth moves everything after it. */
function continues(now: SectionHash, before: SectionHash, facts: ChangeFacts): boolean {
  if (now.name !== "history" || before.units === undefined) return now.hash === before.hash;
  return hashHistory(before.units, facts) === before.hash;
}

/** Whether the stand-ins of the last prompt are still there: an arriving result or text replaces them. */
function keepsStandIns(now: SectionHash, { units = 0, standIns }: SectionHash, facts: ChangeFacts): boolean {
  if (standIns === undefined) return true;
  const [shown, wanted] = [now.units ?? 0, units + standIns.units];
  const hash = wanted <= shown ? hashHistory(wanted, facts) : addStandIns(now.hash, facts.assembler, wanted - shown);
  return hash === standIns.hash;
}

export function hashHistory(units: number, { assembler, placed, memo }: Pick<ChangeFacts, "assembler"> & PlacedFacts) {
  if (placed === undefined) return assembler.chainAt("history", units);
  const messages = placed.places.find(({ name }) => name === "history")?.messages ?? [];
  return units === 0 ? "" : memo.chainOf("history", messages)[units - 1];
}

function explainChange(section: SectionName, head: Head, facts: ChangeFacts): Omit<SectionChange, "section"> {
  const { isOwnView, placed } = facts;
  const isSamePast = head.requests.at(-1)?.viewEpoch === head.epoch;
  if (section === "tools") return { reason: "other tools were given" };
  const moved = describeMoves(section, placed?.update?.moves ?? []);
  if (moved !== undefined) return { reason: moved };
  if (section === "workspace") return { reason: "the tree, pages, review or working files changed" };
  if (section === "instructions" && isSamePast) {
    return { reason: `other instructions were given${placed === undefined ? "" : ", or other outlines are shown"}` };
  }
  if (isSamePast && isOwnView && section in TIER_OF && section !== "history") {
    return { reason: "other files were chosen, so that other outlines are shown" };
  }
  const [leftOut] = facts.leftOut ?? [];
  if (isSamePast && isOwnView && section === "history" && leftOut !== undefined) {
    return { reason: `thinking is left out, because ${LEFT_OUT_BECAUSE[leftOut.reason]}` };
  }
  if (!isOwnView) return { reason: "the view was made smaller for this request only" };
  if (isSamePast) return { reason: "the previous request had a temporary view" };
  const step = [head.undoable.at(-1), head.redoable.at(-1)].find((candidate) => candidate !== undefined);
  return { reason: `an entry changed the view${step === undefined ? "" : `: ${step.type}`}`, entryId: step?.entryId };
}

const LEFT_OUT_BECAUSE: Readonly<Record<LeftOutReason, string>> = {
  "unknown-prompt": "the prompt that it answers is unknown",
  "other-model": "another model produced it",
  instructions: "other instructions were given",
  tools: "other tools were given",
  summary: "a compaction changed the messages before it",
  view: "an entry changed the messages before it",
  messages: "something before it changed",
  format: "the format has no place for it",
};

const TIER_OF: Partial<Record<SectionName, TierMove["to"]>> = {
  instructions: "L0",
  L0: "L0",
  L1: "L1",
  L2: "L2",
  L3: "L3",
  workspace: "active",
  history: "active",
};
const MOVES_NAMED = 3;

function describeMoves(section: SectionName, moves: readonly TierMove[]): string | undefined {
  const tier = TIER_OF[section];
  if (tier === undefined) return undefined;
  const isHistory = section === "history";
  const own = moves.filter(
    ({ key, from, to }) =>
      (from === tier || to === tier) && (tier !== "active" || key.startsWith("history:") === isHistory),
  );
  if (own.length === 0) return undefined;
  const named = own.slice(0, MOVES_NAMED).map(({ key, from, to, reason }) => {
    const name = key.startsWith("history:") ? `message ${readItemPath(key)}` : readItemPath(key);
    return from === to ? `${name} ${reason}` : `${name} from ${from ?? "outside"} to ${to ?? "outside"} (${reason})`;
  });
  const more = own.length > MOVES_NAMED ? `, and ${own.length - MOVES_NAMED} more` : "";
  return `moved: ${named.join(", ")}${more}`;
}
