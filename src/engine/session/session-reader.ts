/** The methods of a session that only read. Plans and explanations describe the next prompt. */

import { checkOptions } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { findClearedSeq } from "../../core/log/head.ts";
import { isUnreadable } from "../../core/log/unreadable-entry.ts";
import type { Message } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { findInText, readSearchedText } from "../../core/message/search-text.ts";
import { createPlan, type Explanation, explainMessage, type Plan } from "../../core/plan/plan.ts";
import { findQuietTokens, type QuietTokens } from "../../core/plan/triggers/find-quiet-tokens.ts";
import type { RecordedTurn } from "../../core/summary/offline/group-recorded-turns.ts";
import type { SummaryRecord, VerificationReport } from "../../core/summary/record/record.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { EntryRange, SearchHit } from "../../ports/store.ts";
import {
  type ExpandedSummary,
  expandSummary,
  readSummaryHistory,
  readTranscript,
  readTurns,
  type SummaryVersion,
  verifyExpandedSummary,
} from "../compaction/read-log.ts";
import { messageDamaged } from "../context/errors.ts";
import { type AssumedRequest, readRequest } from "../context/prompt-request.ts";
import type { TurnQueue } from "../context/turn-queue.ts";
import { countReadyPrompt, planReadyPrompt, previewRecall } from "../prompt/finish-prompt.ts";
import { findPreviewedView, type PreviewRequest, type PromptPreview, previewPrompt } from "../prompt/preview-prompt.ts";
import { measureRecall } from "../recall/measure-recall.ts";
import {
  type RecallResult,
  type RecallSessionOptions,
  type RecallTarget,
  readSessionRecall,
  recallSession,
} from "../recall/recall-session.ts";
import { type CacheChange, readCacheHistory } from "../state/cache-history.ts";
import { measureRequest } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import {
  type CompactionStatus,
  describeBudget,
  describeStatus,
  describeWindow,
  readStatus,
  type SessionBudget,
  type SessionFigures,
  type SessionWindow,
} from "../state/session-status.ts";
import { makeStrip, type Strip, type StripRange } from "./make-strip.ts";
import {
  ASSUMED_REQUEST_RULES,
  ENTRIES_RULES,
  readQuery,
  SEARCH_RULES,
  SEARCH_VIEW_RULES,
  type SearchOptions,
  STRIP_RULES,
  USAGE_RULES,
} from "./session-options.ts";
import { readUsage, type SessionUsage, type UsageOptions } from "./session-usage.ts";
import { type ShownWorkspace, showWorkspace } from "./show-workspace.ts";

export class SessionReader {
  readonly id: SessionId;
  readonly #state: SessionState;
  readonly #turns: TurnQueue;

  constructor(state: SessionState, turns: TurnQueue) {
    this.id = state.id;
    this.#state = state;
    this.#turns = turns;
  }

  expand(summaryId: string): Promise<ExpandedSummary> {
    return this.#turns.inTurn(() => expandSummary(this.#state, summaryId));
  }

  /** Verifies a summary against its source. Other calls wait while the source is read, but not for the verification. */
  async verify(summaryId: string): Promise<VerificationReport> {
    return verifyExpandedSummary(await this.expand(summaryId));
  }

  getSummaryHistory(): Promise<readonly SummaryVersion[]> {
    return this.#turns.inTurn(() => readSummaryHistory(this.#state));
  }

  liveSummary(): Promise<SummaryRecord | undefined> {
    return this.#turns.inTurn(async () => (await this.#state.current()).head.summary);
  }

  /** Returns the prompt sizes below which a request like the last causes no compaction; undefined before the first. */
  quietTokens(): QuietTokens | undefined {
    const { resolved } = this.#state;
    return resolved && findQuietTokens(resolved.settings, resolved.limits);
  }

  /** Returns the last seq that a clear hides from the next generation; 0 if nothing is cleared. */
  clearedThroughSeq(): Promise<number> {
    return this.#turns.inTurn(async () => findClearedSeq((await this.#state.current()).head));
  }

