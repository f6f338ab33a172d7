/**
 * Chooses where a history is folded by token counts alone: a summary counts as much as it may take, whatever it will
 * say. The places depend on nothing but the messages before them, so calls over a growing history choose the same
 * ones, with or without the state of the call before. Only the summary at the last place is written, from everything
 * that it stands for.
 */
import { type Head, preambleSeqs, type Truncation, viewFloorSeq } from "../core/log/head.ts";
import type { View, ViewMessage } from "../core/log/view.ts";
import type { Message } from "../core/message/message.ts";
import type { SummaryTask } from "../core/plan/ask.ts";
import type { CompactionNeed } from "../core/plan/compaction-need.ts";
import { mostInPlaceOf } from "../core/plan/fold-oldest.ts";
import type { Change } from "../core/plan/proposal.ts";
import { type Proposed, proposeCompaction } from "../core/plan/propose-compaction.ts";
import { settingsForKind } from "../core/plan/settings-for-view.ts";
import { targetTokensOf } from "../core/plan/target-tokens.ts";
import { coverMessages } from "../core/prompt/cover-message.ts";
import { type ConversationKind, seeKind } from "../core/summary/offline/conversation-kind.ts";
import type { SummaryRecord } from "../core/summary/record.ts";
import { summaryCap } from "../core/summary/summary-cap.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { breathe } from "./breathe.ts";
import { createWriter, needOf } from "./compact.ts";
import { Conversation } from "./conversation.ts";
import { type Answers, driveStaircase } from "./drive-staircase.ts";
import { applyChanges } from "./fit-replay.ts";
import {
  aroundTokens,
  type FitCompaction,
  type FitCover,
  type FitRun,
  type FitSettings,
  measureOf,
  type NewMessage,
} from "./fit-run.ts";
import { placeMessage } from "./place-message.ts";
import { countPrompt } from "./prompt-size.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";
import { writeSummary } from "./write-summary.ts";

export interface FoldedHistory extends Pick<FitRun, "conversation" | "cover"> {
  readonly compactions: readonly FitCompaction[];
}

export async function foldByCount(run: FitRun, news: readonly NewMessage[], fit: FitSettings): Promise<FoldedHistory> {
  const history = new CountedHistory(run, fit);
  // The limit may be smaller than it was when the state was made.
  await history.foldIfOver(run.items);
  for (const { message, atItem, takesOver } of news) {
    throwIfAborted(fit.waiting?.signal);
    await breathe(fit.counts.countInSteps(message));
    history.extend(message);
    if (takesOver !== undefined) history.takeOver(takesOver);
    if (takesOver?.length === 0) continue;
    await history.foldIfOver(atItem);
  }
  return history.write();
}

class CountedHistory {
  /** Its summary is the one that was there, or after a fold one that is only counted. */
  conversation: Conversation;
  readonly #fit: FitSettings;
  #written: SummaryRecord | undefined;
  #truncated: Truncation | undefined;
  /** Stands for the written summary once a fold was planned. */
  #stand: SummaryRecord | undefined;
  #cover: FitCover | undefined;
  #isKindRead = false;
  /** By how much the summary that is shown is smaller than what it counts. */
  #slackTokens: number;
  /** Messages that a fold of this call has covered, in order. */
  readonly #covered: ViewMessage[] = [];
  readonly #compactions: FitCompaction[] = [];

  constructor({ conversation, cover }: FitRun, fit: FitSettings) {
    this.conversation = conversation;
    this.#fit = fit;
    this.#slackTokens = 0;
    this.#startFrom(cover);
  }

  extend(message: Message): void {
    this.conversation.extend([placeMessage(message, this.conversation.head.foldedThroughSeq + 1)]);
    // A summary that was read back does not say which kind it is of; calls behind it do.
    const isOpen = this.#isKindRead && this.#cover?.kind === "talk";
    if (isOpen && seeKind([message]) === "work") this.#startFrom(coverFor("work", this.#fit));
  }

  /** A summary that an earlier call wrote, and the history begins with, is the one to go on from. */
  takeOver(changes: readonly Change[]): void {
    applyChanges(this.conversation, changes);
    this.#startFrom(undefined);
    this.#isKindRead = true;
  }

