/** How large a prompt may be and how large it is: the limits of a model and the tokens of everything around history. */
import { chooseReserve, computeInputLimit } from "../../core/budget/budget.ts";
import type { ModelInfo } from "../../core/budget/model-info.ts";
import type { View } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings, SummaryRenderer } from "../../core/plan/plan-settings.ts";
import type { Floor } from "../../core/plan/proposal.ts";
import {
  type AssembledPrompt,
  type Assembler,
  assembleInSteps,
  startAssembly,
} from "../../core/prompt/assemble-prompt.ts";
import { findReplaced, sendThinking } from "../../core/prompt/send-thinking.ts";
import { type ThinkingRules, walkThinking } from "../../core/prompt/walk-thinking.ts";
import { applyCalibration, type Calibration, startCalibration } from "../../core/tokens/calibration.ts";
import type { EngineContext, SizeOptions } from "./engine-context.ts";
import { MessageCounts } from "./message-counts.ts";

export interface Limits {
  readonly info: ModelInfo;
  readonly model: string | undefined;
  readonly windowTokens: number;
  /** The size of the model that was named, or of the window; undefined where the caller named neither. */
  readonly modelTokens: number | undefined;
  readonly reserveTokens: number;
  /** What the whole prompt may take: window − reserve, or the budget that was asked for. */
  readonly limitTokens: number;
  /** What counts are multiplied by until usage has taught better; 1 where no model was named to be wrong about. */
  readonly startFactor: number;
  readonly warning: string | undefined;
}

export interface LimitOptions extends SizeOptions {
  /** The policy's, for a caller that names no `reserveTokens`. */
  readonly reserve?: PlanSettings["reserve"];
}

export async function findLimits(
  context: EngineContext,
  { reserve = "reply", ...options }: LimitOptions,
): Promise<Limits> {
  const asked = mergeSizes(context.defaults, options);
  const { info, warning } = await context.catalogue.find(asked.model);
  const startFactor = asked.model === undefined ? 1 : info.startFactor;
  const known = { info, model: asked.model, startFactor, modelTokens: findModelTokens(asked, info) };
  // Of a model that the catalogue does not know the window is only assumed: a budget says more.
  const mostInput = asked.windowTokens ?? (warning === undefined ? computeInputLimit(info) : Number.POSITIVE_INFINITY);
  if (asked.budgetTokens !== undefined && asked.budgetTokens <= mostInput) {
    const limitTokens = asked.budgetTokens;
    return { ...known, windowTokens: limitTokens, reserveTokens: 0, limitTokens, warning: undefined };
  }
  const limits = limitToWindow(asked, info, reserve);
  if (asked.budgetTokens !== undefined)
    return { ...known, ...limits, warning: describeExcess(asked, mostInput, limits.limitTokens) };
  return { ...known, ...limits, warning: asked.windowTokens === undefined ? warning : undefined };
}

type WindowLimits = Pick<Limits, "windowTokens" | "reserveTokens" | "limitTokens">;

/** What the window leaves beside the reserve. */
function limitToWindow(asked: SizeOptions, info: ModelInfo, reserve: PlanSettings["reserve"]): WindowLimits {
  const windowTokens = asked.windowTokens ?? info.windowTokens;
  const mostInput = asked.windowTokens ?? computeInputLimit(info);
  if (reserve === "none" && asked.reserveTokens === undefined) {
    return { windowTokens: mostInput, reserveTokens: 0, limitTokens: mostInput };
  }
  const reserveTokens = asked.reserveTokens ?? chooseReserve({ ...info, windowTokens, maxInputTokens: mostInput });
  return { windowTokens, reserveTokens, limitTokens: Math.max(0, Math.min(windowTokens - reserveTokens, mostInput)) };
}

