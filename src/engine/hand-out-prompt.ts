/**
 * From a conversation to a prompt: make it fit, put instructions and notes around it, name what moved since the last
 * one, and leave a request entry. A preview does all of that and leaves nothing.
 */
import { computeBudget, type Meter, readMeter } from "../core/budget/budget.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { RequestEntry } from "../core/log/entry.ts";
import { isClearedOnce } from "../core/log/head.ts";
import type { View } from "../core/log/view.ts";
import type { Message } from "../core/message/message.ts";
import type { GateVerdict } from "../core/plan/economic-gate.ts";
import { makePlan } from "../core/plan/plan.ts";
import type { RefusalFacts } from "../core/plan/triggers/trigger-facts.ts";
import { type Assembler, startAssembly } from "../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { actOnNeed } from "./act-on-need.ts";
import { applyToView, type CompactionReport, propose } from "./compact.ts";
import { type Acted, type Action, optionsOf } from "./compact-now.ts";
import { findBreakpoints } from "./find-breakpoints.ts";
import { findChanges, printSections } from "./find-changes.ts";
import { type FoundNeed, findNeed, type Moment } from "./find-need.ts";
import { changesView, limitView } from "./limit-view.ts";
import { type Looking, lookAt, modelOf, readyFor } from "./look-at.ts";
import { findReady } from "./prepare-compaction.ts";
import { createPrompt, type Prompt, type PromptReport } from "./prompt.ts";
import type { PromptRequest } from "./prompt-request.ts";
import { countNow, type Limits, type Measure } from "./prompt-size.ts";
import { passAgain } from "./second-pass.ts";
import type { SessionState } from "./session-state.ts";

/** Others may write between our reading and writing; after so many times the request is served from its own view. */
const ATTEMPTS = 5;

export async function handOutPrompt(
  state: SessionState,
  request: PromptRequest,
  refusal?: RefusalFacts | undefined,
): Promise<Prompt> {
  const ready = await readyFor(state, request);
  const { settings } = ready;
  const done: CompactionReport[] = [];
  let open = refusal;
  let asked: FoundNeed | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const moment = await lookAt(state, { ...ready, refusal: open });
    // What was made ready on another past is given up now, also where nothing is needed any more.
    findReady(state, moment.conversation.head.epoch);
    const isPassing = request.preview === true || isClearedOnce(moment.conversation.head);
    const need = findNeed(moment, settings.phase === "pre-request" && !isPassing);
    asked ??= need;
    const finish = { request, moment, need, asked, compactions: done };
    if (need.need === "none") return finishPrompt(state, finish);
    const isOver = attempt > ATTEMPTS || done.length >= settings.maxCompactionsPerPrompt;
    if (isPassing || isOver || !settings.enabled) {
      return finishPrompt(state, need.need === "hard" ? await shrunk(state, finish) : finish);
    }
    const acted = await actAnyway(state, { moment, need, phase: "pre-request" });
    if (acted.type === "view-only") return finishPrompt(state, { ...finish, ...passing(acted) });
    if (acted.type === "held") {
      const held = { ...finish, gate: acted.gate, held: acted.reason };
      return finishPrompt(state, need.need === "hard" ? await shrunk(state, held) : held);
    }
    if (acted.type === "written") {
      done.push(acted.report);
      open = undefined;
      const again = await passOnceMore(state, { ...ready, refusal: undefined });
      if (again?.type === "written") done.push(again.report);
    }
  }
}

