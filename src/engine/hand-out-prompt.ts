/**
 * From a conversation to a prompt: make it fit, put instructions and notes around it, name what moved since the last
 * one, and leave a request entry. A preview does all of that and leaves nothing.
 */
import { computeBudget, type Meter, readMeter } from "../core/budget/budget.ts";
import type { RequestEntry } from "../core/log/entry.ts";
import { isClearedOnce } from "../core/log/head.ts";
import type { View } from "../core/log/view.ts";
import type { Message } from "../core/message/message.ts";
import { makePlan } from "../core/plan/plan.ts";
import { type Assembler, startAssembly } from "../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { breathe } from "./breathe.ts";
import { type CompactionReport, compact, shrinkForRequest } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import { findChanges, printSections } from "./find-changes.ts";
import { createPrompt, type Prompt, type PromptReport } from "./prompt.ts";
import type { PromptRequest } from "./prompt-request.ts";
import { calibrationFor, findLimits, type Limits, loadCounts, type Measure, sumOf } from "./prompt-size.ts";
import type { SessionState } from "./session-state.ts";

/** Others may write between our reading and writing; after so many times the request is served from its own view. */
const ATTEMPTS = 5;

export async function handOutPrompt(state: SessionState, request: PromptRequest): Promise<Prompt> {
  const limits = lowerLimits(await findLimits(state.context, request), request.ceilingTokens);
  await useCounter(state, request);
  let compaction: CompactionReport | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const current = await state.current();
    const conversation = request.next === undefined ? current : await lookAhead(current, request.next);
    if (request.instructions !== undefined) await breathe(conversation.counts.countTextInSteps(request.instructions));
    const measure = measureFor(conversation, { request, limits });
    if (estimateNow(conversation.assembler, measure) <= limits.limitTokens) {
      return finishPrompt(state, { request, limits, measure, conversation, view: conversation.view, compaction });
    }
    const { settings } = state.context;
    const options = { limits, measure, settings, reason: "the prompt would not fit" };
    const isPassing = request.preview === true || isClearedOnce(conversation.head);
    if (isPassing || !settings.enabled || attempt >= ATTEMPTS) {
      const { view, report } = await shrinkForRequest(conversation.view, options);
      return finishPrompt(state, { request, limits, measure, conversation, view, compaction: report });
    }
    compaction = (await compact(state, conversation, options)) ?? compaction;
  }
}

/** The conversation as it would be with a few more messages, for a prompt that leaves no trace. */
async function lookAhead(conversation: Conversation, next: readonly Message[]): Promise<Conversation> {
  for (const message of next) await breathe(conversation.counts.countInSteps(message));
  return conversation.withMessages(next);
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
  { request, limits }: { readonly request: PromptRequest; readonly limits: Limits },
): Measure {
  const { counts } = conversation;
  const surroundings = {
    instructionsTokens: request.instructions === undefined ? 0 : counts.countText(request.instructions),
    toolsTokens: request.tools === undefined ? 0 : counts.countTools(request.tools).tokens,
    notesTokens: request.notes === undefined ? 0 : counts.countText(request.notes),
  };
  const calibration = calibrationFor(conversation.view, { limits, model: modelOf(request, limits) });
  return { counts, surroundings, calibration };
}

function modelOf(request: PromptRequest, limits: Limits): string | undefined {
  return request.model ?? limits.model;
}

function estimateNow(assembler: Assembler, { surroundings, calibration }: Measure): number {
  return applyCalibration(calibration, countNow(assembler, surroundings));
}

function countNow(assembler: Assembler, surroundings: Measure["surroundings"]): number {
  const closing = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  return assembler.tokens + closing + sumOf(surroundings);
}

interface Finish {
  readonly request: PromptRequest;
  readonly limits: Limits;
  readonly measure: Measure;
  readonly conversation: Conversation;
  /** What is shown: the conversation's own view, or a smaller one made for this request. */
  readonly view: View;
  readonly compaction: CompactionReport | undefined;
}

async function finishPrompt(state: SessionState, finish: Finish): Promise<Prompt> {
  const { request, limits, measure, conversation, view, compaction } = finish;
  const isOwnView = compaction === undefined || compaction.isRecorded;
  const assembler = isOwnView ? conversation.assembler : startAssembly(view, measure.counts.count);
  const { calibration, counts, surroundings } = measure;
  const countedTokens = countNow(assembler, surroundings);
  const sections = printSections(assembler, { request, measure });
  const provider = request.provider ?? "ai-sdk";
  const model = modelOf(request, limits);
  const changes = findChanges(conversation.head, { assembler, sections, provider, model, isOwnView });
  const promptId = state.context.ids.prompt();
  const tokens = applyCalibration(calibration, countedTokens);
  if (request.preview !== true) {
    const counterId = counts.id;
    const { factor } = calibration;
    const size = { counterId, countedTokens, factor, exact: counts.counter.exact };
    const facts = { promptId, viewEpoch: conversation.head.epoch, model, provider, ...size, sections, changes };
    const stamp = { id: promptId, at: state.context.clock.now() };
    await state.append([{ type: "request", ...stamp, ...facts } satisfies Omit<RequestEntry, "seq">]);
    if (limits.warning !== undefined) state.warn(limits.warning);
    state.context.emitter.emit("prompt", { sessionId: state.id, promptId, tokens, limitTokens: limits.limitTokens });
  }
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
    repairs: assembler.repairs.slice(),
    warnings: limits.warning === undefined ? [] : [limits.warning],
    relaxedLaws: [],
    get plan() {
      return makePlan(view);
    },
  };
  return createPrompt(
    { instructions: request.instructions, messages: shownMessages(assembler, request.notes) },
    report,
  );
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
