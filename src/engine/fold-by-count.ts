/**
 * Folds a history that exceeds the limit, and leaves one alone that fits. A summary that is there, in a state or in a
 * list that was fed back, counts what it takes. One that is still to be written counts as much as it may take, so that
 * calls without a state choose the same places over a growing history, and only the summary at the last place is written.
 *
 * A summary that turns out shorter leaves its room to messages: the last fold is planned again with its size.
 */
import type { MessageEntry } from "../core/log/entry.ts";
import { type Head, preambleSeqs, type Truncation, viewFloorSeq } from "../core/log/head.ts";
import type { View, ViewMessage } from "../core/log/view.ts";
import type { Message } from "../core/message/message.ts";
import { settingsForKind } from "../core/plan/adapt-settings.ts";
import type { CompactionNeed } from "../core/plan/compaction-need.ts";
import { mostInPlaceOf } from "../core/plan/fold-oldest.ts";
import type { Change, Proposal } from "../core/plan/proposal.ts";
import { proposeCompaction } from "../core/plan/propose-compaction.ts";
import type { SummaryTask } from "../core/plan/staircase.ts";
import { describeOverflow } from "../core/plan/triggers/check-trigger.ts";
import { coverMessages } from "../core/prompt/cover-message.ts";
import { type ConversationKind, seeKind } from "../core/summary/read/conversation-kind.ts";
import type { SummaryRecord } from "../core/summary/record/record.ts";
import { applyCalibration } from "../core/tokens/calibration.ts";
import { createNeed, createWriter } from "./compaction/compact.ts";
import { type Answers, driveStaircase } from "./compaction/drive-staircase.ts";
import { writeSummary } from "./compaction/write-summary.ts";
import { runInSteps } from "./context/breathe.ts";
import { countPrompt } from "./context/prompt-size.ts";
import { throwIfAborted } from "./context/throw-if-aborted.ts";
import { applyChanges } from "./fit-replay.ts";
import {
  aroundTokens,
  type FitCompaction,
  type FitRun,
  type FitSettings,
  measureOf,
  type NewMessage,
} from "./fit-run.ts";
import { Conversation } from "./state/conversation.ts";
import { placeMessage } from "./state/place-message.ts";

export interface FoldedHistory extends Pick<FitRun, "conversation"> {
  readonly compactions: readonly FitCompaction[];
}

export async function foldByCount(run: FitRun, news: readonly NewMessage[], fit: FitSettings): Promise<FoldedHistory> {
  const history = new CountedHistory(run, fit);
  // The limit may be smaller than it was when the state was made.
  await history.foldIfOver(run.items);
  for (const { message, atItem, takesOver } of news) {
    throwIfAborted(fit.waiting?.signal);
    await runInSteps(fit.counts.countInSteps(message));
    history.extend(message);
    if (takesOver !== undefined) history.takeOver(takesOver);
    if (takesOver?.length === 0) continue;
    await history.foldIfOver(atItem);
  }
  return history.write();
}

/** The share of what a fold leaves, beside instructions and tools, that its summary may take. */
const SUMMARY_SHARE = 0.73;
/** The least share of its target that a fold leaves, with its summary counted at its maximum size. */
const LEAST_COUNTED = 0.88;
/** A fold that leaves less than this share of its target, with its summary written, is planned again. */
const LEAST_LEFT = 0.8;
/** How often one fold is planned again. */
const MOST_PLANS = 2;
/** The least share of its target that a fold leaves when it is planned again. */
const LEAST_AGAIN = 0.92;
/** Sizes that a fold is planned again with are multiples of this share of the limit. */
const SIZE_STEP = 0.1;
/** The smallest size that a summary counts with when its fold is planned again. */
const LEAST_CAP_TOKENS = 24;

