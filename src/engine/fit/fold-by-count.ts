/**
 * Folds a history by token counts. A "counted" summary is not written yet: it has no text and counts as its
 * largest size. Thus calls with and without a state fold at the same messages, and only the last summary is written.
 */
import type { MessageEntry } from "../../core/log/entry.ts";
import { findPreambleSeqs, findViewFloorSeq, type Head } from "../../core/log/head.ts";
import { applyPrunes } from "../../core/log/prune.ts";
import type { View, ViewMessage } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import type { Change, Proposal } from "../../core/plan/proposal.ts";
import { proposeCompaction } from "../../core/plan/propose-compaction.ts";
import { describeOverflow } from "../../core/plan/triggers/check-trigger.ts";
import { type ConversationKind, findConversationKind } from "../../core/summary/read/candidate.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import { createNeed } from "../compaction/plan-compaction.ts";
import { driveStaircase } from "../compaction/propose.ts";
import { throwIfAborted } from "../context/errors.ts";
import { countPrompt } from "../context/prompt-request.ts";
import { Conversation, placeMessage } from "../state/conversation.ts";
import { applyChanges } from "./fit-replay.ts";
import {
  countSurroundings,
  type FitCompaction,
  type FitRun,
  type FitSettings,
  measureOf,
  type NewMessage,
} from "./fit-run.ts";
import { type MovedRequests, moveRequests, NOTHING_MOVED } from "./move-requests.ts";
import {
  COUNTED_ANSWERS,
  countSummaryTokens,
  findFoldTarget,
  findOmitted,
  readBackSummary,
  truncateStretch,
  withoutText,
  writeFold,
} from "./write-fold.ts";

export interface FoldedHistory extends Pick<FitRun, "conversation" | "readBack"> {
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

/** A fold is planned again if the prompt with the written summary is smaller than this share of the target. */
const MIN_TARGET_SHARE = 0.85;
const MAX_PLANS = 2;
const MIN_CAP_TOKENS = 24;

interface PlannedFold {
  readonly kind: ConversationKind;
  readonly need: CompactionNeed;
  readonly before: View;
  /** Messages that earlier folds of this call covered. */
  readonly covered: readonly ViewMessage[];
  /** Size of the prompt after the fold, with the counted summary. */
  readonly tokensAfter: number;
  readonly counted: SummaryRecord | undefined;
  /** Tokens kept free below the target after a first fold, in case the fold is planned again. */
  readonly spareTokens: number;
}

interface ReplanLimits {
  readonly maxTokens: number;
  /** Whether the prompt may grow up to the target, or only up to the size that was counted for it. */
  readonly mayReachTarget: boolean;
}

class CountedHistory {
  /** Begins with the summary that is shown; after a fold, it has a counted summary. */
  conversation: Conversation;
  readonly #fit: FitSettings;
  /** The head that planning starts from. Its summary is that of a list returned by `fit`, so that a history and a returned list fold alike. */
  #start: Head;
  #shown: SummaryRecord | undefined;
  /** Whether the summary of `#start` was read back from a returned list, and so differs from the shown one. */
  #hasReadBack: boolean;
  /** How many more tokens the read-back summary has than the shown one. */
  #readBackExtraTokens: number;
  /** The last requests, which are moved while folds are planned. */
  #moved: MovedRequests | undefined;
  /** Counted summary in place of that of `#start`, while folds are planned. */
  #countedStart: SummaryRecord | undefined;
  #lastFold: PlannedFold | undefined;
  #covered: readonly ViewMessage[] = [];
  readonly #compactions: FitCompaction[] = [];