  /** Explains the fate of a message in the next prompt. */
  async explain(messageId: string, as?: AssumedRequest): Promise<Explanation> {
    const entry = await this.#turns.inTurn(() => this.#require(messageId));
    return this.#previewAs("explain", as, async (preview) => {
      const next = await this.#addNextRecall(explainMessage(findPreviewedView(preview), entry), preview);
      const { snapshot, passing } = preview.finish;
      if (passing === undefined) return next;
      const stored = explainMessage(snapshot.conversation.view, entry);
      return stored.fate === next.fate && stored.reason === next.reason ? next : { ...next, isAhead: true };
    });
  }

  async #addNextRecall(explained: Explanation, { finish, error }: PromptPreview): Promise<Explanation> {
    const block = error === undefined ? await previewRecall(this.#state, finish) : undefined;
    const passage = block?.passages.find(({ seq, sessionId }) => seq === explained.seq && sessionId === undefined);
    if (passage === undefined) return explained;
    const { words, tokens } = passage;
    const next = { afterSeq: finish.snapshot.conversation.lastSeq, words, tokens };
    return { ...explained, recalled: [...(explained.recalled ?? []), next] };
  }

  /** Returns the original message, whatever its fate. Throws `store-unavailable` if it is damaged. */
  message(messageId: string): Promise<Message> {
    return this.#turns.inTurn(async () => {
      const entry = await this.#require(messageId);
      if (isUnreadable(entry)) throw messageDamaged(entry);
      return structuredClone(entry.message);
    });
  }

  /** Returns the fate of every message in the next prompt. */
  async plan(as?: AssumedRequest): Promise<Plan> {
    return this.#previewAs("plan", as, (preview) =>
      preview.error === undefined ? planReadyPrompt(preview.finish) : createPlan(findPreviewedView(preview)),
    );
  }

  /** Returns fates and tokens of a range in a limited number of buckets. */
  async strip(range: StripRange, as?: AssumedRequest): Promise<Strip> {
    checkOptions(range, STRIP_RULES, "session.strip");
    return this.#previewAs("strip", as, (preview) => makeStrip(this.#state, findPreviewedView(preview), range));
  }

  /** Returns files, pages and tree of the workspace as they are now. */
  showWorkspace(): Promise<ShownWorkspace> {
    return this.#turns.inTurn(() => showWorkspace(this.#state));
  }

  /** Returns all messages, oldest first, whatever the model sees. Erased ones are left out. */
  transcript(): Promise<readonly Message[]> {
    return this.#turns.inTurn(() => readTranscript(this.#state));
  }

  /** Returns all messages by turn and round, with tool results, and each summary at the last round that it covers. */
  turns(): Promise<readonly RecordedTurn[]> {
    return this.#turns.inTurn(() => readTurns(this.#state));
  }

  /** Returns how the newest compactions and other changes affected the provider's cache, oldest first. */
  cacheHistory(): Promise<readonly CacheChange[]> {
    return this.#turns.inTurn(() => readCacheHistory(this.#state));
  }

  /** Returns entries of the log: all after a known seq, or a page of them. */
  async entries(range: EntryRange = {}): Promise<readonly Entry[]> {
    checkOptions(range, ENTRIES_RULES, "session.entries");
    return this.#turns.inTurn(() => this.#state.context.store.readEntries(this.id, range));
  }

  /** Returns a copy of the original messages above the view floor. */
  history(): Promise<readonly Message[]> {
    return this.#turns.inTurn(async () =>
      structuredClone((await this.#state.current()).view.messages.map(({ message }) => message)),
    );
  }

  async budget(as?: AssumedRequest): Promise<SessionBudget> {
    return (await this.figures(as)).budget;
  }

  /** Returns budget, compaction status and window of one snapshot. */
  async figures(as?: AssumedRequest): Promise<SessionFigures> {
    return this.#previewAs("budget", as, async ({ finish, error }) => {
      const { snapshot } = finish;
      await runInSteps(snapshot.conversation.assembleInSteps());
      const promptTokens = error === undefined ? countReadyPrompt(finish) : undefined;
      return {
        budget: describeBudget(snapshot, promptTokens),
        compaction: describeStatus(snapshot),
        window: describeWindow(snapshot),
      };
    });
  }

  async window(as?: AssumedRequest): Promise<SessionWindow> {
    checkOptions(as, ASSUMED_REQUEST_RULES, "session.window");
    const state = this.#state;
    return this.#turns.inTurn(async () => describeWindow(await measureRequest(state, readRequest(state.asked, as))));
  }

  /** Returns the tokens and cost of answers and summaries so far. */
  async usage(options: UsageOptions = {}): Promise<SessionUsage> {
    checkOptions(options, USAGE_RULES, "session.usage");
    return this.#turns.inTurn(() => readUsage(this.#state, options));
  }

  async compactionStatus(as?: AssumedRequest): Promise<CompactionStatus> {
    checkOptions(as, ASSUMED_REQUEST_RULES, "session.compactionStatus");
    return this.#turns.inTurn(() => readStatus(this.#state, as));
  }

  async search(text: string, options: Omit<SearchOptions, "sessionId"> = {}): Promise<readonly SearchHit[]> {
    const query = readQuery(text, options, { name: "session.search", rules: SEARCH_RULES });
    return this.#state.context.store.search({ ...query, sessionId: this.id });
  }

  /** Quotes the messages that match a query best, within the budget and in their order; or one message, or a range. */
  async recall(query: string | RecallTarget, options: RecallSessionOptions = {}): Promise<RecallResult> {
    const asked = readSessionRecall(query, options);
    const observer = { sessionId: this.id, source: "call", context: this.#state.context } as const;
    const search = () =>
      measureRecall(
        observer,
        () => recallSession(this.#state, asked),
        (result) => result,
      );
    return this.#turns.inTurn(search);
  }

  /** Searches the messages in memory, newest first, while the store does not answer. Folded ones are not found. */
  searchView(text: string, options: Omit<SearchOptions, "sessionId" | "order"> = {}): readonly SearchHit[] {
    const { role, limit } = readQuery(text, options, { name: "session.searchView", rules: SEARCH_VIEW_RULES });
    const hits = this.#state.remembered.toReversed().flatMap(({ seq, message }): readonly SearchHit[] => {
      const isSearched = role === undefined || role === message.role;
      const match = isSearched ? findInText(readSearchedText(messageText(message)), text) : undefined;
      return match === undefined
        ? []
        : [{ sessionId: this.id, seq, messageId: message.id, role: message.role, ...match }];
    });
    return hits.slice(0, limit);
  }

  protected preview<Result>(request: PreviewRequest<Result>): Promise<Result> {
    return previewPrompt({ state: this.#state, turns: this.#turns }, request);
  }

  /** Derives a value from the next prompt, for the caller's request or one like the last. */
  async #previewAs<Result>(
    name: string,
    as: AssumedRequest | undefined,
    derive: PreviewRequest<Result>["derive"],
  ): Promise<Result> {
    checkOptions(as, ASSUMED_REQUEST_RULES, `session.${name}`);
    return this.preview({ readRequest: () => readRequest(this.#state.asked, as), derive });
  }

  async #require(messageId: string): Promise<MessageEntry> {
    const entry = await this.#state.findMessage(messageId);
    if (entry !== undefined) return entry;
    const text = `There is no message ${JSON.stringify(messageId)} in this session.`;
    throw new PalimpsestError("message-not-found", text);
  }
}