/** A fold of this call, as it was planned. */
interface PlannedFold {
  readonly kind: ConversationKind;
  readonly need: CompactionNeed;
  readonly before: View;
  /** Messages that folds of this call before it have covered. */
  readonly covered: readonly ViewMessage[];
  /** With its summary counted. */
  readonly tokensAfter: number;
  /** Its summary, which is only counted, */
  readonly counted: SummaryRecord | undefined;
  /** and the room that it left below the target. What follows a first fold leaves it free, to plan again with. */
  readonly spareTokens: number;
}

/** What a fold is planned again with. */
interface Room {
  /** Of its summary. */
  readonly maxTokens: number;
  /** A first fold may leave its whole target. */
  readonly takesSpare: boolean;
}

class CountedHistory {
  /** Its summary is the one that was there, or after a fold one that is only counted. */
  conversation: Conversation;
  readonly #fit: FitSettings;
  #start: Head;
  /** Stands for the written summary while a fold is planned. */
  #countedStart: SummaryRecord | undefined;
  #lastFold: PlannedFold | undefined;
  /** Messages that a fold of this call has covered, in order. */
  #covered: readonly ViewMessage[] = [];
  readonly #compactions: FitCompaction[] = [];

  constructor({ conversation }: FitRun, fit: FitSettings) {
    this.conversation = conversation;
    this.#fit = fit;
    this.#start = conversation.head;
  }

  extend(message: Message): void {
    this.conversation.extend([placeMessage(message, this.conversation.head.foldedThroughSeq + 1)]);
  }

  /** A summary that an earlier call wrote, and the history begins with, is the one to go on from. */
  takeOver(changes: readonly Change[]): void {
    applyChanges(this.conversation, changes);
    this.#start = this.conversation.head;
  }

  async foldIfOver(atItem: number): Promise<void> {
    const { limitTokens } = this.#fit.limits;
    const tokens = this.#countDurable();
    if (tokens <= limitTokens || this.#exceedsLimitUnfolded()) return;
    const kind = this.#seeKind();
    this.#countSummary();
    const { view } = this.conversation;
    const need = this.#needAt(view, kind, describeOverflow(tokens, limitTokens));
    const proposal = await planFold(view, need);
    // A list that cannot be sent yet may be after the next message; the last one is made to fit by the caller, or refused.
    if (proposal === undefined) return;
    const { steps, tokensBefore } = proposal;
    const before = { ...view, messages: [...view.messages] };
    const covered = this.#covered;
    this.#apply(proposal, before);
    const { head } = this.conversation;
    const counted = head.summary;
    const heldTokens = this.#countCounted(head) - (counted?.tokensAfter ?? 0);
    const tokensAfter = proposal.tokensAfter - this.#calibrate(heldTokens);
    const hasSpare = this.#start.summary === undefined && !this.#hasSummarizer();
    const spareTokens = hasSpare ? Math.max(0, need.uncalibrate(need.targetTokens - tokensAfter)) : 0;
    this.#lastFold = { kind, need, before, covered, tokensAfter, counted, spareTokens };
    this.#compactions.push({ atItem, steps, tokensBefore, tokensAfter, isRecorded: true });
  }

  #apply({ changes }: Proposal, before: View): void {
    applyChanges(this.conversation, changes);
    const { head } = this.conversation;
    const preamble = new Set(preambleSeqs(head));
    const floor = viewFloorSeq(head);
    const covered = before.messages.filter(({ seq }) => seq <= floor && !preamble.has(seq));
    this.#covered = [...this.#covered, ...covered];
  }