function describeExcess({ model, budgetTokens }: SizeOptions, mostInput: number, limitTokens: number): string {
  const holder = model === undefined ? "the window has only" : `${model} takes at most`;
  const excess = `budgetTokens is ${budgetTokens}, but ${holder} ${mostInput} tokens`;
  return `${excess}, so this prompt may take ${limitTokens}. Make budgetTokens smaller, or leave it out.`;
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

/** What a policy makes of a model's limits: a share of them beside the tools, at most so many tokens. */
export function shareLimits(limits: Limits, { budget }: PlanSettings, toolsTokens: number): Limits {
  if (budget === undefined) return limits;
  const most = Math.min(budget.thresholdTokens ?? Number.POSITIVE_INFINITY, limits.limitTokens);
  const limitTokens = Math.max(0, Math.floor((most - toolsTokens) * budget.share)) + toolsTokens;
  return { ...limits, limitTokens: Math.min(limits.limitTokens, limitTokens) };
}

/** Everything around the conversation, counted. */
export interface Surroundings {
  readonly instructionsTokens: number;
  readonly toolsTokens: number;
  /** What was given with the request; it counts where the conversation does not show it already. */
  readonly note?: { readonly text: string; readonly tokens: number } | undefined;
  /** What a workspace shows. */
  readonly workspaceTokens: number;
}

export interface Measure {
  readonly counts: MessageCounts;
  readonly surroundings: Surroundings;
  readonly calibration: Calibration;
  /** How the model reads the summary. */
  readonly renderer?: SummaryRenderer | undefined;
  /** Where the model binds thinking to what stood before it. */
  readonly thinking?: BoundThinking | undefined;
}

/** What a view that is only considered would lose of its thinking. */
export interface BoundThinking {
  readonly rules: ThinkingRules;
  /** Files stand between the messages: then only a compaction is known to move every message. */
  readonly isPlaced: boolean;
  readonly compactedEpoch: number;
}

/** Raw tokens of the prompt that shows a view. */
export function countPrompt(view: View, measure: Measure): number {
  return countNow(assembleToSend(view, measure), measure.surroundings);
}

/** A view as it would be sent. */
function assembleToSend(view: View, measure: Measure): AssembledPrompt {
  return withoutLost(startAssembly(view, measure.counts.count, measure.renderer), view, measure);
}

function withoutLost(assembler: Assembler, { head }: View, { thinking, counts }: Measure): AssembledPrompt {
  if (thinking === undefined) return assembler;
  const { rules, isPlaced, compactedEpoch } = thinking;
  if (isPlaced && head.compactedEpoch <= compactedEpoch) return assembler;
  const originOf = isPlaced ? () => undefined : (source: Message) => assembler.originOf(source);
  const walk = walkThinking(assembler.items, { rules, originOf });
  return sendThinking(assembler, findReplaced(walk), { count: counts.count, chains: new Map() });
}

/** Beforehand and in steps, what `estimatePrompt` gives at once. */
export function* estimateInSteps(view: View, measure: Measure): Generator<undefined, number> {
  const assembler = yield* assembleInSteps(view, measure.counts.count, measure.renderer);
  return applyCalibration(measure.calibration, countNow(withoutLost(assembler, view, measure), measure.surroundings));
}

/** The same where it is assembled already. */
export function countNow(assembler: AssembledPrompt, surroundings: Surroundings): number {
  const closing = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  const { instructionsTokens, toolsTokens, workspaceTokens } = surroundings;
  const aroundTokens = instructionsTokens + toolsTokens + workspaceTokens + noteTokens(assembler, surroundings);
  return assembler.tokens + closing + aroundTokens;
}

/** Tokens of the request's note, or none where the newest note that is shown says the same. */
export function noteTokens({ newestNote }: AssembledPrompt, { note }: Surroundings): number {
  return note === undefined || note.text === newestNote ? 0 : note.tokens;
}

export function estimatePrompt(view: View, measure: Measure): number {
  return applyCalibration(measure.calibration, countPrompt(view, measure));
}

/** The factor learned on this model, or the one that its family starts with. */
export function calibrationFor(
  view: View,
  { limits, model }: { readonly limits: Limits; readonly model: string | undefined },
): Calibration {
  const learned = view.head.calibration;
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
    { name: "notes", tokens: noteTokens(assembler, measure.surroundings) },
  ];
  return parts
    .filter((part) => part.tokens > 0)
    .map((part) => ({ ...part, tokens: applyCalibration(measure.calibration, part.tokens) }));
}

/** A call's own window takes the place of the budget that was set for all calls. */
function mergeSizes(defaults: SizeOptions, options: SizeOptions): SizeOptions {
  const given = withoutUndefined(options);
  return { ...defaults, ...(given.windowTokens === undefined ? {} : { budgetTokens: undefined }), ...given };
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<Value>;
}
