/** Submits and runs the job of a session. Failures are thrown, so that the job is retried. */
import type { PromptRequest } from "../context/prompt-request.ts";
import { endsGeneration } from "../state/append-messages.ts";
import { type CompactOptions, findNeed } from "../state/find-need.ts";
import { measureRequest } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import { finishPreparation, startPreparation } from "./compact-for-prompt.ts";
import { compactNow } from "./compact-now.ts";
import { type CompactionTask, createCompactOptions, weighFold } from "./plan-compaction.ts";

export interface JobRun {
  readonly lastRequest: PromptRequest | undefined;
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
}

export async function runJob(state: SessionState, { lastRequest, inTurn, signal }: JobRun): Promise<void> {
  const planned = state.preparation.startPlanned();
  if (planned !== undefined) return planned;
  const request = lastRequest ?? (await inTurn(() => recallRequest(state)));
  if (findPhase(state, request) === "pre-request") {
    return inTurn(() => compactAhead(state, { request, lastRequest, signal }));
  }
  try {
    const { done } = await inTurn(() => startAfterReply(state, request, signal));
    await (done ?? state.preparation.wait());
    await inTurn(async () => finishPreparation(state, await createTask(state, request)));
  } finally {
    await state.preparation.releaseLease();
  }
}

/** Writes a compaction that was prepared while no call ran. */
export async function applyInBackground(state: SessionState, request: PromptRequest): Promise<void> {
  await finishPreparation(state, await createTask(state, request));
}

/** Whether a job would find work. Costs a pass over the view. */
export async function isJobDue(state: SessionState): Promise<boolean> {
  const request = await recallRequest(state);
  const task = await createTask(state, request);
  if (findPhase(state, request) === "pre-request") return findWorthwhileOptions(state, task) !== undefined;
  const { messages } = task.snapshot.conversation.view;
  return endsGeneration(messages.slice(-1).map(({ message }) => message)) && isDueAfterReply(state, task);
}

function findPhase({ context }: SessionState, { model }: PromptRequest): "pre-request" | "post-response" {
  return context.settingsFor(model ?? context.defaults.model).phase;
}

/** Returns the request of the last prompt as far as the log has it: without instructions and tools. */
async function recallRequest(state: SessionState): Promise<PromptRequest> {
  if (state.context.defaults.model !== undefined) return {};
  const { head } = await state.current();
  return { model: head.requests.at(-1)?.model };
}

/** Starts a compaction. Wraps its promise in an object, so that the session's turn does not wait for it. */
async function startAfterReply(state: SessionState, request: PromptRequest, signal: AbortSignal) {
  const task = { ...(await createTask(state, request)), signal };
  return { done: isDueAfterReply(state, task) ? startPreparation(state, task) : undefined };
}

function isDueAfterReply(state: SessionState, task: CompactionTask): boolean {
  const { settings } = task.snapshot;
  if (task.need.need === "none" || !settings.enabled || settings.phase !== "post-response") return false;
  return !lacksTopicDetector(state, task);
}

/** Whether the policy needs a topic boundary from a model first, and there is no such model. */
export function lacksTopicDetector({ context }: SessionState, { snapshot }: CompactionTask): boolean {
  const { mode, detector } = snapshot.settings.topics;
  if (mode !== "first" || detector !== "model") return false;
  return context.topicDetector === undefined && context.summarizerFor === undefined;
}

/** A hard need becomes soft, because only the next prompt determines what else it contains. */
async function createTask(state: SessionState, request: PromptRequest): Promise<CompactionTask> {
  const snapshot = await measureRequest(state, request);
  if (snapshot.fullLimits.warning !== undefined) state.warn(snapshot.fullLimits.warning);
  const need = findNeed(snapshot, true);
  return { snapshot, need: need.need === "hard" ? { ...need, need: "soft" } : need, phase: "post-response" };
}

async function compactAhead(
  state: SessionState,
  { request, lastRequest, signal }: Omit<JobRun, "inTurn"> & { readonly request: PromptRequest },
): Promise<void> {
  const task = await createTask(state, request);
  const options = findWorthwhileOptions(state, task);
  if (options === undefined) return;
  const { ownPrompt } = options;
  await compactNow(state, { ...task, signal }, { ...options, ownPrompt: lastRequest && ownPrompt });
}

function findWorthwhileOptions(state: SessionState, task: CompactionTask): CompactOptions | undefined {
  const { settings } = task.snapshot;
  if (task.need.need === "none" || !settings.enabled || !settings.gate) return undefined;
  const options: CompactOptions = { ...createCompactOptions(task), phase: "background" };
  const { gate, isWorthwhile } = weighFold(state, task, options);
  return isWorthwhile ? { ...options, gate } : undefined;
}

export class FollowUp {
  readonly #state: SessionState;
  #submitted: Promise<void> = Promise.resolve();
  #isPausing = false;

  constructor(state: SessionState) {
    this.#state = state;
  }

  schedule(request: PromptRequest): void {
    const { id, context } = this.#state;
    const { phase, pauseMs } = context.settingsFor(request.model ?? context.defaults.model);
    // A job that has not started yet will see the new messages too.
    if (phase !== "post-response" || this.#isPausing) return;
    this.#isPausing = pauseMs > 0;
    this.#submitted = (async () => {
      if (pauseMs > 0) await context.sleep(pauseMs);
      this.#isPausing = false;
      await context.jobs?.submit(id);
    })();
  }

  /** Resolves when the job is submitted, and has ended if this process runs jobs. */
  async settle(): Promise<void> {
    await this.#submitted;
    await this.#state.context.jobs?.settle(this.#state.id);
  }
}
