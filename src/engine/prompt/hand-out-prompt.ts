/**
 * From a conversation to a prompt that fits: look at what is there, find out what is needed, act on it, look again.
 * Where nothing more can be made smaller, files that stand beside the conversation are left out.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { isClearedOnce } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { actInEmergency } from "../compaction/act-in-emergency.ts";
import { actOnNeed } from "../compaction/act-on-need.ts";
import { applyLate } from "../compaction/apply-late.ts";
import { applyToView, type CompactionReport, propose } from "../compaction/compact.ts";
import { type Acted, optionsOf } from "../compaction/compact-now.ts";
import { findReady } from "../compaction/prepare-compaction.ts";
import { passAgain } from "../compaction/second-pass.ts";
import { floorOfError } from "../context/floor-of-error.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import { throwIfAborted } from "../context/throw-if-aborted.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type FoundNeed, findNeed, type Moment } from "../state/find-need.ts";
import { type Looking, lookAt, readyFor } from "../state/look-at.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/gathered-workspace.ts";
import { type Finish, finishPrompt } from "./finish-prompt.ts";
import { findPassing } from "./passing-view.ts";
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

interface Asked extends Pick<Looking, "request"> {
  readonly refusal?: RefusalFacts | undefined;
  readonly waiting: CallerWait;
}

/** All but the last steps. */
async function makeReady(state: SessionState, { request, refusal, waiting }: Asked): Promise<Finish> {
  const ready = await readyFor(state, request);
  let workspace: GatheredWorkspace | undefined = await state.workspace.gather();
  for (;;) {
    const looking = { ...ready, refusal, workspace };
    try {
      return await makeFit(state, looking, waiting);
    } catch (error) {
      const floor = floorOfError(error);
      if (floor === undefined) throw error;
      const lighter = shedBelow(state, await lookAt(state, looking), floor);
      if (lighter === undefined) throw error;
      workspace = lighter;
    }
  }
}

async function makeFit(state: SessionState, looking: Looking, waiting: CallerWait): Promise<Finish> {
  const { request, settings } = looking;
  const done: CompactionReport[] = [];
  let open = looking.refusal;
  let asked: FoundNeed | undefined;
  let isPlacedAnew = false;
  for (let attempt = 1; ; attempt += 1) {
    const moment = await lightMoment(state, { ...looking, refusal: open, isPlacedAnew });
    // What was made ready on another past is given up now, also where nothing is needed any more.
    findReady(state, moment.conversation.head.epoch);
    const isPassing = isClearedOnce(moment.conversation.head);
    if (!isPassing && (await actAnyway(state, () => applyLate(state, moment)))?.type === "written") continue;
    const mayDrop = !isPassing && attempt <= ATTEMPTS && done.length === 0;
    const dropped = mayDrop ? await actAnyway(state, () => actInEmergency(state, moment, waiting)) : undefined;
    if (dropped?.type === "written") done.push(dropped.report);
    if (dropped?.type === "written" || dropped?.type === "again") continue;
    const need = findNeed(moment, settings.phase === "pre-request" && !isPassing);
    asked ??= need;
    const finish = { request, moment, need, asked, compactions: done };
    if (need.need === "none") return finish;
    const isOver = attempt > ATTEMPTS || done.length >= settings.maxCompactionsPerPrompt;
    if (isPassing || isOver || !settings.enabled) {
      return shrinkToLimit(state, finish);
    }
    const acted = await actAnyway(state, () => actOnNeed(state, { moment, need, phase: "pre-request", waiting }));
    if (acted.type === "view-only" && leavesChanges(acted.view, moment)) {
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
export async function lightMoment(state: SessionState, looking: Looking): Promise<Moment> {
  const moment = await lookAt(state, looking);
  if (looking.settings.phase !== "post-response") return moment;
  const workspace = shedByEstimate(state, moment);
  return workspace === undefined ? moment : lookAt(state, { ...looking, workspace });
}

/** A store that does not take a compaction has rolled it back: whoever asks still gets an answer from all there is. */
async function actAnyway<Result>(state: SessionState, act: () => Promise<Result>): Promise<Result | Acted> {
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

async function passOnceMore(state: SessionState, looking: Looking, waiting: CallerWait): Promise<Acted | undefined> {
  if (!looking.settings.summary.secondPass) return undefined;
  const moment = await lookAt(state, looking);
  return passAgain(state, { moment, need: findNeed(moment, false), phase: "pre-request", waiting });
}

/** Whether a prompt has to be made smaller. One that is full to the token need not be. */
export function exceedsLimit({ moment, need }: Finish): boolean {
  return need.need === "hard" && moment.promptTokens > moment.limits.limitTokens;
}

/** Makes a prompt smaller that does not fit, for this request alone. */
export async function shrinkToLimit(state: SessionState, finish: Finish): Promise<Finish> {
  if (!exceedsLimit(finish)) return finish;
  const { moment, need } = finish;
  const asks = moment.settings.enabled && moment.settings.summary.onFailure === "offline" ? "code" : "nobody";
  const options = { ...optionsOf({ moment, need, phase: "pre-request" }), asks } as const;
  const { view, head } = moment.conversation;
  const made = await findPassing({ head, options }, async () => {
    const signal = new AbortController().signal;
    const { outcome, attempts } = await propose(view, options, { context: state.context, sessionId: state.id, signal });
    return outcome.type === "nothing" ? undefined : applyToView(view, outcome, { options, attempts });
  });
  return made === undefined ? finish : { ...finish, ...passing(made) };
}

/** Whether a smaller view lacks notes on a workspace that stays as it was placed. */
function leavesChanges({ notes }: View, { conversation, workspace }: Moment): boolean {
  return workspace?.frozen !== undefined && notes.length < conversation.view.notes.length;
}

function passing({ view, report }: { readonly view: View; readonly report: CompactionReport }) {
  return { passing: { view, report } };
}
