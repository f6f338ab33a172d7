/** Assembles a prompt, finds what moved since the last one, and creates the report. A preview writes no request. */

import { computeBudget, computeMeter, type Meter } from "../../core/budget/budget.ts";
import type { EntryDraft, PromptId, RequestEntry, SectionChange, SectionHash } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import { countRecalled, type View } from "../../core/log/view.ts";
import { hashText } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { changesView } from "../../core/plan/adapt-settings.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { createPlan, type Plan } from "../../core/plan/plan.ts";
import { type AssembledPrompt, startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { findDroppedThinking, listThinking } from "../../core/prompt/render/list-thinking.ts";
import { type RenderTarget, renderPrompt } from "../../core/prompt/render/render-prompt.ts";
import type { PromptSource } from "../../core/prompt/render/split-system.ts";
import { type CompactionUse, describeCompactionUse, findCompactionUse } from "../../core/prompt/use-compaction.ts";
import {
  hashPrompt,
  type LeftOutThinking,
  listLeftOutThinking,
  type ThinkingWalk,
} from "../../core/prompt/walk-thinking.ts";
import { applyCalibration, type Calibration } from "../../core/tokens/calibration.ts";
import type { CompactionReport, TemporaryView } from "../compaction/compact-now.ts";
import { countAssembled, countNote, type Measure, type PromptRequest, readNote } from "../context/prompt-request.ts";
import { eraseDeletedQuotations } from "../recall/erase-quotations.ts";
import { type RecalledBlock, recallForPrompt } from "../recall/recall-for-prompt.ts";
import type { SessionNeed, SessionSnapshot } from "../state/find-need.ts";
import { findRequestModel } from "../state/measure-session.ts";
import {
  createThinkingMemo,
  joinInstructions,
  orderMessages,
  type PreservedPrompt,
  preserveThinking,
  type ThinkingReport,
} from "../state/preserve-thinking.ts";
import type { SessionState } from "../state/session-state.ts";
import { placeAround } from "../workspace/place-workspace.ts";
import { describeTiers, describeWorkspace, keepFrozen, type WeighedWorkspace } from "../workspace/workspace-content.ts";
import { findBreakpoints, wantsBreakpoints } from "./find-breakpoints.ts";
import { findChanges, hashSections } from "./find-changes.ts";
import { limitView } from "./limit-view.ts";
import { listWarnings } from "./list-warnings.ts";
import { createPrompt, type NoteReport, type Prompt, type PromptReport } from "./prompt.ts";
import { createShedNote } from "./shed-files.ts";

export interface ReadyPrompt {
  readonly request: PromptRequest;
  readonly snapshot: SessionSnapshot;
  readonly need: SessionNeed;
  readonly asked: SessionNeed;
  readonly compactions: readonly CompactionReport[];
  readonly passing?: TemporaryView | undefined;
  readonly gate?: GateVerdict | undefined;
  /** Why a need for compaction led to none. */
  readonly held?: string | undefined;
  /** Appends the entries of the prompt. Default: appends only these. */
  readonly append?: ((entries: readonly EntryDraft[]) => Promise<unknown>) | undefined;
}

export async function finishPrompt(state: SessionState, ready: ReadyPrompt): Promise<Prompt> {
  const shown = show(ready);
  const made = assemble(state, ready, addRecalled(shown, await recallFor(state, ready, shown)));
  if (ready.request.preview !== true) await writeRequest(state, ready, made);
  return createPrompt(createContent(state, ready, made), createReport(state, ready, made));
}

/** Returns the block that the next prompt would add, without writing it. */
export function previewRecall(state: SessionState, ready: ReadyPrompt): Promise<RecalledBlock | undefined> {
  return recallFor(state, ready, show(ready));
}

function recallFor(
  state: SessionState,
  { request, snapshot, compactions, passing }: ReadyPrompt,
  { view, tokens, assembler }: ShownPrompt,
): Promise<RecalledBlock | undefined> {
  const { settings, limits, measure } = snapshot;
  const { counts, calibration } = measure;
  return recallForPrompt(state, {
    ...{ view, settings, counts, calibration, tokens, limitTokens: limits.limitTokens },
    hasOpenCalls: assembler.closing().length > 0,
    isCompacted: compactions.length > 0 || passing !== undefined || isFoldedSinceRequest(snapshot.conversation.head),
    isPreview: request.preview === true,
  });
}

/** A compaction in the background belongs to no prompt. */
function isFoldedSinceRequest({ requests, compactedEpoch }: Head): boolean {
  const last = requests.at(-1);
  return last !== undefined && (last.viewEpoch ?? 0) < compactedEpoch;
}

export function findShownView({ snapshot, passing }: ReadyPrompt): View {
  return limitView(passing?.view ?? snapshot.conversation.view, snapshot.settings, snapshot.measure);
}

interface ShownPrompt {
  readonly view: View;
  readonly assembler: AssembledPrompt;
  readonly isOwnView: boolean;
  readonly placed: WeighedWorkspace | undefined;
  /** Set for models that bind thinking to what precedes it. */
  readonly walk: ThinkingWalk | undefined;
  readonly countedTokens: number;
  readonly tokens: number;
  readonly calibration: Calibration;
  readonly recalled?: RecalledBlock | undefined;
}

function addRecalled(shown: ShownPrompt, recalled: RecalledBlock | undefined): ShownPrompt {
  if (recalled === undefined) return shown;
  const countedTokens = shown.countedTokens + recalled.countedTokens;
  return { ...shown, recalled, countedTokens, tokens: applyCalibration(shown.calibration, countedTokens) };
}

function show(ready: ReadyPrompt): ShownPrompt {
  const { snapshot, passing } = ready;
  const { conversation, settings, measure, preserved } = snapshot;
  const view = findShownView(ready);
  const isOwnView = view === conversation.view || (passing === undefined && !changesView(settings));
  const { assembled: assembler, placed, walk } = isOwnView ? preserved : preserveIn(view, snapshot);
  const countedTokens = countAssembled(assembler, measure.surroundings);
  const tokens = applyCalibration(measure.calibration, countedTokens);
  return { view, assembler, isOwnView, placed, walk, countedTokens, tokens, calibration: measure.calibration };
}

function preserveIn(view: View, { measure, workspace }: SessionSnapshot): PreservedPrompt {
  const { counts, renderer, thinking } = measure;
  const assembler = startAssembly(view, counts.count, renderer);
  const placed = workspace && placeAround(workspace, { view, assembler });
  return preserveThinking(assembler, placed, { rules: thinking?.rules, counts, memo: createThinkingMemo() });
}

export function countReadyPrompt(ready: ReadyPrompt): number {
  return show(ready).tokens;
}

export function planReadyPrompt(ready: ReadyPrompt): Plan {
  return describePlan(ready, show(ready));
}

interface PromptDraft extends ShownPrompt {
  readonly promptId: PromptId;
  readonly messages: readonly Message[];
  readonly leftOut: readonly LeftOutThinking[] | undefined;
  readonly measure: Measure;
  readonly provider: RenderTarget;
  readonly model: string | undefined;
  readonly sections: readonly SectionHash[];
  readonly changes: readonly SectionChange[];
  readonly warnings: readonly string[];
  readonly note: GivenNote | undefined;
  readonly compaction: CompactionUse | undefined;
}

interface GivenNote extends NoteReport {
  readonly text: string;
}

function assemble(state: SessionState, ready: ReadyPrompt, shown: ShownPrompt): PromptDraft {
  const { request, snapshot } = ready;
  const { conversation, fullLimits: limits, measure } = snapshot;
  const { memo } = state.workspace;
  const { view, assembler, placed, walk, recalled } = shown;
  const { countPart } = measure.counts;
  const sections = hashSections(assembler, { request, measure, placed, memo, recalled });
  const facts = {
    ...shown,
    measure,
    sections,
    provider: request.provider ?? "ai-sdk",
    model: findRequestModel(request, limits),
    leftOut: walk && listLeftOutThinking(walk, { head: view.head, countPart }),
  };
  const note = findNote(ready, assembler);
  return {
    ...facts,
    promptId: state.context.ids.prompt(),
    messages: listMessages(shown, note),
    changes: findChanges(conversation.head, { ...facts, memo }),
    warnings: listWarnings(snapshot),
    note,
    compaction: findCompactionUse(assembler, view, {
      isAllowed: snapshot.settings.providerCompaction === "allow",
      modelProvider: limits.info.provider,
    }),
  };
}

/** A note that is already shown is not repeated, whether it is kept or not. */
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

/** Writes the request entry with the moves between tiers, and removes left-out files from the selection. */
async function writeRequest(state: SessionState, ready: ReadyPrompt, made: PromptDraft): Promise<void> {
  const { promptId, measure, countedTokens, model, provider, sections, changes, placed, warnings, tokens } = made;
  const { walk, messages } = made;
  const { snapshot, need, append = (entries) => state.append(entries) } = ready;
  const { counts, calibration } = measure;
  const passageTokens = countRecalled(made.view, counts) + (made.recalled?.countedTokens ?? 0);
  const recalledTokens = passageTokens === 0 ? undefined : passageTokens;
  const size = { counterId: counts.id, countedTokens, factor: calibration.factor, exact: counts.counter.exact };
  const viewEpoch = snapshot.conversation.head.epoch;
  const facts = { promptId, viewEpoch, model, provider, ...size, recalledTokens, armed: need.armed, sections, changes };
  const prefix = walk && hashPrompt(walk, messages.slice(walk.steps.length));
  const stamp = { id: promptId, at: state.context.clock.now() };
  const tiers = placed?.update?.delta;
  const entry: Omit<RequestEntry, "seq"> = { type: "request", ...stamp, ...facts, prefix, tiers };
  const { shed = [], gone = [] } = snapshot.workspace?.gathered ?? {};
  const shedNotes = shed.length === 0 ? [] : [createShedNote(state, shed)];
  await append([...shedNotes, ...draftNotes(state, snapshot, made), entry]);
  await eraseDeletedQuotations(state, made.recalled?.passages ?? []);
  if (walk !== undefined && snapshot.workspace !== undefined) {
    state.workspace.freeze(keepFrozen(snapshot.workspace, { promptId, at: stamp.at }));
  }
  for (const path of [...shed.map((file) => file.path), ...gone]) state.workspace.files.remove(path);
  if (placed?.update !== undefined) state.workspace.markHistoryRegistered();
  for (const warning of warnings) state.warn(warning);
  const { limitTokens } = snapshot.fullLimits;
  const { emitter } = state.context;
  if (shed.length > 0) emitter.emit("files-shed", { sessionId: state.id, promptId, files: shed });
  emitter.emit("prompt", { sessionId: state.id, promptId, tokens, limitTokens });
}

/**
 * Creates the entries that later prompts show: about changes in a workspace whose files stay as sent, the recalled
 * passages, and the note of the request.
 */
function draftNotes({ context }: SessionState, snapshot: SessionSnapshot, made: PromptDraft): readonly EntryDraft[] {
  const { ids, clock } = context;
  const { conversation, workspace } = snapshot;
  const draft = (text: string, place: { readonly sincePromptId?: PromptId }): EntryDraft => {
    const stamp = { id: ids.entry("note"), at: clock.now() };
    const { promptId } = made;
    return { type: "note", kind: "prompt", ...stamp, text, afterSeq: conversation.lastSeq, promptId, ...place };
  };
  const { change, frozen } = workspace ?? {};
  const changes =
    change === undefined || frozen === undefined ? [] : [draft(change, { sincePromptId: frozen.sincePromptId })];
  const { note, recalled, promptId } = made;
  const stamp = { id: ids.entry("recall"), at: clock.now() };
  const afterSeq = conversation.lastSeq;
  const added: readonly EntryDraft[] =
    recalled === undefined
      ? changes
      : [
          ...changes,
          { type: "recall", ...stamp, text: recalled.text, passages: recalled.passages, afterSeq, promptId },
        ];
  // A temporary view may lack a note that the session still shows.
  if (note?.state !== "added" || conversation.assembler.newestNote === note.text) return added;
  return [...added, draft(note.text, {})];
}

function createContent(state: SessionState, ready: ReadyPrompt, made: PromptDraft): PromptSource {
  const { request, snapshot } = ready;
  const { assembler, measure, provider, placed, messages } = made;
  const { fullLimits: limits, settings } = snapshot;
  const instructions = joinInstructions(request.instructions, placed);
  const content = { instructions, messages, compaction: made.compaction };
  if (!wantsBreakpoints(request, snapshot, ready.passing !== undefined)) return content;
  const { head } = snapshot.conversation;
  const { memo } = state.workspace;
  const facts = { assembler, head, limits, measure, provider, placed, messages, settings, memo };
  const breakpoints = findBreakpoints(facts);
  if (limits.info.provider !== "openai") {
    return { ...content, breakpoints, marksText: settings.cacheTiers === "document" };
  }
  const cacheKey = hashText(state.id).slice(0, KEY_DIGITS);
  return { ...content, breakpoints, marksFor: "openai", cacheKey };
}

/** Hashed, so that the provider does not learn the session id. */
const KEY_DIGITS = 32;

function findCompaction({ passing, compactions }: ReadyPrompt): CompactionReport | undefined {
  return passing?.report ?? compactions.at(-1);
}

function describePlan(ready: ReadyPrompt, { view, placed }: ShownPrompt): Plan {
  const { snapshot, asked } = ready;
  const compaction = findCompaction(ready);
  return {
    ...createPlan(snapshot.conversation.explain(view)),
    need: { need: asked.need, fired: asked.fired, suppressed: asked.suppressed },
    gate: ready.gate ?? compaction?.gate,
    held: compaction === undefined ? ready.held : undefined,
    relaxedLaws: snapshot.settings.relaxedLaws,
    ...(placed?.update === undefined ? {} : { tiers: describeTiers(placed.update.items) }),
  };
}

function createReport(state: SessionState, ready: ReadyPrompt, made: PromptDraft): PromptReport {
  const { snapshot, compactions } = ready;
  const { view, assembler, measure, placed, promptId, tokens, changes, warnings } = made;
  const { fullLimits, settings } = snapshot;
  const { limitTokens, windowTokens, reserveTokens } = fullLimits;
  const { counts, calibration } = measure;
  return {
    sessionId: state.id,
    promptId,
    epoch: view.head.epoch,
    counter: { id: counts.id, exact: counts.counter.exact, factor: calibration.factor },
    tokens,
    limitTokens,
    windowTokens,
    reserveTokens,
    meter: createMeter(snapshot, assembler.sectionTokens("instructions"), tokens),
    sections: made.sections.map(({ name, tokens: counted }) => ({ name, tokens: counted })),
    changes,
    volatileBlocks: countVolatileBlocks(assembler, made.note),
    recalled: describeRecalled(made),
    note: made.note && { state: made.note.state, tokens: made.note.tokens, cost: made.note.cost },
    compaction: findCompaction(ready),
    compactions,
    providerCompaction: describeCompactionUse(made.compaction),
    repairs: assembler.repairs.slice(),
    get thinking() {
      return describeThinking(made);
    },
    warnings,
    policy: settings.name,
    relaxedLaws: settings.relaxedLaws,
    summary: describeSummary(view),
    workspace: placed === undefined ? undefined : describeWorkspace(placed),
    get plan() {
      return describePlan(ready, made);
    },
  };
}

/** Rendered on demand, because the sent thinking depends on the format. */
function describeThinking({ leftOut, messages, measure, provider }: PromptDraft): ThinkingReport | undefined {
  if (leftOut === undefined) return undefined;
  const rendered = renderPrompt({ instructions: undefined, messages, provider });
  const dropped = findDroppedThinking(messages, rendered);
  const tokens = dropped.reduce((sum, part) => sum + measure.counts.countPart(part), 0);
  const unplaced = { reason: "format", blocks: dropped.length, tokens } as const;
  const sentBlocks = listThinking(rendered).length;
  return { sentBlocks, leftOut: dropped.length === 0 ? leftOut : [...leftOut, unplaced] };
}

function describeRecalled({ recalled, calibration }: PromptDraft): PromptReport["recalled"] {
  if (recalled === undefined) return undefined;
  const { text, passages, countedTokens } = recalled;
  return { text, passages, tokens: applyCalibration(calibration, countedTokens) };
}

function describeSummary({ head }: View): PromptReport["summary"] {
  const { summary } = head;
  if (summary === undefined) return undefined;
  const { id, depth, messageIds, lastRoundId: toolCallRoundId = "", text, model } = summary;
  const described = { id, depth, throughMessageId: messageIds.at(-1) ?? "", toolCallRoundId, text };
  return model === undefined ? described : { ...described, model };
}

/** A note that follows stand-ins moves when the results replace them. */
function countVolatileBlocks(assembler: AssembledPrompt, note: GivenNote | undefined): number {
  const standIns = assembler.countVolatile();
  const isShown = note !== undefined && note.state !== "unchanged";
  return standIns + (isShown && (note.state === "once" || standIns > 0) ? 1 : 0);
}

function createMeter({ measure, fullLimits }: SessionSnapshot, preambleTokens: number, tokens: number): Meter {
  const { surroundings, calibration } = measure;
  const surroundingTokens = surroundings.instructionsTokens + surroundings.workspaceTokens + preambleTokens;
  const instructionsTokens = applyCalibration(calibration, surroundingTokens);
  const toolsTokens = applyCalibration(calibration, surroundings.toolsTokens);
  const budget = computeBudget({ ...fullLimits, instructionsTokens, toolsTokens });
  return computeMeter(budget, Math.max(0, tokens - instructionsTokens - toolsTokens));
}

/** Lists the durable messages in order, stand-ins for open calls, and after the newest message recalled passages and a note. */
function listMessages({ assembler, placed, recalled }: ShownPrompt, note: GivenNote | undefined): readonly Message[] {
  const closing = assembler.closing().map((item) => item.message);
  const passages = recalled === undefined ? [] : [recalled.message];
  const messages = [...orderMessages(assembler, placed), ...closing, ...passages];
  if (note === undefined || note.state === "unchanged") return messages;
  // A separate message, so that the one before it stays the same in the next prompt.
  return [...messages, { id: "notes", role: "user", parts: [{ type: "text", text: note.text }] }];
}
