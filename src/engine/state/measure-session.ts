/**
 * A session at one snapshot: its conversation as a request would find it, counted by the counter that the request asks
 * for, and how large a prompt may be. Every decision about a session starts here.
 */
import type { Head } from "../../core/log/head.ts";
import { toJsonValue } from "../../core/message/decode-value.ts";
import { isJsonObject, type JsonObject } from "../../core/message/json.ts";
import type { Message } from "../../core/message/message.ts";
import { adaptSettingsToModel } from "../../core/plan/adapt-settings.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { sendsThinking, type ThinkingRules } from "../../core/prompt/walk-thinking.ts";
import { SHED_RATIO } from "../../core/prompt/workspace/limit-workspace.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import { describeTools } from "../context/describe-tools.ts";
import { type PromptRequest, readNote } from "../context/prompt-request.ts";
import {
  type BoundThinking,
  countNow,
  findCalibration,
  findLimits,
  type Limits,
  loadCounts,
  type Measure,
  shareLimits,
} from "../context/prompt-size.ts";
import { runInSteps } from "../context/run-in-steps.ts";
import { readFrozenWorkspace, readWorkspace } from "../workspace/read-workspace.ts";
import type {
  FrozenWorkspace,
  GatheredWorkspace,
  WeighedWorkspace,
  WorkspaceChange,
} from "../workspace/workspace-content.ts";
import type { Conversation } from "./conversation.ts";
import { findChange, findFrozenWorkspace } from "./find-frozen.ts";
import { isCacheWarm, type SessionSnapshot } from "./find-need.ts";
import { findThinkingRules, preserveThinking } from "./preserve-thinking.ts";
import type { SessionState } from "./session-state.ts";

export interface MeasureOptions {
  readonly request: PromptRequest;
  readonly limits: Limits;
  readonly settings: PlanSettings;
  readonly refusal: RefusalFacts | undefined;
  /** What is there beside the conversation; without it, what was there at the last prompt. */
  readonly workspace?: GatheredWorkspace | undefined;
  /** Whether the workspace is placed again even if that costs thinking. */
  readonly isPlacedAnew?: boolean | undefined;
}

/** The conversation as it is now, or would be with what comes next, and what its prompt takes. */
export async function measureSession(state: SessionState, looking: MeasureOptions): Promise<SessionSnapshot> {
  const gathered = looking.workspace ?? state.workspace.gathered;
  const mayFreeze = gathered !== undefined && gathered.shed.length === 0 && looking.isPlacedAnew !== true;
  const frozen = mayFreeze ? findFrozenWorkspace(state, await state.current(), looking) : undefined;
  if (gathered !== undefined && frozen !== undefined) {
    const snapshot = await lookWith(state, looking, { frozen, ...(await findChange(state, gathered, frozen)) });
    if (isWorthFreezing(snapshot)) return snapshot;
  }
  return lookWith(state, looking, undefined);
}

/** Where no thinking is sent, none is lost; and a prompt that is too large is not made larger by what is out of date. */
function isWorthFreezing({ workspace, preserved, promptTokens, limits }: SessionSnapshot): boolean {
  if (workspace?.frozen === undefined || preserved.walk === undefined) return false;
  return promptTokens <= limits.limitTokens && sendsThinking(preserved.walk);
}

interface Frozen extends WorkspaceChange {
  readonly frozen: FrozenWorkspace;
}

async function lookWith(
  state: SessionState,
  looking: MeasureOptions,
  frozen: Frozen | undefined,
): Promise<SessionSnapshot> {
  const { request, limits, settings, refusal } = looking;
  const conversation = await readConversation(await state.current(), request, frozen);
  await runInSteps(conversation.assembleInSteps());
  if (request.instructions !== undefined) await runInSteps(conversation.counts.countTextInSteps(request.instructions));
  const workspace = await weighWorkspace(state, { ...looking, frozen }, conversation);
  const counted = measureFor(conversation, { request, limits, workspaceTokens: workspace?.tokens ?? 0 });
  const model = chooseModel(request, limits);
  const { counts } = conversation;
  const rules = findThinkingRules(limits, { request, model, counts, placed: workspace });
  const preserved = preserveThinking(conversation.assembler, workspace, { rules, counts, memo: state.thinking });
  const { assembled } = preserved;
  const measure =
    rules === undefined ? counted : { ...counted, thinking: bindThinking(rules, workspace, conversation) };
  const { toolsTokens } = measure.surroundings;
  const shared = shareLimits(limits, settings, applyCalibration(measure.calibration, toolsTokens));
  const promptTokens = estimateNow(assembled, measure);
  const now = state.context.clock.now();
  // Beside a workspace the conversation alone is no prefix that a provider has seen.
  const hasOwnPrompt = model !== undefined && workspace === undefined;
  const ownPrompt = hasOwnPrompt
    ? () => readOwnPrompt(assembled, { head: conversation.head, request, limits, model, now })
    : undefined;
  const pressing = workspace === undefined ? shared : leaveRoom(shared, workspace);
  const snapshot = {
    conversation,
    preserved,
    limits: pressing,
    fullLimits: shared,
    measure,
    settings,
    now,
    promptTokens,
  };
  return { ...snapshot, workspace, ownPrompt, refusal };
}

