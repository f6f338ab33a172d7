/**
 * From a conversation to a prompt that fits: look at what is there, find out what is needed, act on it, look again.
 * Where nothing more can be made smaller, files that stand beside the conversation are left out.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { isClearedOnce } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { compactInEmergency } from "../compaction/act-in-emergency.ts";
import { compactForNeed } from "../compaction/act-on-need.ts";
import { applyLateSummary } from "../compaction/apply-late.ts";
import { applyToView, type CompactionReport, propose } from "../compaction/compact.ts";
import { type CompactionOutcome, createCompactOptions } from "../compaction/compact-now.ts";
import { findPrepared } from "../compaction/prepare-compaction.ts";
import { runSecondPass } from "../compaction/second-pass.ts";
import { floorOfError } from "../context/floor-of-error.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import { throwIfAborted } from "../context/throw-if-aborted.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { findNeed, type SessionNeed, type SessionSnapshot } from "../state/find-need.ts";
import { type MeasureOptions, measureSession, resolveRequest } from "../state/look-at.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/gathered-workspace.ts";
import { finishPrompt, type ReadyPrompt } from "./finish-prompt.ts";
import { shareTemporaryView } from "./passing-view.ts";
import type { Prompt } from "./prompt.ts";
import { shedBelow, shedByEstimate } from "./shed-files.ts";

/** Others may write between our reading and writing; after so many times the request is served from its own view. */
const ATTEMPTS = 5;

export async function handOutPrompt(
  state: SessionState,
  request: PromptRequest,
  { refusal, waiting }: Omit<Asked, "request">,
): Promise<Prompt> {
  throwIfAborted(waiting.signal);
  const finish = await makeReady(state, { request, refusal, waiting });
  throwIfAborted(waiting.signal);
  return finishPrompt(state, finish);
}

interface Asked extends Pick<MeasureOptions, "request"> {
  readonly refusal?: RefusalFacts | undefined;
  readonly waiting: CallerWait;
}

/** All but the last steps. */
async function makeReady(state: SessionState, { request, refusal, waiting }: Asked): Promise<ReadyPrompt> {
  const ready = await resolveRequest(state, request);
  let workspace: GatheredWorkspace | undefined = await state.workspace.gather();
  for (;;) {
    const looking = { ...ready, refusal, workspace };
    try {
      return await makeFit(state, looking, waiting);
    } catch (error) {
      const floor = floorOfError(error);
      if (floor === undefined) throw error;
      const lighter = shedBelow(state, await measureSession(state, looking), floor);
      if (lighter === undefined) throw error;
      workspace = lighter;
    }
  }
}

async function makeFit(state: SessionState, looking: MeasureOptions, waiting: CallerWait): Promise<ReadyPrompt> {
  const { request, settings } = looking;
  const done: CompactionReport[] = [];
  let open = looking.refusal;
  let asked: SessionNeed | undefined;
  let isPlacedAnew = false;
  for (let attempt = 1; ; attempt += 1) {
    const snapshot = await measureWithFewerFiles(state, { ...looking, refusal: open, isPlacedAnew });
    // What was made ready on another past is given up now, also where nothing is needed any more.
    findPrepared(state, snapshot.conversation.head.epoch);
    const isPassing = isClearedOnce(snapshot.conversation.head);
    if (!isPassing && (await actAnyway(state, () => applyLateSummary(state, snapshot)))?.type === "written") continue;
    const mayDrop = !isPassing && attempt <= ATTEMPTS && done.length === 0;
    const dropped = mayDrop ? await actAnyway(state, () => compactInEmergency(state, snapshot, waiting)) : undefined;
    if (dropped?.type === "written") done.push(dropped.report);
    if (dropped?.type === "written" || dropped?.type === "again") continue;
    const need = findNeed(snapshot, settings.phase === "pre-request" && !isPassing);
    asked ??= need;
    const finish = { request, snapshot, need, asked, compactions: done };
    if (need.need === "none") return finish;
    const isOver = attempt > ATTEMPTS || done.length >= settings.maxCompactionsPerPrompt;
    if (isPassing || isOver || !settings.enabled) {
      return shrinkToLimit(state, finish);
    }
    const acted = await actAnyway(state, () =>
      compactForNeed(state, { snapshot, need, phase: "pre-request", waiting }),
    );
    if (acted.type === "view-only" && leavesChanges(acted.view, snapshot)) {
      isPlacedAnew = true;
      continue;
    }
    if (acted.type === "view-only") return { ...finish, ...passing(acted) };
    if (acted.type === "held") {
      const held = { ...finish, gate: acted.gate, held: acted.reason };
      return shrinkToLimit(state, held);
    }
    if (acted.type === "written") {
      done.push(acted.report);
      open = undefined;
      const again = await passOnceMore(state, { ...looking, refusal: undefined }, waiting);
      if (again?.type === "written") done.push(again.report);
    }
  }
}

