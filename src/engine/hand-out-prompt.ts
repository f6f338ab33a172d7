/**
 * From a conversation to a prompt: make it fit, put instructions and notes around it, name what moved since the last
 * one, and leave a request entry. A preview does all of that and leaves nothing.
 */
import type { RequestEntry, SectionChange, SectionPrint } from "../core/log/entry.ts";
import type { Head } from "../core/log/head.ts";
import type { View } from "../core/log/view.ts";
import { hashText } from "../core/message/hash-message.ts";
import type { Message } from "../core/message/message.ts";
import { makePlan } from "../core/plan/plan.ts";
import { type Assembler, startAssembly } from "../core/prompt/assemble-prompt.ts";
import type { SectionName } from "../core/sections/section.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { type CompactionReport, compact, shrinkForRequest } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import type { SizeOptions } from "./engine-context.ts";
import { createPrompt, type Prompt, type PromptReport } from "./prompt.ts";
import { calibrationFor, findLimits, type Limits, loadCounts, type Measure, sumOf } from "./prompt-size.ts";
import type { SessionState } from "./session-state.ts";

export interface PromptRequest extends SizeOptions {
  readonly instructions?: string | undefined;
  /** Tool definitions: a list, or a record by name. They are counted, not sent from here. */
  readonly tools?: unknown;
  /** What only this request should know. It becomes the last block of the new message and is not kept. */
  readonly notes?: string | undefined;
  readonly provider?: string | undefined;
  /** Look without leaving a trace: nothing is compacted in the log and no request is written. */
  readonly preview?: boolean | undefined;
  /** A provider has refused a larger one: the prompt may take no more than this, whatever the window is. */
  readonly ceilingTokens?: number | undefined;
}

/** Others may write between our reading and writing; after so many times the request is served from its own view. */
const ATTEMPTS = 5;

export async function handOutPrompt(state: SessionState, request: PromptRequest): Promise<Prompt> {
  const limits = lowerLimits(await findLimits(state.context, request), request.ceilingTokens);
  await useCounter(state, request);
  let compaction: CompactionReport | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const conversation = await state.current();
    const measure = measureFor(conversation, { request, limits });
    if (estimateNow(conversation.assembler, measure) <= limits.limitTokens) {
      return finishPrompt(state, { request, limits, measure, conversation, view: conversation.view, compaction });
    }
    const { settings } = state.context;
    const options = { limits, measure, settings, reason: "the prompt would not fit" };
    if (request.preview === true || !settings.enabled || attempt >= ATTEMPTS) {
      const { view, report } = await shrinkForRequest(conversation.view, options);
      return finishPrompt(state, { request, limits, measure, conversation, view, compaction: report });
    }
    compaction = (await compact(state, conversation, options)) ?? compaction;
  }
}

function lowerLimits(limits: Limits, ceilingTokens = Number.POSITIVE_INFINITY): Limits {
  return { ...limits, limitTokens: Math.min(limits.limitTokens, ceilingTokens) };
}

async function useCounter(state: SessionState, request: PromptRequest): Promise<void> {
  if (request.model === undefined && request.counter === undefined) return;
  const counts = await loadCounts(state.context, request);
  if (counts.id !== state.counts.id) state.countWith(counts);
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
    const size = { counterId, countedTokens, factor };
    const facts = { promptId, viewEpoch: conversation.head.epoch, model, provider, ...size, sections, changes };
    const stamp = { id: promptId, at: state.context.clock.now() };
    await state.append([{ type: "request", ...stamp, ...facts } satisfies Omit<RequestEntry, "seq">]);
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

/** Durable items, stand-ins for open calls, and the notes as the last block of the new message. */
function shownMessages(assembler: Assembler, notes: string | undefined): readonly Message[] {
  const messages = [...assembler.items, ...assembler.closing()].map((item) => item.message);
  if (!hasText(notes)) return messages;
  const last = messages.at(-1);
  const note = { type: "text", text: notes } as const;
  if (last?.role !== "user") return [...messages, { id: "notes", role: "user", parts: [note] }];
  return [...messages.slice(0, -1), { ...last, parts: [...last.parts, note] }];
}

function printSections(
  assembler: Assembler,
  { request, measure }: { readonly request: PromptRequest; readonly measure: Measure },
): readonly SectionPrint[] {
  const { instructionsTokens, toolsTokens, notesTokens } = measure.surroundings;
  const preamble = assembler.sectionTotal("instructions");
  const tools = request.tools === undefined ? "" : measure.counts.countTools(request.tools).hash;
  const conversation = (["summary", "pinned", "history"] as const).map((name) => ({
    name,
    ...assembler.sectionTotal(name),
  }));
  return [
    {
      name: "instructions",
      hash: hashText(`${request.instructions ?? ""}\n${preamble.hash}`),
      tokens: instructionsTokens + preamble.tokens,
    },
    { name: "tools", hash: tools, tokens: toolsTokens },
    ...conversation,
    { name: "notes", hash: "", tokens: notesTokens },
  ];
}

interface ChangeFacts {
  readonly assembler: Assembler;
  readonly sections: readonly SectionPrint[];
  readonly provider: string;
  readonly model: string | undefined;
  readonly isOwnView: boolean;
}

/** Sections whose bytes are not a continuation of what the last prompt had, the first one first. */
function findChanges(head: Head, facts: ChangeFacts): readonly SectionChange[] {
  const last = head.lastRequest;
  if (last === undefined) return [];
  if (last.provider !== facts.provider || last.model !== facts.model) {
    return [{ section: "instructions", reason: "the prompt is for another model or provider" }];
  }
  return facts.sections.flatMap((section): SectionChange[] => {
    const before = last.sections.find((candidate) => candidate.name === section.name);
    if (before === undefined || continues(section, before, facts.assembler)) return [];
    return [{ section: section.name, ...reasonFor(section.name, head, facts.isOwnView) }];
  });
}

function continues(now: SectionPrint, before: SectionPrint, assembler: Assembler): boolean {
  if (now.name !== "history" || before.units === undefined) return now.hash === before.hash;
  return assembler.chainAt(now.name, before.units) === before.hash;
}

function reasonFor(section: SectionName, head: Head, isOwnView: boolean): Omit<SectionChange, "section"> {
  if (section === "tools") return { reason: "other tools were given" };
  if (section === "instructions" && head.lastRequest?.viewEpoch === head.epoch)
    return { reason: "other instructions were given" };
  if (!isOwnView) return { reason: "the view was made smaller for this request only" };
  if (head.lastRequest?.viewEpoch === head.epoch) return { reason: "the request before had a view of its own" };
  const step = [head.undoable.at(-1), head.redoable.at(-1)].find((candidate) => candidate !== undefined);
  return { reason: `an entry changed the view${step === undefined ? "" : `: ${step.type}`}`, entryId: step?.entryId };
}
