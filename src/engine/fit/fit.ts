/** Fits a history without a session. Folds by token counts, or by the triggers of a policy that has some. */
import { describeValue } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { applyPrunes, findOwnPrunes, type Prune } from "../../core/log/prune.ts";
import { reviseView } from "../../core/log/view.ts";
import { decodeInput, RECENT_MESSAGES } from "../../core/message/formats/decode-input.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { fallbackId } from "../../core/message/message-ids.ts";
import type { Repair } from "../../core/message/repair.ts";
import { changesView } from "../../core/plan/adapt-settings.ts";
import { createPlan, type Plan } from "../../core/plan/plan.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { foldChanges } from "../../core/plan/proposal.ts";
import { type AssembledItem, type AssembledPrompt, startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { isCoverText, TAKEN_OVER_REASON, takeOverCover } from "../../core/prompt/read-cover.ts";
import type { Recollection } from "../../core/recall/recall-passages.ts";
import { countText } from "../../core/tokens/count-text.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import { limitView } from "../prompt/limit-view.ts";
import { Conversation } from "../state/conversation.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import { type DecodedHistory, readHistory } from "../state/read-history.ts";
import { findCompaction, readCompaction, writeCompaction } from "./arrange-compaction.ts";
import { encodeFitted, fitThinking } from "./encode-fitted.ts";
import { applyChanges, replayHistory } from "./fit-replay.ts";
import {
  type FitCompaction,
  type FitRun,
  type FitSettings,
  type LastSurroundings,
  measureOf,
  type NewMessage,
  sizeOf,
} from "./fit-run.ts";
import { type FitState, readFitState, reopenFit, saveFit } from "./fit-state.ts";
import { foldByCount } from "./fold-by-count.ts";
import { recallForFit } from "./recall-for-fit.ts";
import { shrinkConversation } from "./write-fold.ts";

/** What `fit` did: tokens, compactions, repairs, and the fate of every message. */
export interface FitReport {
  readonly tokens: number;
  readonly limitTokens: number;
  readonly counter: { readonly id: CounterId; readonly exact: boolean };
  readonly format: FormatName;
  /**
   * Compactions made while the items of this call were read. If the last item caused none, the result for the history
   * without it is a prefix of this result, apart from stand-ins and from compactions with `isRecorded: false`.
   */
  readonly compactions: readonly FitCompaction[];
  /** Blocks at the end that a later result need not have: stand-ins for pending tool results, and recalled passages. */
  readonly volatileBlocks: number;
  /** With `recall: true`: passages of hidden messages after the newest message; undefined for none. */
  readonly recalled: Recollection | undefined;
  readonly repairs: readonly Repair[];
  /** Thinking that was kept or left out, for models that bind it to the content before it. */
  readonly thinking: ThinkingReport | undefined;
  readonly warnings: readonly string[];
  /** True when the given `state` could not be used and the whole history was read again. */
  readonly startedOver: boolean;
  readonly plan: Plan;
}

/** The messages that fit, the report, and the state for the next call. */
export interface FitResult<Item> {
  readonly messages: Item[];
  readonly report: FitReport;
  /** Pass it to the next call. It can be stored as JSON. */
  readonly state: FitState;
}

export async function fitHistory<Item>(
  given: readonly Item[],
  fit: FitSettings & { readonly state?: FitState | undefined },
): Promise<FitResult<Item>> {
  if (!Array.isArray(given)) {
    throw new PalimpsestError("message-invalid", `history: expected a message list, found ${describeValue(given)}.`);
  }
  const state = readFitState(fit.state);
  const continued = findCompaction(given, state && (state.compaction ?? { at: -1, itemsRead: state.items }));
  const ordered = readCompaction(given, continued, fit.settings);
  const reopened = state && (await reopenFit(state, ordered, fit));
  // A state that cannot be used says nothing about these items.
  const compaction = reopened === undefined && state !== undefined ? findCompaction(given) : continued;
  const history = compaction === continued ? ordered : readCompaction(given, compaction, fit.settings);
  const start = reopened ?? startRun(fit);
  const { run: read, compactions } = await readAndFold(start, history, fit);
  const lastSurroundings = updateSurroundings(start.lastSurroundings, fit, history.length);
  const run = { ...read, lastSurroundings, compaction: compaction.at < 0 ? undefined : compaction };
  const shown = await showRun(run, fit);
  const format = run.format ?? "ai-sdk-model";
  const { origins, coverItems } = run;
  const encode = (prompt: AssembledPrompt, ...added: readonly AssembledItem[]) =>
    encodeFitted([...prompt.items, ...prompt.closing(), ...added], { format, history, origins, coverItems });
  const whole = encode(shown.assembler);
  const isFolded = shown.view.head.compactedEpoch > 0;
  const fitted = fitThinking(shown.assembler, fit, { ...run, history, messages: whole, isFolded });
  const compacted = shown.compaction === undefined ? compactions : [...compactions, shown.compaction];
  const found = { ...run, view: shown.view, assembled: fitted.assembled, isCompacted: compacted.length > 0 };
  const recall = await recallForFit(history, fit, found);
  const kept = fitted.assembled === shown.assembler ? whole : encode(fitted.assembled);
  const messages = writeCompaction(recall === undefined ? kept : encode(fitted.assembled, recall.item), shown.view);
  const report: FitReport = {
    tokens: sizeOf(fitted.assembled, fit) + (recall?.recalled.tokens ?? 0),
    limitTokens: fit.limits.limitTokens,
    counter: { id: fit.counts.id, exact: fit.counts.counter.exact },
    format,
    compactions: compacted,
    volatileBlocks: shown.assembler.countVolatile() + (recall === undefined ? 0 : 1),
    recalled: recall?.recalled,
    repairs: shown.assembler.repairs.slice(),
    thinking: fitted.report,
    warnings: fit.limits.warning === undefined ? [] : [fit.limits.warning],
    startedOver: fit.state !== undefined && fit.state !== null && reopened === undefined,
    get plan() {
      return createPlan(shown.view);
    },
  };
  return { messages, report, state: saveFit(run) };
}

function startRun({ counts, settings }: FitSettings): FitRun {
  const conversation = new Conversation(EMPTY_HEAD, [], { counts, renderer: settings.summary.renderer });
  const nothingRead = {
    format: undefined,
    items: 0,
    lastItem: undefined,
    lastHash: "",
    coverItems: [],
    readBack: undefined,
  };
  return { conversation, origins: new WeakMap(), ...nothingRead };
}

function updateSurroundings(
  last: LastSurroundings | undefined,
  { surroundingsHashes }: FitSettings,
  items: number,
): LastSurroundings {
  if (last === undefined) return { ...surroundingsHashes, sinceItem: 0 };
  const { instructions, tools } = surroundingsHashes;
  if (last.instructions !== instructions) return { instructions, tools, sinceItem: items, changed: "instructions" };
  return last.tools === tools ? last : { instructions, tools, sinceItem: items, changed: "tools" };
}

async function readAndFold(start: FitRun, history: readonly unknown[], fit: FitSettings) {
  const { news, ...read } = readNews(start, history, fit);
  if (!foldsByCount(fit.settings)) {
    const compactions = await replayHistory(start, news, fit);
    // This policy may have replaced the summary that was read back.
    return { run: { ...start, ...read, readBack: undefined }, compactions };
  }
  const { compactions, ...folded } = await foldByCount(start, news, fit);
  return { run: { ...start, ...read, ...folded }, compactions };
}

/** Whether the limit alone decides when to fold, and the target how much. */
function foldsByCount({ triggers, span }: PlanSettings): boolean {
  return triggers.length === 0 && span === "to-target";
}

/** Decodes the items that the run has not read, and records the origin of each message. */
function readNews(start: FitRun, history: readonly unknown[], fit: FitSettings) {
  const items = history.slice(start.items);
  if (items.length === 0) return { ...start, news: [] };
  const { renderer } = fit.settings.summary;
  const input = decodeInput(items, {
    fallbackId,
    format: fit.format,
    isCover: start.items === 0 ? (text) => isCoverText(text, renderer) : undefined,
    earlierFormat: start.format,
    before: start.conversation.view.messages.slice(-RECENT_MESSAGES).map(({ message }) => message),
    firstIndex: start.items,
  });
  const decoded = readHistory(input, { renderer, firstItem: start.items });
  takeOverPrunes(start.conversation, decoded);
  const lastIndex = decoded.items.length - 1;
  const news = decoded.items.flatMap((messages, index) => {
    const item = start.items + index;
    return messages.map((message, place): NewMessage => {
      const origin = { item, place, count: messages.length, source: history[item] };
      for (const each of [message, applyPrunes(message, findOwnPrunes(message))]) start.origins.set(each, origin);
      return { message, atItem: item + 1, isLast: index === lastIndex && place === messages.length - 1 };
    });
  });
  const lastHash = decoded.items.at(-1)?.map(hashMessage);
  const coverItems = start.items === 0 ? decoded.coverItems : start.coverItems;
  const last = { lastItem: history.at(-1), lastHash: lastHash?.join(" ") ?? start.lastHash };
  const read = { format: decoded.format, items: history.length, ...last, coverItems };
  return { ...read, news: markCover(news, decoded, fit) };
}

/** Restores the prunes and cuts that earlier calls left as placeholders and markers in the messages. */
function takeOverPrunes(conversation: Conversation, { items }: DecodedHistory): void {
  const before = conversation.head.foldedThroughSeq;
  const prunes = items.flat().flatMap((message, index): readonly Prune[] => {
    const place = { seq: before + index + 1, messageId: message.id };
    return findOwnPrunes(message).map((prune) => ({ ...prune, ...place, reason: TAKEN_OVER_REASON }));
  });
  if (prunes.length > 0) applyChanges(conversation, [{ type: "prune", prunes, reason: TAKEN_OVER_REASON }]);
}

const COVER_ID = "history-summary";

/** Attaches to the messages of a cover the changes that it represents. Only the beginning of a history has one. */
function markCover(news: readonly NewMessage[], { cover, coverItems }: DecodedHistory, { counts }: FitSettings) {
  if (cover === undefined) return news;
  const isFirstOf = (item: number) => (each: NewMessage) => each.atItem === item + 1;
  const indexes = coverItems.map(({ item }) => news.findIndex(isFirstOf(item)));
  const messages = indexes.flatMap((index) => {
    const message = news[index]?.message;
    return message === undefined ? [] : [{ seq: index + 1, message }];
  });
  const count = (text: string) => countText(text, counts.counter);
  const changes = takeOverCover(cover, { messages, id: COVER_ID, at: 0, count });
  return news.map((each, index) => {
    if (!indexes.includes(index)) return each;
    return { ...each, takesOver: index === indexes.at(-1) ? changes : [] };
  });
}

/** Returns what the policy sends of a run, made smaller for this result if it does not fit. */
async function showRun({ conversation, items }: FitRun, fit: FitSettings) {
  const view = limitView(conversation.view, fit.settings, measureOf(fit));
  const { renderer } = fit.settings.summary;
  const assembler = changesView(fit.settings)
    ? startAssembly(view, fit.counts.count, renderer)
    : conversation.assembler;
  if (sizeOf(assembler, fit) <= fit.limits.limitTokens) return { view, assembler };
  // Stand-ins for pending results, or constraints in a summary, may need more tokens than were counted for them.
  const { conversation: shrunk, proposal } = await shrinkConversation(conversation, fit);
  if (proposal === undefined && shrunk === conversation) return { view, assembler };
  const { changes, steps } = proposal ?? { changes: [], steps: ["summarise"] as const };
  const smaller = reviseView(shrunk.view, foldChanges(shrunk.head, changes), fit.counts);
  const shown = startAssembly(smaller, fit.counts.count, renderer);
  const [tokensBefore, tokensAfter] = [sizeOf(assembler, fit), sizeOf(shown, fit)];
  const compaction = { atItem: items, steps, tokensBefore, tokensAfter, isRecorded: false };
  return { view: smaller, assembler: shown, compaction };
}