/** A policy that compacts after replies has files give way first; for others that is the last resort. */
export async function measureWithFewerFiles(state: SessionState, looking: MeasureOptions): Promise<SessionSnapshot> {
  const snapshot = await measureSession(state, looking);
  if (looking.settings.phase !== "post-response") return snapshot;
  const workspace = shedByEstimate(state, snapshot);
  return workspace === undefined ? snapshot : measureSession(state, { ...looking, workspace });
}

/** A store that does not take a compaction has rolled it back: whoever asks still gets an answer from all there is. */
async function actAnyway<Result>(state: SessionState, act: () => Promise<Result>): Promise<Result | CompactionOutcome> {
  try {
    return await act();
  } catch (error) {
    if (!isOfStore(error)) throw error;
    state.warn(`A compaction could not be stored, and nothing was changed: ${error.message}`);
    return { type: "held", reason: "the store did not take it", gate: undefined };
  }
}

/** Not what the policy insists on, nor a mistake in this program; rules of a database's owner come as they are. */
function isOfStore(error: unknown): error is Error {
  if (error instanceof PalimpsestError) return error.code === "store-unavailable";
  return error instanceof Error && !(error instanceof TypeError);
}

async function passOnceMore(
  state: SessionState,
  looking: MeasureOptions,
  waiting: CallerWait,
): Promise<CompactionOutcome | undefined> {
  if (!looking.settings.summary.secondPass) return undefined;
  const snapshot = await measureSession(state, looking);
  return runSecondPass(state, { snapshot, need: findNeed(snapshot, false), phase: "pre-request", waiting });
}

/** Whether a prompt has to be made smaller. One that is full to the token need not be. */
export function exceedsLimit({ snapshot, need }: ReadyPrompt): boolean {
  return need.need === "hard" && snapshot.promptTokens > snapshot.limits.limitTokens;
}

/** Makes a prompt smaller that does not fit, for this request alone. */
export async function shrinkToLimit(state: SessionState, finish: ReadyPrompt): Promise<ReadyPrompt> {
  if (!exceedsLimit(finish)) return finish;
  const { snapshot, need } = finish;
  const asks = snapshot.settings.enabled && snapshot.settings.summary.onFailure === "offline" ? "code" : "nobody";
  const options = { ...createCompactOptions({ snapshot, need, phase: "pre-request" }), asks } as const;
  const { view, head } = snapshot.conversation;
  const made = await shareTemporaryView({ head, options }, async () => {
    const signal = new AbortController().signal;
    const { outcome, attempts } = await propose(view, options, { context: state.context, sessionId: state.id, signal });
    return outcome.type === "nothing" ? undefined : applyToView(view, outcome, { options, attempts });
  });
  return made === undefined ? finish : { ...finish, ...passing(made) };
}

/** Whether a smaller view lacks notes on a workspace that stays as it was placed. */
function leavesChanges({ notes }: View, { conversation, workspace }: SessionSnapshot): boolean {
  return workspace?.frozen !== undefined && notes.length < conversation.view.notes.length;
}

function passing({ view, report }: { readonly view: View; readonly report: CompactionReport }) {
  return { passing: { view, report } };
}