/** A store that does not take a compaction has rolled it back: whoever asks still gets an answer from all there is. */
async function actAnyway(state: SessionState, action: Action): Promise<Acted> {
  try {
    return await actOnNeed(state, action);
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

async function passOnceMore(state: SessionState, looking: Looking): Promise<Acted | undefined> {
  if (!looking.settings.summary.secondPass) return undefined;
  const moment = await lookAt(state, looking);
  return passAgain(state, { moment, need: findNeed(moment, false), phase: "pre-request" });
}

/** For this request alone, where it does not fit: one that is full to the token was looked at already. */
async function shrunk(state: SessionState, finish: Finish): Promise<Finish> {
  const { moment, need } = finish;
  if (moment.promptTokens <= moment.limits.limitTokens) return finish;
  const asks = moment.settings.enabled && moment.settings.summary.onFailure === "offline" ? "code" : "nobody";
  const options = { ...optionsOf({ moment, need, phase: "pre-request" }), asks } as const;
  const signal = new AbortController().signal;
  const { outcome, attempts } = await propose(moment.conversation.view, options, {
    context: state.context,
    sessionId: state.id,
    signal,
  });
  if (outcome.type === "nothing") return finish;
  return { ...finish, ...passing(applyToView(moment.conversation.view, outcome, { options, attempts })) };
}

function passing({ view, report }: { readonly view: View; readonly report: CompactionReport }) {
  return { passing: { view, report } };
}

interface Finish {
  readonly request: PromptRequest;
  readonly moment: Moment;
  readonly need: FoundNeed;
  /** What was needed before anything was done about it. */
  readonly asked: FoundNeed;
  /** What was written to the log on the way. */
  readonly compactions: readonly CompactionReport[];
  /** A smaller view made for this request. */
  readonly passing?: { readonly view: View; readonly report: CompactionReport } | undefined;
  readonly gate?: GateVerdict | undefined;
  /** Why a need was not acted on. */
  readonly held?: string | undefined;
}

async function finishPrompt(state: SessionState, finish: Finish): Promise<Prompt> {
  const { request, moment, need, compactions } = finish;
  const { conversation, limits, measure, settings } = moment;
  const view = limitView(finish.passing?.view ?? conversation.view, settings, measure);
  const isOwnView = view === conversation.view || (finish.passing === undefined && !changesView(settings));
  const assembler = isOwnView ? conversation.assembler : startAssembly(view, measure.counts.count, measure.renderer);
  const { calibration, counts, surroundings } = measure;
  const countedTokens = countNow(assembler, surroundings);
  const sections = printSections(assembler, { request, measure });
  const provider = request.provider ?? "ai-sdk";
  const model = modelOf(request, limits);
  const changes = findChanges(conversation.head, { assembler, sections, provider, model, isOwnView });
  const promptId = state.context.ids.prompt();
  const tokens = applyCalibration(calibration, countedTokens);
  const warnings = [limits.warning, warnUnreadable(conversation.unreadableCount)].filter((text) => text !== undefined);
  if (request.preview !== true) {
    const counterId = counts.id;
    const { factor } = calibration;
    const size = { counterId, countedTokens, factor, exact: counts.counter.exact, armed: need.armed };
    const facts = { promptId, viewEpoch: conversation.head.epoch, model, provider, ...size, sections, changes };
    const stamp = { id: promptId, at: state.context.clock.now() };
    await state.append([{ type: "request", ...stamp, ...facts } satisfies Omit<RequestEntry, "seq">]);
    for (const warning of warnings) state.warn(warning);
    state.context.emitter.emit("prompt", { sessionId: state.id, promptId, tokens, limitTokens: limits.limitTokens });
  }
  const compaction = finish.passing?.report ?? compactions.at(-1);
  const { asked } = finish;
  const decision = { need: asked.need, fired: asked.fired, suppressed: asked.suppressed };
  const gate = finish.gate ?? compaction?.gate;
  const report: PromptReport = {
    sessionId: state.id,
    promptId,
    epoch: view.head.epoch,
    counter: { id: counts.id, exact: counts.counter.exact, factor: calibration.factor },
    tokens,
    limitTokens: limits.limitTokens,
    windowTokens: limits.windowTokens,
    reserveTokens: limits.reserveTokens,
    meter: meterOf(limits, { tokens, measure, preambleTokens: assembler.sectionTotal("instructions").tokens }),
    sections: sections.map(({ name, tokens: counted }) => ({ name, tokens: counted })),
    changes,
    volatileBlocks: countVolatile(assembler, request.notes),
    compaction,
    compactions,
    repairs: assembler.repairs.slice(),
    warnings,
    policy: settings.name,
    relaxedLaws: settings.relaxedLaws,
    summary: summaryOf(view),
    get plan() {
      return {
        ...makePlan(conversation.explain(view)),
        need: decision,
        gate,
        held: compaction === undefined ? finish.held : undefined,
        relaxedLaws: settings.relaxedLaws,
      };
    },
  };
  const breakpoints =
    request.breakpoints === false
      ? []
      : findBreakpoints({ assembler, head: conversation.head, limits, measure, provider });
  return createPrompt(
    { instructions: request.instructions, messages: shownMessages(assembler, request.notes), breakpoints },
    report,
  );
}

function warnUnreadable(count: number): string | undefined {
  if (count === 0) return undefined;
  const [what, where] = count === 1 ? ["1 message", "it stood"] : [`${count} messages`, "they stood"];
  return `${what} could not be read from the store; the prompt says so where ${where}.`;
}

/** The live summary, as whoever keeps results of its own needs it: the round it ends with, and its text. */
function summaryOf({ head }: View): PromptReport["summary"] {
  const { summary } = head;
  if (summary === undefined) return undefined;
  return {
    id: summary.id,
    depth: summary.depth,
    throughMessageId: summary.messageIds.at(-1) ?? "",
    toolCallRoundId: summary.lastRoundId ?? "",
    text: summary.text,
  };
}

function countVolatile(assembler: Assembler, notes: string | undefined): number {
  return assembler.countVolatile() + (hasText(notes) ? 1 : 0);
}

function hasText(notes: string | undefined): notes is string {
  return notes !== undefined && notes.trim() !== "";
}

interface MeterFacts {
  readonly tokens: number;
  readonly measure: Measure;
  readonly preambleTokens: number;
}

function meterOf({ windowTokens, reserveTokens }: Limits, { tokens, measure, preambleTokens }: MeterFacts): Meter {
  const { surroundings, calibration } = measure;
  const instructionsTokens = applyCalibration(calibration, surroundings.instructionsTokens + preambleTokens);
  const toolsTokens = applyCalibration(calibration, surroundings.toolsTokens);
  const budget = computeBudget({ windowTokens, reserveTokens, instructionsTokens, toolsTokens });
  return readMeter(budget, Math.max(0, tokens - instructionsTokens - toolsTokens));
}

/** Durable items, stand-ins for open calls, and the notes as the last block of the new message. */
function shownMessages(assembler: Assembler, notes: string | undefined): readonly Message[] {
  const messages = [...assembler.items, ...assembler.closing()].map((item) => item.message);
  if (!hasText(notes)) return messages;
  // A message of its own, so that the one before it is written as it will be in the next prompt; providers that take
  // turns get it as the last block of that one.
  return [...messages, { id: "notes", role: "user", parts: [{ type: "text", text: notes }] }];
}
