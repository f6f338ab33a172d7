/**
 * What can be read of a conversation: what was said, what became of it and why, summaries, weights. Each waits for the
 * verbs before it, as every verb does, and changes nothing.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { Entry, MessageEntry, SessionId } from "../core/log/entry.ts";
import type { Message } from "../core/message/message.ts";
import { type Explanation, explainMessage } from "../core/plan/explain-message.ts";
import { makePlan, type Plan } from "../core/plan/plan.ts";
import type { SummaryRecord, VerificationReport } from "../core/summary/record.ts";
import type { EntryRange, SearchHit } from "../ports/store.ts";
import { type CacheChange, readCacheHistory } from "./cache-history.ts";
import { checkOptions } from "./check-options.ts";
import { makeStrip, type Strip, type StripRange } from "./make-strip.ts";
import { readTranscript } from "./read-transcript.ts";
import { type RecordedTurn, readTurns } from "./read-turns.ts";
import { readQuery, SEARCH_RULES, type SearchOptions } from "./search-options.ts";
import { ENTRIES_RULES, USAGE_RULES } from "./session-options.ts";
import type { SessionState } from "./session-state.ts";
import { type CompactionStatus, readBudget, readStatus, type SessionBudget } from "./session-status.ts";
import { readUsage, type SessionUsage, type UsageOptions } from "./session-usage.ts";
import { type ShownWorkspace, showWorkspace } from "./show-workspace.ts";
import {
  type Expanded,
  expandSummary,
  readSummaryHistory,
  type SummaryVersion,
  verifyExpanded,
} from "./summary-history.ts";
import type { TurnQueue } from "./turn-queue.ts";

export class SessionReader {
  readonly id: SessionId;
  readonly #state: SessionState;
  readonly #turns: TurnQueue;

  constructor(state: SessionState, turns: TurnQueue) {
    this.id = state.id;
    this.#state = state;
    this.#turns = turns;
  }

  /** What a summary was made of, as it was said. */
  expand(summaryId: string): Promise<Expanded> {
    return this.#turns.inTurn(() => expandSummary(this.#state, summaryId));
  }

  /** How much of its source a summary keeps. Only the reading is in turn: nobody waits for the checking. */
  async verify(summaryId: string): Promise<VerificationReport> {
    return verifyExpanded(await this.expand(summaryId));
  }

  /** Every summary that was ever written here, oldest first. */
  getSummaryHistory(): Promise<readonly SummaryVersion[]> {
    return this.#turns.inTurn(() => readSummaryHistory(this.#state));
  }

  /** The summary that the model sees now, without a look at those before it. */
  liveSummary(): Promise<SummaryRecord | undefined> {
    return this.#turns.inTurn(async () => (await this.#state.current()).head.summary);
  }

  /** Where a message is now and why. */
  explain(messageId: string): Promise<Explanation> {
    return this.#turns.inTurn(async () => {
      const entry = await this.#require(messageId);
      return explainMessage((await this.#state.current()).view, entry);
    });
  }

  /** A message as it was said, wherever it is now. */
  message(messageId: string): Promise<Message> {
    return this.#turns.inTurn(async () => structuredClone((await this.#require(messageId)).message));
  }

  plan(): Promise<Plan> {
    return this.#turns.inTurn(async () => makePlan((await this.#state.current()).view));
  }

  /** What became of every message, with its weight, in at most so many buckets of a range. Reads none of them. */
  strip(range: StripRange): Promise<Strip> {
    return this.#turns.inTurn(() => makeStrip(this.#state, range));
  }

  /** Files, pages and tree as they stand beside the conversation now. */
  showWorkspace(): Promise<ShownWorkspace> {
    return this.#turns.inTurn(() => showWorkspace(this.#state));
  }

  /** Everything that was said, oldest first, whatever the model sees of it. What its owner had erased is left out. */
  transcript(): Promise<readonly Message[]> {
    return this.#turns.inTurn(() => readTranscript(this.#state));
  }

  /** The same turn by turn and round by round, with what tools gave back and every summary at the round it ends with. */
  turns(): Promise<readonly RecordedTurn[]> {
    return this.#turns.inTurn(() => readTurns(this.#state));
  }

  /** What the newest changes of the past did to the provider's cache, by its own figures, oldest first. */
  cacheHistory(): Promise<readonly CacheChange[]> {
    return this.#turns.inTurn(() => readCacheHistory(this.#state));
  }

  /** Entries of the log with their places, for whoever follows it: all after the seq that is known, or a page of them. */
  async entries(range: EntryRange = {}): Promise<readonly Entry[]> {
    checkOptions(range, ENTRIES_RULES, "session.entries");
    return this.#turns.inTurn(() => this.#state.context.store.readEntries(this.id, range));
  }

  /** A copy of the messages above the floor, as they were said. */
  history(): Promise<readonly Message[]> {
    return this.#turns.inTurn(async () =>
      structuredClone((await this.#state.current()).view.messages.map(({ message }) => message)),
    );
  }

  budget(): Promise<SessionBudget> {
    return this.#turns.inTurn(() => readBudget(this.#state));
  }

  /** What answers and summaries have taken so far, in tokens and dollars. */
  async usage(options: UsageOptions = {}): Promise<SessionUsage> {
    checkOptions(options, USAGE_RULES, "session.usage");
    return this.#turns.inTurn(() => readUsage(this.#state, options));
  }

  compactionStatus(): Promise<CompactionStatus> {
    return this.#turns.inTurn(() => readStatus(this.#state));
  }

  async search(text: string, options: Omit<SearchOptions, "sessionId"> = {}): Promise<readonly SearchHit[]> {
    const query = readQuery({ name: "session.search", text, options }, SEARCH_RULES);
    return this.#state.context.store.search({ ...query, sessionId: this.id });
  }

  async #require(messageId: string): Promise<MessageEntry> {
    const entry = await this.#state.context.store.findMessage(this.id, messageId);
    if (entry !== undefined) return entry;
    const text = `There is no message ${JSON.stringify(messageId)} in this session.`;
    throw new PalimpsestError("message-not-found", text);
  }
}