  constructor({ conversation, readBack }: FitRun, fit: FitSettings) {
    this.conversation = conversation;
    this.#fit = fit;
    this.#shown = conversation.head.summary;
    // With a summarizer the shown summary is the only one, because a model is not called twice.
    this.#hasReadBack = readBack !== undefined && readBack !== this.#shown && !this.#hasSummarizer();
    this.#start = this.#hasReadBack ? { ...conversation.head, summary: readBack } : conversation.head;
    this.#readBackExtraTokens = this.#hasReadBack
      ? countSummaryTokens(this.#start, fit) - countSummaryTokens(conversation.head, fit)
      : 0;
  }

  extend(message: Message): void {
    this.conversation.extend([placeMessage(message, this.conversation.head.foldedThroughSeq + 1)]);
  }

  takeOver(changes: readonly Change[]): void {
    applyChanges(this.conversation, changes);
    this.#start = this.conversation.head;
    this.#shown = this.#start.summary;
    this.#hasReadBack = false;
    this.#readBackExtraTokens = 0;
  }

  async foldIfOver(atItem: number): Promise<void> {
    const { limitTokens } = this.#fit.limits;
    const tokens = this.#countDurable();
    // Planning is pointless if instructions and tools exceed the limit by themselves.
    if (tokens <= limitTokens || this.#countFixed() > limitTokens) return;
    const kind = this.#findConversationKind();
    this.#startPlanning();
    const { view } = this.conversation;
    const need = this.#needAt(view, kind, describeOverflow(tokens, limitTokens));
    const proposal = await planFold(view, need);
    // The next message may make a fold possible. After the last message, the caller makes the prompt fit or refuses it.
    if (proposal === undefined) return;
    const { steps, tokensBefore } = proposal;
    const before = { ...view, messages: [...view.messages] };
    const covered = this.#covered;
    this.#apply(proposal, before);
    const { head } = this.conversation;
    const counted = head.summary;
    const unwrittenTokens = this.#countUnwritten(head) - (counted?.tokensAfter ?? 0);
    const tokensAfter = proposal.tokensAfter - this.#calibrate(unwrittenTokens);
    const hasSpare = this.#start.summary === undefined && !this.#hasSummarizer();
    const spareTokens = hasSpare ? Math.max(0, need.uncalibrate(need.targetTokens - tokensAfter)) : 0;
    this.#lastFold = { kind, need, before, covered, tokensAfter, counted, spareTokens };
    this.#compactions.push({ atItem, steps, tokensBefore, tokensAfter, isRecorded: true });
  }

  #apply({ changes }: Proposal, before: View): void {
    applyChanges(this.conversation, changes);
    const { head } = this.conversation;
    const preamble = new Set(findPreambleSeqs(head));
    const floor = findViewFloorSeq(head);
    const covered = before.messages.filter(({ seq }) => seq <= floor && !preamble.has(seq));
    this.#covered = [...this.#covered, ...covered];
  }

  /** Writes the counted summary, and returns the history as it is shown. */
  async write(): Promise<FoldedHistory> {
    const { head } = this.conversation;
    const counted = head.summary;
    if (this.#moved === undefined && counted === this.#shown) return this.#outcome(this.#start.summary);
    const isKept = counted === undefined || counted === this.#countedStart;
    if (isKept) return this.#settle({ ...head, summary: this.#start.summary });
    return this.#settle(await this.#replanWithActualSize(await this.#replaceCounted(counted)));
  }

  /** Plans the last fold again if the prompt with its written summary is much smaller than the target. */
  async #replanWithActualSize(written: Head): Promise<Head> {
    const fold = this.#lastFold;
    if (fold === undefined || this.#hasSummarizer()) return written;
    let shown = written;
    for (let times = 0; times < MAX_PLANS; times += 1) {
      const counted = this.conversation.head.summary;
      const last = this.#compactions.at(-1);
      if (counted === undefined || last === undefined || shown.summary === this.#start.summary) break;
      const summaryTokens = this.#calibrate(shown.summary?.tokensAfter ?? 0);
      const countedTokens = this.#calibrate(counted.tokensAfter);
      const leftTokens = last.tokensAfter - countedTokens + summaryTokens;
      if (leftTokens >= fold.need.targetTokens * MIN_TARGET_SHARE) break;
      const mayReachTarget = times > 0;
      const maxTokens = Math.max(MIN_CAP_TOKENS, summaryTokens);
      const smaller = await this.#planAgain(fold, { maxTokens, mayReachTarget });
      if (smaller !== undefined) shown = await this.#replaceCounted(smaller);
      else if (this.#start.summary !== undefined) break;
    }
    return shown;
  }

  /** Plans a fold again as the only one of this call. Returns its counted summary if it covers fewer messages. */
  async #planAgain(fold: PlannedFold, { maxTokens, mayReachTarget }: ReplanLimits): Promise<SummaryRecord | undefined> {
    const { need, tokensAfter, before } = fold;
    const settings = { ...need.settings, summary: { ...need.settings.summary, maxTokens } };
    const later = this.conversation.view.messages.filter(({ seq }) => seq > before.head.foldedThroughSeq);
    // The planned size is a limit for the first attempt if there is no summary yet, else for a fold with later
    // messages.
    const staysWithinCount = this.#start.summary === undefined ? !mayReachTarget : later.length > 0;
    const targetTokens = staysWithinCount ? Math.min(need.targetTokens, tokensAfter) : need.targetTokens;
    const unfolded = await this.#unfold(fold);
    const { view } = unfolded;
    const proposal = await planFold(view, { ...need, settings, targetTokens });
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

  async #unfold({ before: { head, kept, messages }, covered }: PlannedFold): Promise<Conversation> {
    const { summary, truncation, keptRequests, prunes } = this.#start;
    const seqs = new Set(prunes.map(({ seq }) => seq));
    const allPrunes = [...prunes, ...head.prunes.filter(({ seq }) => !seqs.has(seq))];
    const items = new Map([...kept, ...covered, ...messages].map((item) => [item.seq, item]));
    const placed = place([...items.values()].sort((left, right) => left.seq - right.seq));
    const start = { prunes: allPrunes, truncation, keptRequests, summary: summary && (this.#countedStart ?? summary) };
    return runInSteps(Conversation.readInSteps({ ...head, ...start }, placed, this.conversation));
  }

  async #settle(planned: Head): Promise<FoldedHistory> {
    const { view } = this.conversation;
    const counted = this.conversation.head.summary;
    const summary = await this.#writeShown(planned);
    const { moveBack, placeBack } = this.#moved ?? NOTHING_MOVED;
    // Steps of `fit` cannot be undone, so the undo stack is dropped.
    const settled = { ...moveBack({ ...planned, summary }), undoable: [], spent: undefined };
    const isNew = planned.summary !== this.#start.summary && !this.#hasSummarizer();
    const read = isNew ? readBackSummary(planned, this.#fit) : planned.summary;
    const readBack = moveBack({ ...planned, summary: read }).summary;
    const placed = place(placeBack([...view.kept, ...view.messages]));
    this.conversation = await runInSteps(Conversation.readInSteps(settled, placed, this.conversation));
    return this.#outcome(readBack, counted);
  }

  /** Writes the summary to show, at the size of the planned one. */
  async #writeShown(planned: Head): Promise<SummaryRecord | undefined> {
    const { summary } = planned;
    if (summary === this.#start.summary) return this.#shown;
    if (summary === undefined || !this.#hasReadBack) return summary;
    const stretch = this.#stretchOf(summary).map(({ message }) => message);
    const answer = await writeFold(
      { counted: summary, previous: this.#shown, stretch, omitted: findOmitted(this.#start) },
      this.#fit,
    );
    return answer.type === "written" ? answer.record : summary;
  }

  #outcome(readBack: SummaryRecord | undefined, counted?: SummaryRecord): FoldedHistory {
    const { conversation } = this;
    const last = this.#compactions.at(-1);
    if (last === undefined || counted === undefined) return { conversation, readBack, compactions: this.#compactions };
    const freeTokens = counted.tokensAfter - countSummaryTokens(conversation.head, this.#fit);
    const tokensAfter = last.tokensAfter - this.#calibrate(freeTokens);
    return { conversation, readBack, compactions: [...this.#compactions.slice(0, -1), { ...last, tokensAfter }] };
  }

  /** Switches to planning: the summary is counted instead of shown, and kept requests are ordinary messages. */
  #startPlanning(): void {
    const { head, view } = this.conversation;
    if (this.#moved !== undefined || head.summary !== this.#shown) return;
    if (head.summary === undefined && head.keptRequests.length === 0) return;
    this.#moved = moveRequests(head);
    this.#start = this.#moved.moveUp(this.#start);
    const { summary } = this.#start;
    const moved = this.#moved.moveUp({ ...head, summary });
    this.#countedStart = summary && { ...withoutText(summary), tokensAfter: countSummaryTokens(moved, this.#fit) };
    const placed = place(this.#moved.placeUp([...view.kept, ...view.messages]));
    this.conversation = new Conversation({ ...moved, summary: this.#countedStart }, placed, this.conversation);
  }

  /** Counts the prompt without stand-ins for pending results, which disappear with the next message. */
  #countDurable(): number {
    const { assembler, head } = this.conversation;
    const countedTokens = head.summary === this.#shown ? this.#readBackExtraTokens : this.#countUnwritten(head);
    return this.#calibrate(assembler.tokens + countSurroundings(this.#fit) + countedTokens);
  }

  /** Counts the head's summary as not written yet, with the tokens that stay free after its fold. */
  #countUnwritten({ summary }: Head): number {
    if (summary === undefined) return 0;
    return summary.tokensAfter + (summary === this.#lastFold?.counted ? this.#lastFold.spareTokens : 0);
  }

  /** Counts instructions and tools, which no fold changes. */
  #countFixed(): number {
    return this.#calibrate(this.conversation.assembler.sectionTokens("instructions") + countSurroundings(this.#fit));
  }

  #findConversationKind(): ConversationKind {
    if (this.#lastFold?.kind === "work") return "work";
    const { messages } = this.conversation.view;
    const spoken = messages.map(({ message }) => message);
    return findConversationKind(spoken, this.#start.summary);
  }

  #hasSummarizer(): boolean {
    return this.#fit.context.summarizerFor?.(this.#fit.settings) !== undefined;
  }

  #needAt(view: View, kind: ConversationKind, reason: string): CompactionNeed {
    const { limits } = this.#fit;
    const measure = measureOf(this.#fit);
    const { targetTokens, settings } = findFoldTarget(this.#fit, kind, this.#countFixed());
    const writtenBy = settings.enabled ? "code" : "none";
    const cause = { urgency: "hard", phase: "pre-request", triggers: ["overflow"], reason } as const;
    return {
      ...createNeed(view, { limits, measure, settings, writtenBy, ...cause }),
      settings,
      targetTokens,
      measure: (shown) => this.#calibrate(countPrompt(shown, measure) + this.#countUnwritten(shown.head)),
      measureAhead: undefined,
    };
  }

  /** Returns the head with the written summary in place of the counted one, or with a truncation if that fails. */
  async #replaceCounted(counted: SummaryRecord): Promise<Head> {
    const { head } = this.conversation;
    const covered = this.#stretchOf(counted);
    const stretch = covered.map(this.#messageAtStart);
    const { summary: previous } = this.#start;
    const answer = await writeFold({ counted, previous, stretch, omitted: findOmitted(this.#start) }, this.#fit);
    if (answer.type === "written") return { ...head, summary: answer.record };
    const truncation = truncateStretch(covered, { counted, around: [this.#start, head], fit: this.#fit });
    return { ...head, summary: previous, truncation };
  }

  #stretchOf({ coverage }: SummaryRecord): readonly ViewMessage[] {
    return this.#covered.filter(({ seq }) => seq <= coverage.lastSeq);
  }

  /** Returns a message as in a list returned by `fit`: with the prunes and cuts of earlier calls. */
  readonly #messageAtStart = ({ seq, message }: ViewMessage): Message => {
    const prunes = this.#start.prunes.filter((prune) => prune.seq === seq);
    return applyPrunes(message, prunes);
  };

  #calibrate(tokens: number): number {
    return applyCalibration(measureOf(this.#fit).calibration, tokens);
  }
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
