/**
 * The last steps of a prompt: put instructions, workspace and notes around the conversation, name what moved since the
 * prompt before, leave a request entry, and report how it came about. A preview leaves nothing.
 */
import { computeBudget, type Meter, readMeter } from "../../core/budget/budget.ts";
import type { EntryDraft, PromptId, RequestEntry, SectionChange, SectionPrint } from "../../core/log/entry.ts";
import type { View } from "../../core/log/view.ts";
import { hashText } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { changesView } from "../../core/plan/adapt-settings.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { createPlan, type Plan } from "../../core/plan/plan.ts";
import { type AssembledPrompt, startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { type RenderTarget, renderPrompt } from "../../core/prompt/render/render-prompt.ts";
import { type LeftOutThinking, printPrompt, type ThinkingWalk } from "../../core/prompt/walk-thinking.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { CompactionReport } from "../compaction/write-proposal.ts";
import { type PromptRequest, readNote } from "../context/prompt-request.ts";
import { countNote, countNow, type Limits, type Measure } from "../context/prompt-size.ts";
import type { SessionNeed, SessionSnapshot } from "../state/find-need.ts";
import { chooseModel } from "../state/measure-session.ts";
import {
  createThinkingMemo,
  findLeftOut,
  joinInstructions,
  orderMessages,
  type PreservedPrompt,
  preserveThinking,
  reportThinking,
  type ThinkingReport,
} from "../state/preserve-thinking.ts";
import type { SessionState } from "../state/session-state.ts";
import { describeTiers, describeWorkspace } from "../workspace/describe-workspace.ts";
import { placeAround } from "../workspace/place-workspace.ts";
import { keepFrozen, type WeighedWorkspace } from "../workspace/workspace-content.ts";
import { findBreakpoints, wantsBreakpoints } from "./find-breakpoints.ts";
import { findChanges, printSections } from "./find-changes.ts";
import { limitView } from "./limit-view.ts";
import { createPrompt, type NoteReport, type Prompt, type PromptContent, type PromptReport } from "./prompt.ts";
import { describeShed, shedNote } from "./shed-files.ts";

export interface ReadyPrompt {
  readonly request: PromptRequest;
  readonly snapshot: SessionSnapshot;
  readonly need: SessionNeed;
  /** What was needed before anything was done about it. */
  readonly asked: SessionNeed;
  /** What was written to the log on the way. */
  readonly compactions: readonly CompactionReport[];
  /** A smaller view made for this request. */
  readonly passing?: { readonly view: View; readonly report: CompactionReport } | undefined;
  readonly gate?: GateVerdict | undefined;
  /** Why a need was not acted on. */
  readonly held?: string | undefined;
}

export async function finishPrompt(state: SessionState, finish: ReadyPrompt): Promise<Prompt> {
  const made = assemble(state, finish);
  if (finish.request.preview !== true) await record(state, finish, made);
  return createPrompt(contentOf(state, finish, made), reportOf(state, finish, made));
}

/** What is shown of the log: of what was said, as it was made to fit, what the policy sends. */
export function shownView({ snapshot, passing }: ReadyPrompt): View {
  return limitView(passing?.view ?? snapshot.conversation.view, snapshot.settings, snapshot.measure);
}

/** The content of a prompt, assembled and counted. */
interface ShownPrompt {
  readonly view: View;
  readonly assembler: AssembledPrompt;
  readonly isOwnView: boolean;
  readonly placed: WeighedWorkspace | undefined;
  /** Where the model binds thinking to what stood before it. */
  readonly walk: ThinkingWalk | undefined;
  readonly countedTokens: number;
  readonly tokens: number;
}

function show(finish: ReadyPrompt): ShownPrompt {
  const { snapshot, passing } = finish;
  const { conversation, settings, measure, preserved } = snapshot;
  const view = shownView(finish);
  const isOwnView = view === conversation.view || (passing === undefined && !changesView(settings));
  const { assembled: assembler, placed, walk } = isOwnView ? preserved : preserveIn(view, snapshot);
  const countedTokens = countNow(assembler, measure.surroundings);
  const tokens = applyCalibration(measure.calibration, countedTokens);
  return { view, assembler, isOwnView, placed, walk, countedTokens, tokens };
}

/** The same around a view that this prompt alone has. */
function preserveIn(view: View, { measure, workspace }: SessionSnapshot): PreservedPrompt {
  const { counts, renderer, thinking } = measure;
  const assembler = startAssembly(view, counts.count, renderer);
  const placed = workspace && placeAround(workspace, { view, assembler });
  return preserveThinking(assembler, placed, { rules: thinking?.rules, counts, memo: createThinkingMemo() });
}

/** Tokens of the prompt that `finishPrompt` would give. */
export function countFinished(finish: ReadyPrompt): number {
  return show(finish).tokens;
}

/** The plan that `finishPrompt` would report. */
export function planFinished(finish: ReadyPrompt): Plan {
  return planOf(finish, show(finish));
}

/** A prompt before it is recorded and handed out. */
interface PromptDraft extends ShownPrompt {
  readonly promptId: PromptId;
  /** In order, as they are sent. */
  readonly messages: readonly Message[];
  /** Thinking that the model would refuse. */
  readonly leftOut: readonly LeftOutThinking[] | undefined;
  readonly measure: Measure;
  readonly provider: RenderTarget;
  readonly model: string | undefined;
  readonly sections: readonly SectionPrint[];
  readonly changes: readonly SectionChange[];
  readonly warnings: readonly string[];
  readonly note: GivenNote | undefined;
}

/** The notes of the request. */
interface GivenNote extends NoteReport {
  readonly text: string;
}

function assemble(state: SessionState, finish: ReadyPrompt): PromptDraft {
  const { request, snapshot } = finish;
  const { conversation, fullLimits: limits, measure } = snapshot;
  const { memo } = state.workspace;
  const shown = show(finish);
  const { view, assembler, isOwnView, placed, walk } = shown;
  const sections = printSections(assembler, { request, measure, placed, memo });
  const provider = request.provider ?? "ai-sdk";
  const model = chooseModel(request, limits);
  const leftOut = findLeftOut(walk, { view, counts: measure.counts });
  const facts = { assembler, sections, provider, model, isOwnView, placed, memo, leftOut };
  const note = findNote(finish, assembler);
  return {
    ...shown,
    promptId: state.context.ids.prompt(),
    messages: shownMessages(assembler, { note, placed }),
    leftOut,
    measure,
    provider,
    model,
    sections,
    changes: findChanges(conversation.head, facts),
    warnings: warningsOf(snapshot),
    note,
  };
}

/** A note that is shown already is not repeated, whether it was to be kept or not. */
function findNote({ request, snapshot }: ReadyPrompt, assembler: AssembledPrompt): GivenNote | undefined {
  const note = readNote(request);
  if (note === undefined) return undefined;
  const { text } = note;
  const tokens = applyCalibration(snapshot.measure.calibration, countNote(assembler, snapshot.measure.surroundings));
  if (assembler.newestNote === text) return { state: "unchanged", text, tokens: 0 };
  if (note.keep) return { state: "added", text, tokens };
  const cost = `This note is only in this prompt: its ${tokens} tokens are not cached. If the model binds thinking, the thinking in its reply cannot be sent back.`;
  return { state: "once", text, tokens, cost };
}

/** The request entry, with what has moved between the tiers; files that gave way leave the selection with it. */
async function record(state: SessionState, { snapshot, need }: ReadyPrompt, made: PromptDraft): Promise<void> {
  const { promptId, measure, countedTokens, model, provider, sections, changes, placed, warnings, tokens } = made;
  const { walk, messages } = made;
  const { counts, calibration } = measure;
  const size = { counterId: counts.id, countedTokens, factor: calibration.factor, exact: counts.counter.exact };
  const viewEpoch = snapshot.conversation.head.epoch;
  const facts = { promptId, viewEpoch, model, provider, ...size, armed: need.armed, sections, changes };
  const prefix = walk && printPrompt(walk, messages.slice(walk.steps.length));
  const stamp = { id: promptId, at: state.context.clock.now() };
  const tiers = placed?.update?.delta;
  const entry: Omit<RequestEntry, "seq"> = { type: "request", ...stamp, ...facts, prefix, tiers };
  const { shed = [], gone = [] } = snapshot.workspace?.gathered ?? {};
  const notes = [...changeOf(state, snapshot, promptId), ...noteOf(state, snapshot, made)];
  await state.append([...(shed.length === 0 ? [] : [shedNote(state, shed)]), ...notes, entry]);
  if (walk !== undefined && snapshot.workspace !== undefined) {
    state.workspace.freeze(keepFrozen(snapshot.workspace, { promptId, at: stamp.at }));
  }
  for (const path of [...shed.map((file) => file.path), ...gone]) state.workspace.files.remove(path);
  if (placed?.update !== undefined) state.workspace.historyRegistered();
  for (const warning of warnings) state.warn(warning);
  const { limitTokens } = snapshot.fullLimits;
  const { emitter } = state.context;
  if (shed.length > 0) emitter.emit("files-shed", { sessionId: state.id, promptId, files: shed });
  emitter.emit("prompt", { sessionId: state.id, promptId, tokens, limitTokens });
}

/** The note as an entry, for later prompts. A view of this request alone may lack one that the session still shows. */
function noteOf(
  { context }: SessionState,
  { conversation }: SessionSnapshot,
  { note, promptId }: PromptDraft,
): readonly EntryDraft[] {
  if (note?.state !== "added" || conversation.assembler.newestNote === note.text) return [];
  const { ids, clock } = context;
  const stamp = { id: ids.entry("note"), at: clock.now() };
  return [{ type: "note", kind: "prompt", ...stamp, text: note.text, afterSeq: conversation.lastSeq, promptId }];
}

/** What the prompt tells of changes in a workspace that stays as it was placed. */
function changeOf({ context }: SessionState, snapshot: SessionSnapshot, promptId: PromptId): readonly EntryDraft[] {
  const { change, frozen } = snapshot.workspace ?? {};
  if (change === undefined || frozen === undefined) return [];
  const { ids, clock } = context;
  const place = { afterSeq: snapshot.conversation.lastSeq, promptId, sincePromptId: frozen.sincePromptId };
  return [{ type: "note", kind: "prompt", id: ids.entry("note"), at: clock.now(), text: change, ...place }];
}

/** What is sent, and what a provider is told to remember of it. */
function contentOf(state: SessionState, finish: ReadyPrompt, made: PromptDraft): PromptContent {
  const { request, snapshot } = finish;
  const { assembler, measure, provider, placed, messages } = made;
  const { fullLimits: limits, settings } = snapshot;
  const instructions = joinInstructions(request.instructions, placed);
  if (!wantsBreakpoints(finish)) return { instructions, messages };
  const { head } = snapshot.conversation;
  const { memo } = state.workspace;
  const facts = { assembler, head, limits, measure, provider, placed, messages, settings, memo };
  const breakpoints = findBreakpoints(facts);
  if (limits.info.provider !== "openai") {
    return { instructions, messages, breakpoints, marksText: settings.cacheTiers === "document" };
  }
  const cacheKey = hashText(state.id).slice(0, KEY_DIGITS);
  return { instructions, messages, breakpoints, marksFor: "openai", cacheKey };
}

/** Nobody's session is named to a provider. */
const KEY_DIGITS = 32;

function warningsOf({ fullLimits, conversation, workspace }: SessionSnapshot): readonly string[] {
  const { shed = [], gone = [], unread = [] } = workspace?.gathered ?? {};
  return [
    fullLimits.warning,
    warnUnreadable(conversation.unreadableCount),
    workspace?.gathered.warning,
    shed.length === 0 ? undefined : describeShed(shed),
    unread.length === 0 ? undefined : `These files could not be read and are not shown: ${unread.join(", ")}.`,
    gone.length === 0 ? undefined : `These files are not there any more, or may not be shown: ${gone.join(", ")}.`,
  ].filter((text) => text !== undefined);
}

function compactionOf({ passing, compactions }: ReadyPrompt): CompactionReport | undefined {
  return passing?.report ?? compactions.at(-1);
}

function planOf(finish: ReadyPrompt, { view, placed }: ShownPrompt): Plan {
  const { snapshot, asked } = finish;
  const compaction = compactionOf(finish);
  return {
    ...createPlan(snapshot.conversation.explain(view)),
    need: { need: asked.need, fired: asked.fired, suppressed: asked.suppressed },
    gate: finish.gate ?? compaction?.gate,
    held: compaction === undefined ? finish.held : undefined,
    relaxedLaws: snapshot.settings.relaxedLaws,
    ...(placed?.update === undefined ? {} : { tiers: describeTiers(placed.update.items) }),
  };
}

function reportOf(state: SessionState, finish: ReadyPrompt, made: PromptDraft): PromptReport {
  const { snapshot, compactions } = finish;
  const { view, assembler, measure, placed, promptId, tokens, changes, warnings } = made;
  const { fullLimits: limits, settings } = snapshot;
  const { counts, calibration } = measure;
  const preambleTokens = assembler.sectionTokens("instructions");
  return {
    sessionId: state.id,
    promptId,
    epoch: view.head.epoch,
    counter: { id: counts.id, exact: counts.counter.exact, factor: calibration.factor },
    tokens,
    limitTokens: limits.limitTokens,
    windowTokens: limits.windowTokens,
    reserveTokens: limits.reserveTokens,
    meter: meterOf(limits, { tokens, measure, preambleTokens }),
    sections: made.sections.map(({ name, tokens: counted }) => ({ name, tokens: counted })),
    changes,
    volatileBlocks: countVolatileBlocks(assembler, made.note),
    note: made.note && { state: made.note.state, tokens: made.note.tokens, cost: made.note.cost },
    compaction: compactionOf(finish),
    compactions,
    repairs: assembler.repairs.slice(),
    get thinking() {
      return thinkingOf(made);
    },
    warnings,
    policy: settings.name,
    relaxedLaws: settings.relaxedLaws,
    summary: summaryOf(view),
    workspace: placed === undefined ? undefined : describeWorkspace(placed),
    get plan() {
      return planOf(finish, made);
    },
  };
}

/** Rendered when it is looked at: what is sent depends on the format. */
function thinkingOf({ leftOut, messages, measure, provider }: PromptDraft): ThinkingReport | undefined {
  if (leftOut === undefined) return undefined;
  const rendered = renderPrompt({ instructions: undefined, messages, provider });
  return reportThinking(leftOut, { messages, rendered, counts: measure.counts });
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
    ...(summary.model === undefined ? {} : { model: summary.model }),
  };
}