  #startFrom(cover: FitCover | undefined): void {
    const { head } = this.conversation;
    this.#written = head.summary;
    this.#truncated = head.truncation;
    this.#cover = cover ?? coverOf(this.conversation, this.#fit);
    this.#slackTokens = this.#cover === undefined ? 0 : slackOf(head, this.#cover, this.#fit);
  }

  async foldIfOver(atItem: number): Promise<void> {
    const { limitTokens } = this.#fit.limits;
    const tokens = this.#countDurable();
    if (tokens <= limitTokens || this.#isHopeless()) return;
    this.#countSummary();
    const { view } = this.conversation;
    const kind = this.#cover?.kind === "work" ? "work" : seeKind(view.messages.map(({ message }) => message));
    const need = this.#needAt(view, settingsForKind(this.#fit.settings, kind), reasonOf(tokens, limitTokens));
    const { capTokens } = coverFor(kind, this.#fit);
    const plan = (tokensOfSummary?: number) =>
      driveStaircase(proposeCompaction(view, need), answerWith(tokensOfSummary));
    const usual = await plan(capTokens);
    // Beside what has to stay there may be room for a smaller summary only.
    const tight = hasSummary(usual) || !need.mayAsk ? usual : await plan();
    const outcome = hasSummary(tight) ? tight : usual;
    // A list that cannot be sent yet may be after the next message; the last one is made to fit by the caller, or refused.
    if (outcome.type !== "proposal" || outcome.changes.length === 0) return;
    const { changes, steps, tokensBefore, tokensAfter } = outcome;
    applyChanges(this.conversation, changes);
    const { head } = this.conversation;
    const preamble = new Set(preambleSeqs(head));
    const floor = viewFloorSeq(head);
    this.#covered.push(...view.messages.filter(({ seq }) => seq <= floor && !preamble.has(seq)));
    this.#cover = head.summary && { capTokens: head.summary.tokensAfter, kind };
    this.#isKindRead = false;
    this.#slackTokens = head.summary?.tokensAfter ?? 0;
    this.#compactions.push({ atItem, steps, tokensBefore, tokensAfter, isRecorded: true });
  }

  /** Puts words in the place of the counted summary, and gives back the history as it is shown. */
  async write(): Promise<FoldedHistory> {
    const { head, view } = this.conversation;
    const counted = head.summary;
    if (counted === undefined || counted === this.#written) return this.#outcome();
    const shown = counted === this.#stand ? { ...head, summary: this.#written } : await this.#replaceCounted(counted);
    const placed = [...view.kept, ...view.messages].map(({ message, seq }) => placeMessage(message, seq));
    // No step of `fit` can be undone, so nothing is kept to undo it with.
    const settled = { ...shown, undoable: [], spent: undefined };
    this.conversation = await breathe(Conversation.readInSteps(settled, placed, this.conversation));
    return this.#outcome();
  }

  #outcome(): FoldedHistory {
    const { conversation } = this;
    const cover = conversation.head.summary && this.#cover;
    const last = this.#compactions.at(-1);
    if (last === undefined || cover === undefined) return { conversation, cover, compactions: this.#compactions };
    const tokensAfter = last.tokensAfter - this.#calibrate(slackOf(conversation.head, cover, this.#fit));
    return { conversation, cover, compactions: [...this.#compactions.slice(0, -1), { ...last, tokensAfter }] };
  }

  /** From here on the summary is counted, not shown, so that a fold does not depend on its words. */
  #countSummary(): void {
    const { head, view } = this.conversation;
    if (head.summary === undefined || head.summary !== this.#written || this.#cover === undefined) return;
    this.#stand = { ...withoutWords(head.summary), tokensAfter: this.#cover.capTokens };
    const placed = [...view.kept, ...view.messages].map(({ message, seq }) => placeMessage(message, seq));
    this.conversation = new Conversation({ ...head, summary: this.#stand }, placed, this.conversation);
    this.#slackTokens = this.#cover.capTokens;
  }

  /** Without stand-ins for results still to come: they are gone when the next message is there. */
  #countDurable(): number {
    const { tokens } = this.conversation.assembler;
    return this.#calibrate(tokens + aroundTokens(this.#fit) + this.#slackTokens);
  }

  /** Messages that always stay are too large by themselves: planning at every message would come to nothing. */
  #isHopeless(): boolean {
    const fixed = this.conversation.assembler.sectionTokens("instructions") + aroundTokens(this.#fit);
    return this.#calibrate(fixed) > this.#fit.limits.limitTokens;
  }

  #needAt(view: View, settings: FitSettings["settings"], reason: string): CompactionNeed {
    const { limits } = this.#fit;
    const measure = measureOf(this.#fit);
    const asks = settings.enabled ? "code" : "nobody";
    const options = { limits, measure, settings, need: "hard", phase: "pre-request", triggers: ["overflow"] } as const;
    return {
      ...needOf(view, { ...options, reason, asks }),
      settings,
      targetTokens: targetTokensOf(settings, limits.limitTokens),
      measure: (shown) => this.#calibrate(countPrompt(shown, measure) + (shown.head.summary?.tokensAfter ?? 0)),
      measureAhead: undefined,
    };
  }

  /** The head with a summary of everything that the counted one stands for, or where there is none, with a marker. */
  async #replaceCounted(counted: SummaryRecord): Promise<Head> {
    const { head } = this.conversation;
    const { settings, context, counts, waiting } = this.#fit;
    const { lastSeq } = counted.coverage;
    const stretch = this.#covered.filter(({ seq }) => seq <= lastSeq);
    const tokens = stretch.reduce((sum, { message }) => sum + counts.count(message), 0);
    const task = this.#taskOf(counted, { stretch, tokens });
    throwIfAborted(waiting?.signal);
    const summarizer = context.summarizerFor?.(settings);
    const signal = waiting?.signal ?? new AbortController().signal;
    const wish = { settings, counter: counts.counter, summarizer, attempts: [] };
    const answer = await writeSummary(task, createWriter(wish, { context, sessionId: "fit", signal, waiting }));
    throwIfAborted(waiting?.signal);
    if (answer.type === "written") return { ...head, summary: answer.record };
    const coverage = { firstSeq: stretch[0]?.seq ?? lastSeq, lastSeq, count: stretch.length };
    const truncation = { id: "truncate-fit", coverage, coveredTokens: tokens, reason: counted.reason };
    const truncations = [this.#truncated, truncation, head.truncation].filter((each) => each !== undefined);
    return { ...head, summary: this.#written, truncation: joinTruncations(truncation, truncations) };
  }

  #taskOf(
    counted: SummaryRecord,
    { stretch, tokens }: { stretch: readonly ViewMessage[]; tokens: number },
  ): SummaryTask {
    const previous = this.#written;
    const mustShrink = this.#fit.settings.shrinksBy === "tokens";
    const before = previous?.tokensAfter ?? 0;
    const replaced = tokens + before;
    return {
      stretch: stretch.map(({ message }) => message),
      previous,
      coverage: counted.coverage,
      omitted: this.#omitted(),
      capTokens: mustShrink ? Math.min(counted.tokensAfter, mostInPlaceOf(replaced, before)) : counted.tokensAfter,
      replacedTokens: mustShrink ? replaced : undefined,
      tokensBefore: tokens + (previous?.tokensBefore ?? 0),
      keepsDepth: false,
      reason: counted.reason,
    };
  }

  /** Messages that the call before left out without telling of them. */
  #omitted(): SummaryTask["omitted"] {
    const told = this.#written?.omitted;
    const count = (told?.count ?? 0) + (this.#truncated?.coverage.count ?? 0);
    return count === 0 ? undefined : { count, tokens: (told?.tokens ?? 0) + (this.#truncated?.coveredTokens ?? 0) };
  }

  #calibrate(tokens: number): number {
    return applyCalibration(measureOf(this.#fit).calibration, tokens);
  }
}

/** One marker for stretches that follow each other. */
function joinTruncations(last: Truncation, all: readonly Truncation[]): Truncation {
  const firstSeq = Math.min(...all.map(({ coverage }) => coverage.firstSeq));
  const lastSeq = Math.max(...all.map(({ coverage }) => coverage.lastSeq));
  const count = all.reduce((sum, { coverage }) => sum + coverage.count, 0);
  const coveredTokens = all.reduce((sum, truncation) => sum + truncation.coveredTokens, 0);
  return { ...last, coverage: { firstSeq, lastSeq, count }, coveredTokens };
}

function reasonOf(tokens: number, limitTokens: number): string {
  return `${tokens} tokens, and ${limitTokens} are allowed`;
}

/** How a summary counts that another policy, or another limit, has left. */
function coverOf({ head, view }: Conversation, fit: FitSettings): FitCover | undefined {
  if (head.summary === undefined) return undefined;
  const kind = seeKind(
    view.messages.map(({ message }) => message),
    head.summary,
  );
  return coverFor(kind, fit);
}

function coverFor(kind: ConversationKind, { settings, limits }: FitSettings): FitCover {
  return { capTokens: summaryCap(settingsForKind(settings, kind).summary, limits.limitTokens), kind };
}

function slackOf(head: Head, { capTokens }: FitCover, { counts, settings }: FitSettings): number {
  const { summary } = head;
  if (summary === undefined) return 0;
  const count = (shown: Head) =>
    coverMessages(shown, settings.summary.renderer).reduce((sum, message) => sum + counts.count(message), 0);
  return capTokens + count({ ...head, summary: withoutWords(summary) }) - count(head);
}

function hasSummary(outcome: Proposed): boolean {
  return outcome.type === "proposal" && outcome.changes.some(({ type }) => type === "summary");
}

/** Gives a summary without words that counts so many tokens, or as many as there is room for. */
function answerWith(capTokens: number | undefined): Answers {
  return {
    writeSummary: async (task) => ({ type: "written", record: countRecord(task, capTokens ?? task.capTokens) }),
    // A topic that ends elsewhere would move a place by what is said there.
    findBoundary: async () => ({ index: undefined, confidence: 0, reason: "Not asked." }),
  };
}

/** With a rule in it, whatever it will say: a summary that may hold rules is not given up for room. */
const COUNTED_FACETS: SummaryRecord["facets"] = {
  constraints: ["counted"],
  decisions: [],
  actionItems: [],
  unresolved: [],
  entities: [],
  participants: [],
  done: [],
};

/** As it counts: what a record tells beside its text is told or not by whether there was a state. */
function withoutWords(record: SummaryRecord): SummaryRecord {
  return { ...record, text: "", facets: COUNTED_FACETS, omitted: undefined };
}

function countRecord({ coverage, tokensBefore, reason }: SummaryTask, tokensAfter: number): SummaryRecord {
  return {
    id: "counted",
    at: 0,
    depth: 0,
    coverage: { ...coverage, chainHash: "" },
    messageIds: [],
    text: "",
    keyPoints: [],
    facets: COUNTED_FACETS,
    strategy: "counted",
    reason,
    tokensBefore,
    tokensAfter,
  };
}
