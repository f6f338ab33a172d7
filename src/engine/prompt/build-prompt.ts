/** Builds a prompt that fits: measures, compacts, measures again, and finally leaves out workspace files. */
import { PalimpsestError } from "../../core/errors.ts";
import { type Head, isOneTimeClearActive } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { compactForPrompt, findPrepared } from "../compaction/compact-for-prompt.ts";
import { compactInEmergency } from "../compaction/compact-in-emergency.ts";
import {
  applyToView,
  type CompactionOutcome,
  type CompactionReport,
  runSecondPass,
  type TemporaryView,
} from "../compaction/compact-now.ts";
import { coverProviderCompaction } from "../compaction/cover-provider-compaction.ts";
import { createCompactOptions } from "../compaction/plan-compaction.ts";
import { propose } from "../compaction/propose.ts";
import { applyLateSummary } from "../compaction/rewrite-summary.ts";
import { floorOfError, throwIfAborted } from "../context/errors.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type CompactOptions, findNeed, type SessionNeed, type SessionSnapshot } from "../state/find-need.ts";
import { type MeasureOptions, measureSession, resolveRequest } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/workspace-content.ts";
import { finishPrompt, type ReadyPrompt } from "./finish-prompt.ts";
import type { Prompt } from "./prompt.ts";
import { shedFiles, shedFilesByEstimate } from "./shed-files.ts";

/** Other processes may write in between; after this many rounds the prompt uses a temporary view. */
const MAX_ROUNDS = 5;

export async function buildPrompt(
  state: SessionState,
  request: PromptRequest,
  { refusal, waiting }: { readonly refusal?: RefusalFacts | undefined; readonly waiting: CallerWait },
): Promise<Prompt> {
  throwIfAborted(waiting.signal);
  const resolved = await resolveRequest(state, request);
  let workspace: GatheredWorkspace | undefined = await state.workspace.gather();
  let ready: ReadyPrompt | undefined;
  while (ready === undefined) {
    const options = { ...resolved, refusal, workspace };
    try {
      ready = await compactUntilReady(state, options, waiting);
    } catch (error) {
      const floor = floorOfError(error);
      if (floor === undefined) throw error;
      workspace = shedFiles(state, await measureSession(state, options), floor);
      if (workspace === undefined) throw error;
    }
  }
  throwIfAborted(waiting.signal);
  return finishPrompt(state, ready);
}

async function compactUntilReady(
  state: SessionState,
  options: MeasureOptions,
  waiting: CallerWait,
): Promise<ReadyPrompt> {
  const { request, settings } = options;
  const compactions: CompactionReport[] = [];
  let refusal = options.refusal;
  let firstNeed: SessionNeed | undefined;
  let isPlacedAgain = false;
  for (let round = 1; ; round += 1) {
    const snapshot = await measureWithFewerFiles(state, { ...options, refusal, isPlacedAgain });
    const { head } = snapshot.conversation;
    // Discards what was prepared for another epoch, even if a compaction is no longer needed.
    findPrepared(state, head.epoch);
    const isTemporary = isOneTimeClearActive(head);
    if (round <= MAX_ROUNDS && !isTemporary && (await pruneRecalled(state, snapshot))) continue;
    const mayTruncate = round <= MAX_ROUNDS && compactions.length === 0;
    const early = isTemporary ? undefined : await compactBeforeNeed(state, snapshot, mayTruncate ? waiting : undefined);
    if (early !== undefined) {
      compactions.push(...early);
      continue;
    }
    const need = findNeed(snapshot, settings.phase === "pre-request" && !isTemporary);
    firstNeed ??= need;
    const ready = { request, snapshot, need, asked: firstNeed, compactions };
    if (need.need === "none") return ready;
    const isOver = round > MAX_ROUNDS || compactions.length >= settings.maxCompactionsPerPrompt;
    if (isTemporary || isOver || !settings.enabled) return shrinkToLimit(state, ready);
    const task = { snapshot, need, phase: "pre-request", waiting } as const;
    const outcome = await holdOnStoreFailure(state, () => compactForPrompt(state, task));
    if (outcome.type === "view-only" && losesChangeNotes(outcome.view, snapshot)) {
      isPlacedAgain = true;
      continue;
    }
    if (outcome.type === "view-only") return { ...ready, passing: { view: outcome.view, report: outcome.report } };
    if (outcome.type === "held") return shrinkToLimit(state, { ...ready, gate: outcome.gate, held: outcome.reason });
    if (outcome.type === "written") {
      compactions.push(outcome.report);
      refusal = undefined;
      const again = await compactOnceMore(state, { ...options, refusal: undefined }, waiting);
      if (again?.type === "written") compactions.push(again.report);
    }
  }
}

/** Prunes the recalled passages that the snapshot leaves out. Returns whether the session was changed. */
async function pruneRecalled(state: SessionState, { omittedRecalls = [] }: SessionSnapshot): Promise<boolean> {
  const reason = "The prompt fits without passages recalled for earlier prompts.";
  const prunes = omittedRecalls.map(({ seq, message }) => ({
    seq,
    messageId: message.id,
    partIndex: 0,
    fate: "pruned" as const,
    replacement: { type: "text", text: "" } as const,
    reason,
  }));
  if (prunes.length === 0) return false;
  const outcome = await holdOnStoreFailure(state, () =>
    state.changePast(() => ({ changes: [{ type: "prune", prunes, reason }] })),
  );
  return "entryIds" in outcome;
}