  /** Puts words in the place of the counted summary, and gives back the history as it is shown. */
  async write(): Promise<FoldedHistory> {
    const { head } = this.conversation;
    const counted = head.summary;
    if (counted === undefined || counted === this.#start.summary) return this.#outcome();
    if (counted === this.#countedStart) return this.#settle({ ...head, summary: this.#start.summary });
    return this.#settle(await this.#replanWithActualSize(await this.#replaceCounted(counted)));
  }

  /**
   * Plans the last fold again with a summary of the size that it turned out to have, where it leaves much of its room
   * free: that room is for messages. Of fewer messages there is less to tell, so this may happen twice. The second time a
   * first fold may leave its whole target, where one large exchange made it leave much less.
   */
  async #replanWithActualSize(written: Head): Promise<Head> {
    const fold = this.#lastFold;
    if (fold === undefined || this.#hasSummarizer()) return written;
    let shown = written;
    for (let times = 0; times < MOST_PLANS; times += 1) {
      const counted = this.conversation.head.summary;
      const last = this.#compactions.at(-1);
      if (counted === undefined || last === undefined || shown.summary === this.#start.summary) break;
      const summaryTokens = this.#calibrate(shown.summary?.tokensAfter ?? 0);
      const countedTokens = this.#calibrate(counted.tokensAfter);
      const isFull = times > 0 || this.#start.summary === undefined || this.#roundSize(summaryTokens) >= countedTokens;
      const leftTokens = last.tokensAfter - countedTokens + summaryTokens;
      if (isFull && leftTokens >= fold.need.targetTokens * LEAST_LEFT) break;
      const takesSpare = times > 0;
      const maxTokens = takesSpare ? Math.max(LEAST_CAP_TOKENS, summaryTokens) : this.#roundSize(summaryTokens);
      const smaller = await this.#planAgain(fold, { maxTokens, takesSpare });
      if (smaller !== undefined) shown = await this.#replaceCounted(smaller);
      else if (this.#start.summary !== undefined) break;
    }
    return shown;
  }

  /** Summaries of about one size count the same, whether they were read from a state or from a list. */
  #roundSize(tokens: number): number {
    const step = Math.max(LEAST_CAP_TOKENS, Math.floor(this.#fit.limits.limitTokens * SIZE_STEP));
    return Math.ceil(tokens / step) * step;
  }

  /** Plans a fold as if none of this call had been; gives its counted summary where it covers less. */
  async #planAgain(fold: PlannedFold, { maxTokens, takesSpare }: Room): Promise<SummaryRecord | undefined> {
    const { need, tokensAfter, before } = fold;
    const settings = { ...need.settings, summary: { ...need.settings.summary, maxTokens } };
    const later = this.conversation.view.messages.filter(({ seq }) => seq > before.head.foldedThroughSeq);
    // What follows was counted from this fold on, and is folded where that says: it may take no more than was counted,
    // which is up to the target for a first fold.
    const isCounted = this.#start.summary === undefined ? !takesSpare : later.length > 0;
    const targetTokens = isCounted ? Math.min(need.targetTokens, tokensAfter) : need.targetTokens;
    const unfolded = await this.#unfold(fold);
    const { view } = unfolded;
    const leastTokens = need.leastTokens && Math.floor(targetTokens * LEAST_AGAIN);
    const proposal = await planFold(view, { ...need, settings, targetTokens, leastTokens });
    const counted = this.conversation.head.summary;
    if (proposal === undefined || coveredThrough(proposal) >= (counted?.coverage.lastSeq ?? 0)) return undefined;
    this.conversation = unfolded;
    this.#covered = [];
    this.#apply(proposal, { ...view, messages: [...view.messages] });
    this.conversation.extend(place(later));
    const { steps, tokensAfter: fewerTokens } = proposal;
    const last = this.#compactions.pop();
    if (last !== undefined) this.#compactions.push({ ...last, steps, tokensAfter: fewerTokens });
    return this.conversation.head.summary;
  }

  /** The history up to a fold as it would be without the folds of this call. */
  async #unfold({ before: { head, kept, messages }, covered }: PlannedFold): Promise<Conversation> {
    const { summary, truncation, keptRequests, prunes } = this.#start;
    const seqs = new Set(prunes.map(({ seq }) => seq));
    const allPrunes = [...prunes, ...head.prunes.filter(({ seq }) => !seqs.has(seq))];
    const items = new Map([...kept, ...covered, ...messages].map((item) => [item.seq, item]));
    const placed = place([...items.values()].sort((left, right) => left.seq - right.seq));
    const start = { prunes: allPrunes, truncation, keptRequests, summary: summary && (this.#countedStart ?? summary) };
    return runInSteps(Conversation.readInSteps({ ...head, ...start }, placed, this.conversation));
  }

  async #settle(head: Head): Promise<FoldedHistory> {
    const { view } = this.conversation;
    const counted = this.conversation.head.summary;
    // No step of `fit` can be undone, so nothing is kept to undo it with.
    const settled = { ...head, undoable: [], spent: undefined };
    const placed = place([...view.kept, ...view.messages]);
    this.conversation = await runInSteps(Conversation.readInSteps(settled, placed, this.conversation));
    return this.#outcome(counted);
  }

  #outcome(counted?: SummaryRecord): FoldedHistory {
    const { conversation } = this;
    const last = this.#compactions.at(-1);
    if (last === undefined || counted === undefined) return { conversation, compactions: this.#compactions };
    const freeTokens = counted.tokensAfter - this.#countWords(conversation.head);
    const tokensAfter = last.tokensAfter - this.#calibrate(freeTokens);
    return { conversation, compactions: [...this.#compactions.slice(0, -1), { ...last, tokensAfter }] };
  }

  /** From here on the summary is counted, not shown. */
  #countSummary(): void {
    const { head, view } = this.conversation;
    if (head.summary === undefined || head.summary !== this.#start.summary) return;
    this.#countedStart = { ...withoutWords(head.summary), tokensAfter: this.#countWords(head) };
    const placed = place([...view.kept, ...view.messages]);
    this.conversation = new Conversation({ ...head, summary: this.#countedStart }, placed, this.conversation);
  }

  /** Without stand-ins for results still to come: they are gone when the next message is there. */
  #countDurable(): number {
    const { assembler, head } = this.conversation;
    const countedTokens = head.summary === this.#start.summary ? 0 : this.#countCounted(head);
    return this.#calibrate(assembler.tokens + aroundTokens(this.#fit) + countedTokens);
  }

  /** Tokens of a summary that is only counted, with the room that its fold left below the target. */
  #countCounted({ summary }: Head): number {
    if (summary === undefined) return 0;
    return summary.tokensAfter + (summary === this.#lastFold?.counted ? this.#lastFold.spareTokens : 0);
  }

  /** Tokens of what a summary says, without what it is wrapped in. */
  #countWords(head: Head): number {
    const { counts, settings } = this.#fit;
    if (head.summary === undefined) return 0;
    const count = (shown: Head) =>
      coverMessages(shown, settings.summary.renderer).reduce((sum, message) => sum + counts.count(message), 0);
    return count(head) - count({ ...head, summary: withoutWords(head.summary) });
  }

  /** Messages that always stay are too large by themselves: planning at every message would come to nothing. */
  #exceedsLimitUnfolded(): boolean {
    return this.#countFixed() > this.#fit.limits.limitTokens;
  }

  /** Tokens of what no fold touches: instructions and tools. */
  #countFixed(): number {
    return this.#calibrate(this.conversation.assembler.sectionTokens("instructions") + aroundTokens(this.#fit));
  }

  #seeKind(): ConversationKind {
    if (this.#lastFold?.kind === "work") return "work";
    const { messages } = this.conversation.view;
    return seeKind(
      messages.map(({ message }) => message),
      this.#start.summary,
    );
  }

  #hasSummarizer(): boolean {
    return this.#fit.context.summarizerFor?.(this.#fit.settings) !== undefined;
  }

  #needAt(view: View, kind: ConversationKind, reason: string): CompactionNeed {
    const { limits } = this.#fit;
    const measure = measureOf(this.#fit);
    const { targetTokens, settings } = aimFold(this.#fit, kind, this.#countFixed());
    const asks = settings.enabled ? "code" : "nobody";
    const options = { limits, measure, settings, need: "hard", phase: "pre-request", triggers: ["overflow"] } as const;
    return {
      ...createNeed(view, { ...options, reason, asks }),
      settings,
      targetTokens,
      leastTokens: this.#start.summary && Math.floor(targetTokens * LEAST_COUNTED),
      measure: (shown) => this.#calibrate(countPrompt(shown, measure) + this.#countCounted(shown.head)),
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
    const truncations = [this.#start.truncation, truncation, head.truncation].filter((each) => each !== undefined);
    return { ...head, summary: this.#start.summary, truncation: joinTruncations(truncation, truncations) };
  }

  #taskOf(
    counted: SummaryRecord,
    { stretch, tokens }: { stretch: readonly ViewMessage[]; tokens: number },
  ): SummaryTask {
    const previous = this.#start.summary;
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
    const told = this.#start.summary?.omitted;
    const count = (told?.count ?? 0) + (this.#start.truncation?.coverage.count ?? 0);
    return count === 0
      ? undefined
      : { count, tokens: (told?.tokens ?? 0) + (this.#start.truncation?.coveredTokens ?? 0) };
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

interface FoldAim {
  readonly targetTokens: number;
  readonly settings: FitSettings["settings"];
}

/**
 * How small a fold makes the prompt, and how much of that its summary may take. Where instructions and tools take more
 * than half of the limit, a fold frees half of the rest.
 */
function aimFold({ settings: given, limits }: FitSettings, kind: ConversationKind, fixedTokens: number): FoldAim {
  const { limitTokens } = limits;
  const settings = settingsForKind(given, kind);
  const asked = Math.floor(limitTokens * settings.targetRatio);
  const targetTokens = Math.max(asked, Math.floor((limitTokens + fixedTokens) / 2));
  const most = Math.floor((targetTokens - fixedTokens) * SUMMARY_SHARE);
  const maxTokens = Math.min(settings.summary.maxTokens, most);
  return { targetTokens, settings: { ...settings, summary: { ...settings.summary, maxTokens } } };
}

async function planFold(view: View, need: CompactionNeed): Promise<Proposal | undefined> {
  const outcome = await driveStaircase(proposeCompaction(view, need), COUNTED_ANSWERS);
  return outcome.type === "proposal" && outcome.changes.length > 0 ? outcome : undefined;
}

function coveredThrough({ changes }: Proposal): number {
  const seqs = changes.flatMap((change) => (change.type === "summary" ? [change.record.coverage.lastSeq] : []));
  return seqs[0] ?? Number.POSITIVE_INFINITY;
}

function place(items: readonly ViewMessage[]): readonly MessageEntry[] {
  return items.map(({ message, seq }) => placeMessage(message, seq));
}

/** Give a summary without words that counts as much as it may take. */
const COUNTED_ANSWERS: Answers = {
  writeSummary: async (task) => ({ type: "written", record: countRecord(task) }),
  // A topic that ends elsewhere would move a place by what is said there.
  findBoundary: async () => ({ index: undefined, confidence: 0, reason: "Not asked." }),
};

/** Contains a constraint, because summaries with constraints are never dropped for room. */
const COUNTED_FACETS: SummaryRecord["facets"] = {
  constraints: ["counted"],
  decisions: [],
  actionItems: [],
  unresolved: [],
  entities: [],
  participants: [],
  done: [],
};

/** The record without text, as it is counted. */
function withoutWords(record: SummaryRecord): SummaryRecord {
  return { ...record, text: "", facets: COUNTED_FACETS, omitted: undefined };
}

function countRecord({ coverage, tokensBefore, reason, capTokens }: SummaryTask): SummaryRecord {
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
    tokensAfter: capTokens,
  };
}
