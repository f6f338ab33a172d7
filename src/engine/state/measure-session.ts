import { countRecalled, listShownRecalls } from "../../core/log/view.ts";
import { toJsonValue } from "../../core/message/decode-value.ts";
import { isJsonObject, type JsonObject } from "../../core/message/json.ts";
import type { Message } from "../../core/message/message.ts";
import { adaptSettingsToModel, changesView } from "../../core/plan/adapt-settings.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import type { AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { hasThinking, sendsThinking } from "../../core/prompt/walk-thinking.ts";
import { describeWorkspaceChanges } from "../../core/prompt/workspace/describe-changes.ts";
import { SHED_RATIO } from "../../core/prompt/workspace/limit-workspace.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import { describeTools } from "../context/describe-tools.ts";
import {
  applyBudget,
  countAssembled,
  findCalibration,
  findLimits,
  type Limits,
  loadCounts,
  type Measure,
  type PromptRequest,
  readNote,
} from "../context/prompt-request.ts";
import { readFrozenWorkspace, readWorkspace } from "../workspace/place-workspace.ts";
import type {
  FrozenWorkspace,
  GatheredWorkspace,
  WeighedWorkspace,
  WorkspaceChange,
} from "../workspace/workspace-content.ts";
import type { Conversation } from "./conversation.ts";
import { countUnrecalled, isCacheWarm, type SessionSnapshot } from "./find-need.ts";
import { findThinkingRules, preserveThinking } from "./preserve-thinking.ts";
import type { ResolvedRequest, SessionState } from "./session-state.ts";

export interface MeasureOptions extends ResolvedRequest {
  readonly refusal?: RefusalFacts | undefined;
  /** The gathered workspace; by default that of the last prompt. */
  readonly workspace?: GatheredWorkspace | undefined;
  readonly isPlacedAgain?: boolean | undefined;
  /** The conversation to measure, by default the current one. */
  readonly conversation?: Conversation | undefined;
}

/** Measures the session as it is, or as it would be with the request's `next` messages. */
export async function measureSession(state: SessionState, options: MeasureOptions): Promise<SessionSnapshot> {
  const gathered = options.workspace ?? state.workspace.gathered;
  const mayFreeze = gathered !== undefined && gathered.shed.length === 0 && options.isPlacedAgain !== true;
  const frozen = mayFreeze ? findFrozenWorkspace(state, await state.current(), options) : undefined;
  if (gathered !== undefined && frozen !== undefined) {
    const snapshot = await takeSnapshot(state, options, { frozen, ...(await findChange(state, gathered, frozen)) });
    if (isWorthFreezing(snapshot)) return snapshot;
  }
  return takeSnapshot(state, options, undefined);
}

export async function measureRequest(state: SessionState, request: PromptRequest): Promise<SessionSnapshot> {
  return measureSession(state, await resolveRequest(state, request));
}

/** Freezing pays only if thinking is sent and the prompt fits with the outdated workspace. */
function isWorthFreezing({ workspace, preserved, promptTokens, limits }: SessionSnapshot): boolean {
  if (workspace?.frozen === undefined || preserved.walk === undefined) return false;
  return promptTokens <= limits.limitTokens && sendsThinking(preserved.walk);
}

interface FrozenState extends WorkspaceChange {
  readonly frozen: FrozenWorkspace;
}

async function takeSnapshot(
  state: SessionState,
  options: MeasureOptions,
  frozen: FrozenState | undefined,
): Promise<SessionSnapshot> {
  const { request } = options;
  const current = options.conversation ?? (await state.current());
  const conversation = await readConversation(current, request, frozen);
  await runInSteps(conversation.assembleInSteps());
  if (request.instructions !== undefined) await runInSteps(conversation.counts.countTextInSteps(request.instructions));
  const workspace = await weighWorkspace(state, { ...options, frozen }, conversation);
  const snapshot = describeSnapshot(state, conversation, { ...options, weighed: workspace });
  if (!fitsOnlyWithoutRecalls(snapshot)) return snapshot;
  const smaller = conversation.withoutRecalled();
  await runInSteps(smaller.assembleInSteps());
  const weighed = await weighWorkspace(state, { ...options, frozen }, smaller);
  const omittedRecalls = listShownRecalls(conversation.view);
  return { ...describeSnapshot(state, smaller, { ...options, weighed }), omittedRecalls };
}

