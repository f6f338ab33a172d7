/** The request for a prompt: how large the prompt may be, and how large it is with everything around the conversation. */
import { chooseReserve, computeInputLimit } from "../../core/budget/budget.ts";
import type { ModelInfo } from "../../core/budget/model-info.ts";
import type { PromptId } from "../../core/log/entry.ts";
import type { View } from "../../core/log/view.ts";
import type { ToolsInput } from "../../core/message/input-types.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings, SummaryRenderer } from "../../core/plan/plan-settings.ts";
import type { Floor } from "../../core/plan/proposal.ts";
import {
  type AssembledPrompt,
  type Assembler,
  assembleInSteps,
  startAssembly,
} from "../../core/prompt/assemble-prompt.ts";
import type { RenderTarget } from "../../core/prompt/render/render-prompt.ts";
import { mapReplacedMessages, sendThinking } from "../../core/prompt/send-thinking.ts";
import { type ThinkingRules, walkThinking } from "../../core/prompt/walk-thinking.ts";
import { applyCalibration, type Calibration, startCalibration } from "../../core/tokens/calibration.ts";
import type { EngineContext, SizeOptions } from "./engine-context.ts";
import { MessageCounts } from "./message-counts.ts";

export interface Limits {
  readonly info: ModelInfo;
  readonly model: string | undefined;
  readonly windowTokens: number;
  /** The given window or that of the model, at most the given budget; undefined without a window and a model. */
  readonly modelTokens: number | undefined;
  readonly reserveTokens: number;
  /** Limit of the whole prompt: window − reserve, or the given budget. */
  readonly limitTokens: number;
  /** Factor for counts until one is learned from usage; 1 without a model. */
  readonly startFactor: number;
  readonly warning: string | undefined;
}

/** Uses the policy's `reserve` if the caller gives no `reserveTokens`. */
export async function findLimits(
  context: EngineContext,
  { reserve = "reply", ...options }: SizeOptions & Partial<Pick<PlanSettings, "reserve">>,
): Promise<Limits> {
  const asked = mergeSizes(context.defaults, options);
  const { info, warning } = await context.catalogue.find(asked.model);
  const startFactor = asked.model === undefined ? 1 : info.startFactor;
  const known = { info, model: asked.model, startFactor, modelTokens: findModelTokens(asked, info) };
  // For a model that the catalogue does not know, a given budget is better than the assumed window.
  const maxInputTokens =
    asked.windowTokens ?? (warning === undefined ? computeInputLimit(info) : Number.POSITIVE_INFINITY);
  if (asked.budgetTokens !== undefined && asked.budgetTokens <= maxInputTokens) {
    const limitTokens = asked.budgetTokens;
    return { ...known, windowTokens: limitTokens, reserveTokens: 0, limitTokens, warning: undefined };
  }
  const limits = limitToWindow(asked, info, reserve);
  if (asked.budgetTokens !== undefined)
    return { ...known, ...limits, warning: describeExcess(asked, maxInputTokens, limits.limitTokens) };
  return { ...known, ...limits, warning: asked.windowTokens === undefined ? warning : undefined };
}

function limitToWindow(asked: SizeOptions, info: ModelInfo, reserve: PlanSettings["reserve"]) {
  const windowTokens = asked.windowTokens ?? info.windowTokens;
  const maxInputTokens = asked.windowTokens ?? computeInputLimit(info);
  if (reserve === "none" && asked.reserveTokens === undefined) {
    return { windowTokens: maxInputTokens, reserveTokens: 0, limitTokens: maxInputTokens };
  }
  const reserveTokens = asked.reserveTokens ?? chooseReserve({ ...info, windowTokens, maxInputTokens });
  return {
    windowTokens,
    reserveTokens,
    limitTokens: Math.max(0, Math.min(windowTokens - reserveTokens, maxInputTokens)),
  };
}

