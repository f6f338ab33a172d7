/**
 * The smallest door: a history in, the same shape out, pruned, folded, valid and inside the budget. It feeds the
 * history message by message to a conversation of its own, exactly as a session would be fed, so two calls over a
 * growing history share their prefix. With the state of the last call only what is new is read.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { EpochEntry } from "../core/log/entry.ts";
import { EMPTY_HEAD } from "../core/log/head.ts";
import { RECENT_MESSAGES } from "../core/message/formats/decode-input.ts";
import type { FormatName } from "../core/message/formats/format.ts";
import { hashMessage } from "../core/message/hash-message.ts";
import type { Message } from "../core/message/message.ts";
import type { Repair } from "../core/message/repair.ts";
import { makePlan, type Plan } from "../core/plan/plan.ts";
import type { Change, StepName } from "../core/plan/proposal.ts";
import { type Assembler, startAssembly } from "../core/prompt/assemble-prompt.ts";
import { takeOverCover } from "../core/prompt/take-over-cover.ts";
import { applyCalibration, startCalibration } from "../core/tokens/calibration.ts";
import { countText } from "../core/tokens/count-text.ts";
import type { CounterId } from "../core/tokens/counter.ts";
import { isWorthIt } from "./act-softly.ts";
import { breathe } from "./breathe.ts";
import { propose } from "./compact.ts";
import { optionsOf } from "./compact-now.ts";
import { Conversation } from "./conversation.ts";
import { type DecodedHistory, decodeHistory } from "./decode-history.ts";
import { encodeFitted } from "./encode-fitted.ts";
import { findNeed } from "./find-need.ts";
import type { FitRun, FitSettings } from "./fit-run.ts";
import { type FitState, isFitState, reopenFit, saveFit } from "./fit-state.ts";
import { changesView, limitView } from "./limit-view.ts";
import { placeMessage } from "./place-message.ts";
import type { PreservedPrompt } from "./preserved-thinking.ts";
import type { Measure } from "./prompt-size.ts";

export interface FitCompaction {
  /** How many items of the history had been read when it became necessary. */
  readonly atItem: number;
  readonly steps: readonly StepName[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface FitReport {
  readonly tokens: number;
  readonly limitTokens: number;
  readonly counter: { readonly id: CounterId; readonly exact: boolean };
  readonly format: FormatName;
  /**
   * Every time the past was changed while the items of this call were read. Where the last item changed nothing, the
   * result for the history without it is a prefix of this result, stand-ins apart.
   */
  readonly compactions: readonly FitCompaction[];
  /** Blocks at the end that stand in for tool results still to come. They are gone when the results are there. */
  readonly volatileBlocks: number;
  readonly repairs: readonly Repair[];
  readonly warnings: readonly string[];
  /** True when `state` was given and this history does not continue it: all of it was read again. */
  readonly startedOver: boolean;
  readonly plan: Plan;
}

export interface Fitted<Item> {
  readonly messages: Item[];
  readonly report: FitReport;
  /** Give it to the next call. It can be kept as JSON. */
  readonly state: FitState;
}

export async function fitHistory<Item>(
  history: readonly Item[],
  fit: FitSettings & { readonly state?: FitState | undefined },
): Promise<Fitted<Item>> {
  if (!Array.isArray(history)) {
    throw new PalimpsestError("message-invalid", `history: expected a list of messages, found ${typeof history}.`);
  }
  const reopened = isFitState(fit.state) ? await reopenFit(fit.state, history, fit) : undefined;
  const start = reopened ?? startRun(fit);
  const { run, compactions } = await feed(start, history, fit);
  const view = limitView(run.conversation.view, fit.settings, measureOf(fit));
  const isWhole = !changesView(fit.settings);
  const { renderer } = fit.settings.summary;
  const assembler = isWhole ? run.conversation.assembler : startAssembly(view, fit.counts.count, renderer);
  const closing = assembler.closing();
  const format = run.format ?? "ai-sdk-model";
  const messages = encodeFitted([...assembler.items, ...closing], { format, history, origins: run.origins });
  const report: FitReport = {
    tokens: sizeOf(assembler, fit),
    limitTokens: fit.limits.limitTokens,
    counter: { id: fit.counts.id, exact: fit.counts.counter.exact },
    format,
    compactions,
    volatileBlocks: assembler.countVolatile(),
    repairs: assembler.repairs.slice(),
    warnings: fit.limits.warning === undefined ? [] : [fit.limits.warning],
    startedOver: fit.state !== undefined && fit.state !== null && reopened === undefined,
    get plan() {
      return makePlan(view);
    },
  };
  return { messages, report, state: saveFit(run) };
}

function startRun({ counts, settings }: FitSettings): FitRun {
  const conversation = new Conversation(EMPTY_HEAD, [], { counts, renderer: settings.summary.renderer });
  const nothing = { format: undefined, items: 0, lastItem: undefined, lastHash: "", coverItems: [] };
  return { conversation, origins: new WeakMap(), ...nothing };
}

interface Fed {
  readonly run: FitRun;
  readonly compactions: readonly FitCompaction[];
}

async function feed(start: FitRun, history: readonly unknown[], fit: FitSettings): Promise<Fed> {
  const news = history.slice(start.items);
  const compactions: FitCompaction[] = [];
  // The limit may be smaller than it was when the state was made.
  const again = await compactIfNeeded(start.conversation, fit, { onlyIfHard: true });
  if (again !== undefined) compactions.push({ atItem: start.items, ...again });
  if (news.length === 0) return { run: start, compactions };
  const decoded = decodeHistory(news, {
    renderer: fit.settings.summary.renderer,
    fallbackId: (index) => `message-${index}`,
    format: fit.format,
    earlierFormat: start.format,
    before: start.conversation.view.messages.slice(-RECENT_MESSAGES).map(({ message }) => message),
    firstIndex: start.items,
  });
  const takeOver = startTakingOver(start.conversation, decoded, fit);
  let lastHash = start.lastHash;
  for (const [index, messages] of decoded.messages.entries()) {
    const item = start.items + index;
    for (const [place, message] of messages.entries()) {
      start.origins.set(message, { item, place, count: messages.length, source: history[item] });
      await breathe(fit.counts.countInSteps(message));
      const seq = start.conversation.head.foldedThroughSeq + 1;
      start.conversation.extend([placeMessage(message, seq)]);
      if (takeOver({ item, place, seq, message }) === "begun") continue;
      const isLast = index === decoded.messages.length - 1 && place === messages.length - 1;
      const compaction = await compactIfNeeded(start.conversation, fit).catch((error: unknown) => {
        // A prompt that could not be sent then need not be sent now.
        if (isLast || !(error instanceof PalimpsestError) || error.code !== "does-not-fit") throw error;
        return undefined;
      });
      if (compaction !== undefined) compactions.push({ atItem: item + 1, ...compaction });
      noteRequest(start.conversation, fit);
    }
    if (index === decoded.messages.length - 1) lastHash = messages.map(hashMessage).join(" ");
  }
  const coverItems = start.items === 0 ? decoded.coverItems : start.coverItems;
  const read = { format: decoded.format, items: history.length, lastItem: history.at(-1), lastHash, coverItems };
  return { run: { ...start, ...read }, compactions };
}

interface FedMessage {
  readonly item: number;
  /** Among the messages of the item. */
  readonly place: number;
  readonly seq: number;
  readonly message: Message;
}

/** Watches what is fed. When the last message of a cover is there, the record that it was takes the place of them all. */
function startTakingOver(
  conversation: Conversation,
  { cover, coverItems }: DecodedHistory,
  { counts }: FitSettings,
): (fed: FedMessage) => "begun" | "none" {
  const messages: FedMessage[] = [];
  return (fed) => {
    if (cover === undefined || fed.place > 0 || !coverItems.some(({ item }) => item === fed.item)) return "none";
    messages.push(fed);
    if (messages.length < coverItems.length) return "begun";
    const count = (text: string) => countText(text, counts.counter);
    applyChanges(conversation, takeOverCover(cover, { messages, id: COVER_ID, at: 0, count }));
    return "none";
  };
}

const COVER_ID = "history-summary";

function applyChanges(conversation: Conversation, changes: readonly Change[]): void {
  for (const change of changes) {
    const { epoch, foldedThroughSeq: seq } = conversation.head;
    const id = change.type === "summary" ? change.record.id : `${change.type}-${epoch + 1}`;
    conversation.extend([{ ...change, id, seq, at: 0, epoch: epoch + 1 } as EpochEntry]);
  }
}

/** As a session that is asked for a prompt now: nothing, or one compaction by code. */
async function compactIfNeeded(
  conversation: Conversation,
  fit: FitSettings,
  { onlyIfHard = false }: { readonly onlyIfHard?: boolean } = {},
): Promise<Omit<FitCompaction, "atItem"> | undefined> {
  const { limits, settings } = fit;
  const measure = measureOf(fit);
  const sizes = { limits, fullLimits: limits, measure, promptTokens: estimate(conversation, fit) };
  const moment = { conversation, preserved: asItIs(conversation), settings, now: 0, ...sizes };
  const need = findNeed(moment, settings.phase === "pre-request" && !onlyIfHard);
  if (need.need === "none") return undefined;
  const isAsked = fit.context.summarizerFor !== undefined;
  const asks = !settings.enabled ? "nobody" : isAsked ? "anybody" : "code";
  const options = { ...optionsOf({ moment, need, phase: "pre-request" }), asks, isPriced: isAsked } as const;
  // Nobody waits for a model that need not be asked yet.
  if (need.need === "soft" && (isAsked || !isWorthIt(moment, need, options))) return undefined;
  const { outcome } = await propose(conversation.view, options, {
    context: fit.context,
    sessionId: "fit",
    signal: new AbortController().signal,
  });
  if (outcome.type === "nothing") return undefined;
  const { changes, steps, tokensBefore, tokensAfter } = outcome;
  applyChanges(conversation, changes);
  return { steps, tokensBefore, tokensAfter };
}

/** Nothing is known of the prompts that these messages answer, so their thinking stays the caller's. */
function asItIs({ assembler }: Conversation): PreservedPrompt {
  return { assembled: assembler, placed: undefined, walk: undefined };
}

/** The next message finds what a session would have noted of the prompt before it. */
function noteRequest(conversation: Conversation, fit: FitSettings): void {
  const { head, counts } = conversation;
  const { limits, settings } = fit;
  const sizes = { limits, fullLimits: limits, measure: measureOf(fit), promptTokens: estimate(conversation, fit) };
  const { armed } = findNeed({ conversation, preserved: asItIs(conversation), settings, now: 0, ...sizes }, false);
  const closing = conversation.assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  const id = `request-${head.requestCount + 1}`;
  conversation.noteRequest({
    type: "request",
    id,
    promptId: id,
    at: 0,
    viewEpoch: head.epoch,
    counterId: counts.id,
    provider: "fit",
    countedTokens: conversation.assembler.tokens + closing,
    factor: 1,
    armed,
    sections: [],
    changes: [],
  });
}

function estimate({ assembler }: Conversation, fit: FitSettings): number {
  return sizeOf(assembler, fit);
}

function sizeOf(assembler: Assembler, fit: FitSettings): number {
  const closing = assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
  return applyCalibration(measureOf(fit).calibration, assembler.tokens + closing);
}

function measureOf({ counts, limits, settings }: FitSettings): Measure {
  const surroundings = { instructionsTokens: 0, toolsTokens: 0, workspaceTokens: 0 };
  const { renderer } = settings.summary;
  return { counts, surroundings, calibration: startCalibration(limits.startFactor), renderer };
}