/** Whether the prompt fits only without recalled passages. These are left out before anything else. */
function fitsOnlyWithoutRecalls(snapshot: SessionSnapshot): boolean {
  const { promptTokens, recalledTokens, limits } = snapshot;
  return recalledTokens > 0 && promptTokens > limits.limitTokens && countUnrecalled(snapshot) <= limits.limitTokens;
}

/**
 * Measures a part of a session that is too long for memory, for a usual request or the present one, whichever has more
 * room: a smaller prompt must not fold messages that fit into a usual one.
 */
export async function measurePart(state: SessionState, part: Conversation): Promise<SessionSnapshot> {
  const { request, limits, settings } = await findLargestLimits(state);
  await runInSteps(part.assembleInSteps());
  if (request.instructions !== undefined) await runInSteps(part.counts.countTextInSteps(request.instructions));
  return describeSnapshot(state, part, { request, limits, settings, weighed: undefined });
}

export async function findLargestLimits(state: SessionState): Promise<ResolvedRequest> {
  const usual: ResolvedRequest = { request: {}, ...(await resolveLimits(state, {})) };
  const present = state.resolved;
  const isLarger = (present?.limits.limitTokens ?? 0) > usual.limits.limitTokens;
  return isLarger && present !== undefined ? present : usual;
}

function describeSnapshot(
  state: SessionState,
  conversation: Conversation,
  options: MeasureOptions & { readonly weighed: WeighedWorkspace | undefined },
): SessionSnapshot {
  const { request, limits, settings, refusal, weighed: workspace } = options;
  const counted = createMeasure(conversation, options, workspace?.tokens ?? 0);
  const model = findRequestModel(request, limits);
  const { counts } = conversation;
  const rules = findThinkingRules(request, limits, { counts, placed: workspace });
  const preserved = preserveThinking(conversation.assembler, workspace, { rules, counts, memo: state.thinking });
  const { assembled } = preserved;
  const { compactedEpoch } = conversation.head;
  const thinking = rules && { rules, isPlaced: workspace !== undefined, compactedEpoch };
  const measure = { ...counted, thinking };
  const { toolsTokens } = measure.surroundings;
  const shared = applyBudget(limits, settings, applyCalibration(measure.calibration, toolsTokens));
  const promptTokens = applyCalibration(measure.calibration, countAssembled(assembled, measure.surroundings));
  const recalledTokens = applyCalibration(measure.calibration, countRecalled(conversation.view, counts));
  const now = state.context.clock.now();
  // With a workspace, the conversation alone is not a prefix that a provider has cached.
  const hasOwnPrompt = model !== undefined && workspace === undefined;
  const isWarm = isCacheWarm(conversation.head, { limits, now });
  const ownPrompt = hasOwnPrompt ? () => readOwnPrompt(assembled, request, { model, isWarm }) : undefined;
  const pressing = workspace === undefined ? shared : leaveRoom(shared, workspace);
  const sizes = { limits: pressing, fullLimits: shared, measure, promptTokens, recalledTokens };
  return { conversation, preserved, ...sizes, settings, now, workspace, ownPrompt, refusal };
}

/** Adds the `next` messages, and a note on the changes of a frozen workspace. */
async function readConversation(
  current: Conversation,
  { next }: PromptRequest,
  frozen: FrozenState | undefined,
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
  { workspace, settings, limits, frozen }: MeasureOptions & { readonly frozen: FrozenState | undefined },
  { head, view, assembler, counts }: Conversation,
): Promise<WeighedWorkspace | undefined> {
  if (frozen !== undefined) return readFrozenWorkspace(frozen.frozen, frozen, { view, assembler, counts });
  const gathered = workspace ?? state.workspace.gathered;
  if (gathered === undefined) return undefined;
  return readWorkspace(state.workspace, gathered, { head, view, assembler, counts, settings, limits });
}