/** With what comes next, and with what the model is to be told of a workspace that stays as it was placed. */
async function readConversation(
  current: Conversation,
  { next }: PromptRequest,
  frozen: Frozen | undefined,
): Promise<Conversation> {
  const sincePromptId = frozen?.frozen.sincePromptId;
  current.showChangesSince(sincePromptId);
  const conversation = next === undefined ? current : await previewSession(current, next);
  if (frozen?.text === undefined) return conversation;
  const note: Message = { id: "changes", role: "user", parts: [{ type: "text", text: frozen.text }] };
  await runInSteps(conversation.counts.countInSteps(note));
  return conversation.withNote(note, { text: frozen.text, sincePromptId });
}

async function weighWorkspace(
  state: SessionState,
  { workspace, settings, limits, frozen }: MeasureOptions & { readonly frozen: Frozen | undefined },
  { head, view, assembler, counts }: Conversation,
): Promise<WeighedWorkspace | undefined> {
  if (frozen !== undefined) return readFrozenWorkspace(frozen.frozen, frozen, { view, assembler, counts });
  const gathered = workspace ?? state.workspace.gathered;
  if (gathered === undefined) return undefined;
  return readWorkspace(state.workspace, gathered, { head, view, assembler, counts, settings, limits });
}

/** Beside files that somebody chose a tenth is left free: who goes above it loses files, so that is fuller than full. */
function leaveRoom(limits: Limits, { gathered }: WeighedWorkspace): Limits {
  if (gathered.files.length === 0) return limits;
  return { ...limits, limitTokens: Math.floor(limits.limitTokens * SHED_RATIO) };
}

interface OwnPromptOptions extends Pick<MeasureOptions, "request" | "limits"> {
  readonly head: Head;
  readonly model: string;
  readonly now: number;
}

/** What the provider was sent last, and all that came since; warm while it keeps such a prefix. */
function readOwnPrompt(assembled: AssembledPrompt, { head, request, limits, model, now }: OwnPromptOptions): OwnPrompt {
  return {
    model,
    instructions: request.instructions,
    tools: describeTools(request.tools).map((tool) => ({ ...tool, inputSchema: toJsonObject(tool.inputSchema) })),
    messages: assembled.items.map(({ message }) => message),
    tokens: assembled.tokens,
    isWarm: isCacheWarm({ head, limits, now }),
  };
}

function toJsonObject(schema: unknown): JsonObject {
  const value = toJsonValue(schema, "inputSchema");
  return isJsonObject(value) ? value : {};
}

/** What holds for a request before the session is looked at. */
export async function resolveRequest(
  state: SessionState,
  request: PromptRequest,
): Promise<Pick<MeasureOptions, "request" | "limits" | "settings">> {
  const { context } = state;
  const policy = context.settingsFor(request.model ?? context.defaults.model);
  const limits = lowerLimits(await findLimits(context, { ...request, reserve: policy.reserve }), request.ceilingTokens);
  const settings = adaptSettingsToModel(policy, limits);
  await useCounter(state, { ...request, counter: request.counter ?? settings.counter });
  state.showWith(settings.summary.renderer);
  return { request, limits, settings };
}

/** The conversation as it would be with a few more messages, for a prompt that leaves no trace. */
async function previewSession(conversation: Conversation, next: readonly Message[]): Promise<Conversation> {
  for (const message of next) await runInSteps(conversation.counts.countInSteps(message));
  return runInSteps(conversation.withMessages(next));
}

function lowerLimits(limits: Limits, ceilingTokens = Number.POSITIVE_INFINITY): Limits {
  return { ...limits, limitTokens: Math.min(limits.limitTokens, ceilingTokens) };
}

async function useCounter(state: SessionState, request: PromptRequest): Promise<void> {
  if (request.model === undefined && request.counter === undefined) {
    state.countWith(state.ownCounts);
    return;
  }
  const counts = await loadCounts(state.context, request);
  if (counts.id !== state.counts.id) state.countWith(counts.id === state.ownCounts.id ? state.ownCounts : counts);
}

function measureFor(
  conversation: Conversation,
  {
    request,
    limits,
    workspaceTokens,
  }: { readonly request: PromptRequest; readonly limits: Limits; readonly workspaceTokens: number },
): Measure {
  const { counts } = conversation;
  const note = readNote(request);
  const surroundings = {
    instructionsTokens: request.instructions === undefined ? 0 : counts.countText(request.instructions),
    toolsTokens: request.tools === undefined ? 0 : counts.countTools(request.tools).tokens,
    note: note && { text: note.text, tokens: counts.countText(note.text) },
    workspaceTokens,
  };
  const calibration = findCalibration(conversation.view, { limits, model: chooseModel(request, limits) });
  return { counts, surroundings, calibration, renderer: conversation.renderer };
}

export function chooseModel(request: PromptRequest, limits: Limits): string | undefined {
  return request.model ?? limits.model;
}

function bindThinking(
  rules: ThinkingRules,
  workspace: WeighedWorkspace | undefined,
  { head }: Conversation,
): BoundThinking {
  return { rules, isPlaced: workspace !== undefined, compactedEpoch: head.compactedEpoch };
}

function estimateNow(assembled: AssembledPrompt, { surroundings, calibration }: Measure): number {
  return applyCalibration(calibration, countNow(assembled, surroundings));
}