/** Applies a late summary, or truncates in an emergency. Returns its reports; undefined if nothing has changed. */
async function compactBeforeNeed(
  state: SessionState,
  snapshot: SessionSnapshot,
  waiting: CallerWait | undefined,
): Promise<readonly CompactionReport[] | undefined> {
  const late = await holdOnStoreFailure(state, () => applyLateSummary(state, snapshot));
  // A late summary replaces another and is not a compaction of this prompt.
  if (late?.type === "written") return [];
  if (waiting === undefined) return undefined;
  const covered = await holdOnStoreFailure(state, () => coverProviderCompaction(state, snapshot, waiting));
  if (covered?.type === "written") return [covered.report];
  if (covered?.type === "again") return [];
  const outcome = await holdOnStoreFailure(state, () => compactInEmergency(state, snapshot, waiting));
  if (outcome?.type === "written") return [outcome.report];
  return outcome?.type === "again" ? [] : undefined;
}

/** A policy that compacts after replies leaves out files first; for others that is the last resort. */
export async function measureWithFewerFiles(state: SessionState, options: MeasureOptions): Promise<SessionSnapshot> {
  const snapshot = await measureSession(state, options);
  if (options.settings.phase !== "post-response") return snapshot;
  const workspace = shedFilesByEstimate(state, snapshot);
  return workspace === undefined ? snapshot : measureSession(state, { ...options, workspace });
}

/** Turns a failure of the store into the outcome `held`: nothing was written, and the prompt can still be made. */
async function holdOnStoreFailure<Result>(
  state: SessionState,
  work: () => Promise<Result>,
): Promise<Result | Extract<CompactionOutcome, { type: "held" }>> {
  try {
    return await work();
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    state.warn(`A compaction could not be stored, and nothing was changed: ${error.message}`);
    return { type: "held", reason: "the store did not accept it", gate: undefined };
  }
}

/** Whether the store failed. A database may throw errors of its own, for rules that its owner has set. */
function isStoreFailure(error: unknown): error is Error {
  if (error instanceof PalimpsestError) return error.code === "store-unavailable";
  return error instanceof Error && !(error instanceof TypeError);
}

async function compactOnceMore(
  state: SessionState,
  options: MeasureOptions,
  waiting: CallerWait,
): Promise<CompactionOutcome | undefined> {
  if (!options.settings.summary.secondPass) return undefined;
  const snapshot = await measureSession(state, options);
  return runSecondPass(state, { snapshot, need: findNeed(snapshot, false), phase: "pre-request", waiting });
}

/** Whether a prompt has to be made smaller. One that is exactly full does not. */
export function exceedsLimit({ snapshot, need }: ReadyPrompt): boolean {
  return need.need === "hard" && snapshot.promptTokens > snapshot.limits.limitTokens;
}

/** Makes a prompt that does not fit smaller, for this request alone. */
export async function shrinkToLimit(state: SessionState, ready: ReadyPrompt): Promise<ReadyPrompt> {
  if (!exceedsLimit(ready)) return ready;
  const { snapshot, need } = ready;
  const { settings, conversation } = snapshot;
  const writtenBy = settings.enabled && settings.summary.onFailure === "offline" ? "code" : "none";
  const options: CompactOptions = { ...createCompactOptions({ snapshot, need, phase: "pre-request" }), writtenBy };
  const { view, head } = conversation;
  const passing = await shareTemporaryView({ head, options }, async () => {
    const signal = new AbortController().signal;
    const result = await propose(view, options, { context: state.context, sessionId: state.id, signal });
    const { outcome } = result;
    return outcome.type === "nothing" ? undefined : applyToView(view, outcome, result);
  });
  return passing === undefined ? ready : { ...ready, passing };
}

/** Returns true if a smaller view lacks notes about changed files, which a frozen workspace depends on. */
function losesChangeNotes({ notes }: View, { conversation, workspace }: SessionSnapshot): boolean {
  return workspace?.frozen !== undefined && notes.length < conversation.view.notes.length;
}

interface SharedView {
  readonly options: CompactOptions;
  readonly made: Promise<TemporaryView | undefined>;
}

/** Temporary views by head. Every new entry creates a new head, so a view is never used after a change. */
const knownByHead = new WeakMap<Head, SharedView>();

export function shareTemporaryView(
  { head, options }: { readonly head: Head; readonly options: CompactOptions },
  make: () => Promise<TemporaryView | undefined>,
): Promise<TemporaryView | undefined> {
  const known = knownByHead.get(head);
  if (known !== undefined && isSame(known.options, options)) return known.made;
  const made = make();
  const entry = { options, made };
  knownByHead.set(head, entry);
  made.catch(() => knownByHead.get(head) === entry && knownByHead.delete(head));
  return made;
}

/** Policies and counters are compared by identity. */
function isSame(one: CompactOptions, other: CompactOptions): boolean {
  if (one.settings !== other.settings || one.measure.counts !== other.measure.counts) return false;
  return describeOptions(one) === describeOptions(other);
}

function describeOptions(options: CompactOptions): string {
  const { limits, measure, urgency, reason, writtenBy, mayShed, isFrozen, atDepthCap } = options;
  const { surroundings, calibration, renderer } = measure;
  const { windowTokens, reserveTokens, limitTokens } = limits;
  const sizes = [windowTokens, reserveTokens, limitTokens, surroundings, calibration, renderer];
  return JSON.stringify([sizes, urgency, reason, writtenBy, mayShed, isFrozen === undefined, atDepthCap]);
}