/** Leaves a tenth free if files are selected, because above that limit files are left out. */
function leaveRoom(limits: Limits, { gathered }: WeighedWorkspace): Limits {
  if (gathered.files.length === 0) return limits;
  return { ...limits, limitTokens: Math.floor(limits.limitTokens * SHED_RATIO) };
}

/** Describes the prompt that the provider was sent last, with everything since then. */
function readOwnPrompt(
  { items, tokens }: AssembledPrompt,
  { instructions, tools }: PromptRequest,
  known: Pick<OwnPrompt, "model" | "isWarm">,
): OwnPrompt {
  return {
    ...known,
    instructions,
    tools: describeTools(tools).map((tool) => ({ ...tool, inputSchema: toJsonObject(tool.inputSchema) })),
    messages: items.map(({ message }) => message),
    tokens,
  };
}

function toJsonObject(schema: unknown): JsonObject {
  const value = toJsonValue(schema, "inputSchema");
  return isJsonObject(value) ? value : {};
}

export async function resolveRequest(state: SessionState, request: PromptRequest): Promise<ResolvedRequest> {
  const { limits, settings } = await resolveLimits(state, request);
  await useCounter(state, { ...request, counter: request.counter ?? settings.counter });
  state.showWith(settings.summary.renderer);
  state.resolved = { request: { ...request, next: undefined }, limits, settings };
  return { request, limits, settings };
}

async function resolveLimits(
  { context }: SessionState,
  request: PromptRequest,
): Promise<Omit<ResolvedRequest, "request">> {
  const policy = context.settingsFor(request.model ?? context.defaults.model);
  const limits = lowerLimits(await findLimits(context, { ...request, reserve: policy.reserve }), request.ceilingTokens);
  return { limits, settings: adaptSettingsToModel(policy, limits) };
}

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

function createMeasure(
  conversation: Conversation,
  { request, limits }: MeasureOptions,
  workspaceTokens: number,
): Measure {
  const { counts } = conversation;
  const note = readNote(request);
  const surroundings = {
    instructionsTokens: request.instructions === undefined ? 0 : counts.countText(request.instructions),
    toolsTokens: request.tools === undefined ? 0 : counts.countTools(request.tools).tokens,
    note: note && { text: note.text, tokens: counts.countText(note.text) },
    workspaceTokens,
  };
  const calibration = findCalibration(conversation.view, limits, findRequestModel(request, limits));
  return { counts, surroundings, calibration, renderer: conversation.renderer };
}

export function findRequestModel(request: PromptRequest, limits: Limits): string | undefined {
  return request.model ?? limits.model;
}

/** Returns the workspace of the newest prompt if the next one has to show it unchanged. */
export function findFrozenWorkspace(
  { workspace, context }: SessionState,
  conversation: Conversation,
  { limits, settings, request }: MeasureOptions,
): FrozenWorkspace | undefined {
  const { frozen, isHistoryNew } = workspace;
  const { head } = conversation;
  const last = head.requests.at(-1);
  if (frozen === undefined || isHistoryNew || changesView(settings)) return;
  // A fork without prompts continues from its parent's newest one.
  if (last !== undefined && last.promptId !== frozen.promptId) return;
  const isBound = limits.info.bindsThinking && (request.model ?? limits.model) !== undefined;
  const isCold = context.clock.now() - frozen.at > limits.info.cache.ttlMs;
  const isFolded = (last?.viewEpoch ?? 0) < head.compactedEpoch;
  const isComplete = conversation.countChangesSince(frozen.sincePromptId) === frozen.noteCount;
  if (!isBound || isCold || isFolded || !isComplete) return;
  return conversation.view.messages.some(({ message }) => hasThinking(message)) ? frozen : undefined;
}

export async function findChange(
  { workspace, counts }: SessionState,
  gathered: GatheredWorkspace,
  { known, placed }: FrozenWorkspace,
): Promise<WorkspaceChange> {
  const { memo } = workspace;
  await runInSteps(memo.countInSteps(gathered, counts));
  const { limitTokens } = placed;
  const limited = memo.limit(gathered, { limitTokens, tiers: placed.update?.items });
  // Compares the whole tree, because a path that the prompt does not list still exists.
  const now = { ...limited, tree: gathered.tree };
  return { current: now, text: describeWorkspaceChanges(known, now) };
}