function describeExcess({ model, budgetTokens }: SizeOptions, maxInputTokens: number, limitTokens: number): string {
  const holder = model === undefined ? "the window has only" : `${model} accepts at most`;
  const excess = `budgetTokens is ${budgetTokens}, but ${holder} ${maxInputTokens} tokens`;
  return `${excess}, so this prompt is limited to ${limitTokens}. Make budgetTokens smaller, or leave it out.`;
}

function findModelTokens({ model, windowTokens, budgetTokens }: SizeOptions, info: ModelInfo): number | undefined {
  if (model === undefined && windowTokens === undefined) return undefined;
  return Math.min(windowTokens ?? info.windowTokens, budgetTokens ?? Number.POSITIVE_INFINITY);
}

export async function loadCounts(context: EngineContext, options: SizeOptions): Promise<MessageCounts> {
  const asked = mergeSizes(context.defaults, options);
  const { info } = await context.catalogue.find(asked.model);
  const target = asked.counter ?? (asked.model === undefined ? "o200k" : info);
  return new MessageCounts(await context.counters.load(target), asked.model === undefined ? "unknown" : info.media);
}

/** Applies the policy's budget: a share of what the tools leave of the limit, up to a maximum. */
export function applyBudget(limits: Limits, { budget }: PlanSettings, toolsTokens: number): Limits {
  if (budget === undefined) return limits;
  const most = Math.min(budget.thresholdTokens ?? Number.POSITIVE_INFINITY, limits.limitTokens);
  const limitTokens = Math.max(0, Math.floor((most - toolsTokens) * budget.share)) + toolsTokens;
  return { ...limits, limitTokens: Math.min(limits.limitTokens, limitTokens) };
}

/** Everything around the conversation, counted. */
export interface Surroundings {
  readonly instructionsTokens: number;
  readonly toolsTokens: number;
  /** The note of the request; counted only if the conversation does not already show it. */
  readonly note?: { readonly text: string; readonly tokens: number } | undefined;
  readonly workspaceTokens: number;
}

export interface Measure {
  readonly counts: MessageCounts;
  readonly surroundings: Surroundings;
  readonly calibration: Calibration;
  readonly renderer?: SummaryRenderer | undefined;
  /** Set for models that bind thinking to what precedes it. */
  readonly thinking?: BoundThinking | undefined;
}

/** The rules by which a planned view would lose thinking. */
export interface BoundThinking {
  readonly rules: ThinkingRules;
  /** Whether files are between the messages; then only a compaction moves every message. */
  readonly isPlaced: boolean;
  readonly compactedEpoch: number;
}

export function countPrompt(view: View, measure: Measure): number {
  return countAssembled(assembleToSend(view, measure), measure.surroundings);
}

function assembleToSend(view: View, measure: Measure): AssembledPrompt {
  return dropLostThinking(startAssembly(view, measure.counts.count, measure.renderer), view, measure);
}

function dropLostThinking(assembler: Assembler, { head }: View, { thinking, counts }: Measure): AssembledPrompt {
  if (thinking === undefined) return assembler;
  const { rules, isPlaced, compactedEpoch } = thinking;
  if (isPlaced && head.compactedEpoch <= compactedEpoch) return assembler;
  const originOf = isPlaced ? () => undefined : (source: Message) => assembler.originOf(source);
  const walk = walkThinking(assembler.items, { rules, originOf });
  return sendThinking(assembler, mapReplacedMessages(walk), { count: counts.count, chains: new Map() });
}

export function* estimateInSteps(view: View, measure: Measure): Generator<undefined, number> {
  const assembler = yield* assembleInSteps(view, measure.counts.count, measure.renderer);
  const counted = countAssembled(dropLostThinking(assembler, view, measure), measure.surroundings);
  return applyCalibration(measure.calibration, counted);
}