/** Behind stand-ins a note that is kept moves too, when the results come. */
function countVolatileBlocks(assembler: AssembledPrompt, note: GivenNote | undefined): number {
  const standIns = assembler.countVolatile();
  const isShown = note !== undefined && note.state !== "unchanged";
  return standIns + (isShown && (note.state === "once" || standIns > 0) ? 1 : 0);
}

interface MeterFacts {
  readonly tokens: number;
  readonly measure: Measure;
  readonly preambleTokens: number;
}

function meterOf({ windowTokens, reserveTokens }: Limits, { tokens, measure, preambleTokens }: MeterFacts): Meter {
  const { surroundings, calibration } = measure;
  const aroundTokens = surroundings.instructionsTokens + surroundings.workspaceTokens + preambleTokens;
  const instructionsTokens = applyCalibration(calibration, aroundTokens);
  const toolsTokens = applyCalibration(calibration, surroundings.toolsTokens);
  const budget = computeBudget({ windowTokens, reserveTokens, instructionsTokens, toolsTokens });
  return readMeter(budget, Math.max(0, tokens - instructionsTokens - toolsTokens));
}

/** Durable items in their order, stand-ins for open calls, and a new note behind the newest message. */
function shownMessages(
  assembler: AssembledPrompt,
  { note, placed }: { readonly note: GivenNote | undefined; readonly placed: WeighedWorkspace | undefined },
): readonly Message[] {
  const closing = assembler.closing().map((item) => item.message);
  const messages = [...orderMessages(assembler, placed), ...closing];
  if (note === undefined || note.state === "unchanged") return messages;
  // A message of its own, so that the one before it is written as it will be in the next prompt; providers that take
  // turns get it as the last block of that one.
  return [...messages, { id: "notes", role: "user", parts: [{ type: "text", text: note.text }] }];
}