export function countAssembled(assembler: AssembledPrompt, surroundings: Surroundings): number {
  const closing = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  const { instructionsTokens, toolsTokens, workspaceTokens } = surroundings;
  const surroundingTokens = instructionsTokens + toolsTokens + workspaceTokens + countNote(assembler, surroundings);
  return assembler.tokens + closing + surroundingTokens;
}

/** Counts the request's note; 0 if the newest shown note has the same text. */
export function countNote({ newestNote }: AssembledPrompt, { note }: Surroundings): number {
  return note === undefined || note.text === newestNote ? 0 : note.tokens;
}

export function estimatePrompt(view: View, measure: Measure): number {
  return applyCalibration(measure.calibration, countPrompt(view, measure));
}

/** Returns the factor learned for this model, or its family's initial one. */
export function findCalibration({ head }: View, limits: Limits, model: string | undefined): Calibration {
  const learned = head.calibration;
  return learned !== undefined && learned.model === model ? learned : startCalibration(limits.startFactor);
}

export function describeFloor(view: View, measure: Measure): Floor["parts"] {
  const assembler = assembleToSend(view, measure);
  const closing = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  const { instructionsTokens, toolsTokens, workspaceTokens } = measure.surroundings;
  const parts = [
    { name: "instructions", tokens: instructionsTokens + assembler.sectionTokens("instructions") },
    { name: "tools", tokens: toolsTokens },
    { name: "workspace", tokens: workspaceTokens },
    { name: "summary", tokens: assembler.sectionTokens("summary") },
    { name: "pinned", tokens: assembler.sectionTokens("pinned") },
    { name: "history", tokens: assembler.sectionTokens("history") + closing },
    { name: "notes", tokens: countNote(assembler, measure.surroundings) },
  ];
  return parts
    .filter((part) => part.tokens > 0)
    .map((part) => ({ ...part, tokens: applyCalibration(measure.calibration, part.tokens) }));
}

/** A window that is given with the call overrides the default budget. */
function mergeSizes(defaults: SizeOptions, options: SizeOptions): SizeOptions {
  const given = dropUndefined(options);
  return { ...defaults, ...(given.windowTokens === undefined ? {} : { budgetTokens: undefined }), ...given };
}

function dropUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<Value>;
}

export interface PromptRequest extends SizeOptions {
  readonly instructions?: string | undefined;
  /** Tool definitions: a list, or a record by name. They are only counted. */
  readonly tools?: ToolsInput | undefined;
  /** Context such as the date, after the newest message until a compaction. `keep: false`: in this prompt only. */
  readonly notes?: string | PromptNote | undefined;
  readonly provider?: RenderTarget | undefined;
  /** False for a prompt without cache breakpoints. */
  readonly breakpoints?: boolean | undefined;
  /** Returns the prompt without writing anything: no compaction, no request entry. */
  readonly preview?: boolean | undefined;
  /** With `preview`: messages to show as if they were appended. */
  readonly next?: readonly Message[] | undefined;
  /** Limit after a refusal by the provider, whatever the window is. */
  readonly ceilingTokens?: number | undefined;
}

export interface PromptNote {
  readonly text: string;
  readonly keep?: boolean | undefined;
}

export function readNote({ notes }: PromptRequest): Required<PromptNote> | undefined {
  const { text, keep = true } = typeof notes === "object" ? notes : { text: notes ?? "" };
  return text.trim() === "" ? undefined : { text, keep };
}

export interface LastPrompt {
  readonly promptId: PromptId;
  readonly request: PromptRequest;
  readonly tokens: number;
}

/** The request that a preview assumes; by default that of the last prompt. */
export type AssumedRequest = Omit<PromptRequest, "preview" | "next" | "ceilingTokens">;

/** Returns the caller's request, or the last one without its notes, because kept notes are in the log. */
export function readRequest(asked: LastPrompt | undefined, as: AssumedRequest | undefined): PromptRequest {
  return { ...(as ?? { ...asked?.request, notes: undefined }), preview: true };
}
