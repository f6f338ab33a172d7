/** The state of one session in this process: reads and writes the log, and keeps the conversation in memory. */

import { SEQ_ADDRESS } from "../../core/check-value.ts";
import { invariant, PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import {
  type Entry,
  type EntryDraft,
  type EntryId,
  type EpochDraft,
  type MessageEntry,
  movesEpoch,
  type SessionId,
} from "../../core/log/entry.ts";
import { foldEpochEntry } from "../../core/log/fold-entry.ts";
import type { Head } from "../../core/log/head.ts";
import { isUnreadable } from "../../core/log/unreadable-entry.ts";
import type { PlanSettings, SummaryRenderer } from "../../core/plan/plan-settings.ts";
import type { Change } from "../../core/plan/proposal.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { EntryRange, PartLimits } from "../../ports/store.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { EngineEvents } from "../context/events.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { LastPrompt, Limits, PromptRequest } from "../context/prompt-request.ts";
import { WorkspaceContext } from "../workspace/workspace-context.ts";
import type { ChangeOutcome, Commit, Decide, WithHead } from "./commit.ts";
import { Conversation } from "./conversation.ts";
import { LateSummary } from "./late-summary.ts";
import { loadView, type PartFolder, type ViewPart, waitForRoom } from "./load-view.ts";
import { Preparation } from "./preparation.ts";
import { createThinkingMemo } from "./preserve-thinking.ts";
import { ViewMemory, weighEntries } from "./view-memory.ts";

const CHANGE_ATTEMPTS = 5;
const PAGE = 500;

/** With this many new entries, the whole view is loaded again, because that reads in pages. */
const MAX_NEW_ENTRIES = 1_000;

/** Stored counts to read between two yields; reading one is far cheaper than reading the clock. */
const ADOPTED_AT_ONCE = 500;

/** Limit for callers that only append, such as imports, and never read back. */
const MAX_UNREAD = 200;

export interface ResolvedRequest {
  readonly request: PromptRequest;
  readonly limits: Limits;
  readonly settings: PlanSettings;
}

export class SessionState {
  readonly id: SessionId;
  readonly context: EngineContext;
  readonly ownCounts: MessageCounts;
  readonly #warned = new Set<string>();
  readonly preparation = new Preparation();
  /** The summarizer call that a prompt did not wait for. */
  readonly late: LateSummary;
  asked: LastPrompt | undefined;
  readonly workspace: WorkspaceContext;
  readonly thinking = createThinkingMemo();
  /** The newest request with its limits and settings, before the session is measured for it. */
  resolved: ResolvedRequest | undefined;
  /** Without a folder, the whole view is read into memory. */
  folder: PartFolder | undefined;
  readonly memory: ViewMemory;
  #conversation: Conversation | undefined;
  /** Weight of the conversation when it was loaded, and of everything appended since. */
  #weight = 0;
  #unread: readonly MessageEntry[] = [];
  /** Own entries that follow the conversation in memory without a gap. */
  #appended: readonly Entry[] = [];
  #writtenSeq = 0;
  #counts: MessageCounts;
  #renderer: SummaryRenderer | undefined;

  constructor(id: SessionId, context: EngineContext, counts: MessageCounts) {
    this.id = id;
    this.context = context;
    this.ownCounts = counts;
    this.memory = new ViewMemory(context.store);
    this.workspace = new WorkspaceContext(context.workspace);
    this.#counts = counts;
    this.late = new LateSummary((attempt) => context.emitter.emit("summary", { sessionId: id, ...attempt }));
  }

  get counts(): MessageCounts {
    return this.#counts;
  }

  /** Emits a warning once. Returns false if it was emitted before. */
  warn(text: string, code?: EngineEvents["warning"]["code"]): boolean {
    if (this.#warned.has(text)) return false;
    this.#warned.add(text);
    this.context.emitter.emit("warning", { sessionId: this.id, text, ...(code === undefined ? {} : { code }) });
    return true;
  }

  /** Changes the counter; the view is counted again when it is next read. */
  countWith(counts: MessageCounts): void {
    if (counts === this.#counts) return;
    this.#counts = counts;
    this.#conversation = undefined;
  }

  showWith(renderer: SummaryRenderer): void {
    if (JSON.stringify(renderer) === JSON.stringify(this.#renderer)) return;
    this.#renderer = renderer;
    this.#conversation = undefined;
  }

  get remembered(): readonly Pick<MessageEntry, "seq" | "message">[] {
    const { kept, messages } = this.#conversation?.view ?? { kept: [], messages: [] };
    const lastSeq = this.#conversation?.head.foldedThroughSeq ?? 0;
    return [...kept, ...messages, ...this.#unread.filter(({ seq }) => seq > lastSeq)];
  }

  async current(): Promise<Conversation> {
    const conversation = await this.#read();
    this.#unread = [];
    return conversation;
  }

  async #read(): Promise<Conversation> {
    if (this.#conversation !== undefined) await waitForRoom(this, this.#weight);
    const known = this.extendKnown();
    if (known !== undefined) {
      const before = known.head.foldedThroughSeq;
      const added = await this.context.store.readEntries(this.id, { afterSeq: before, limit: MAX_NEW_ENTRIES });
      if (added.length === MAX_NEW_ENTRIES) return this.#reload();
      await this.#countAll(added);
      // Work in progress keeps its conversation; a new one replaces it here.
      const extended = added.some(movesEpoch) ? known.copy() : known;
      extended.extend(added);
      this.#conversation = extended;
      this.#weight += weighEntries(added);
      if (extended.isCurrent && hasNoGap(added, before)) return extended;
    }
    return this.#reload();
  }

  async #reload(): Promise<Conversation> {
    const { id, context, memory, folder } = this;
    const readPart = (limits: PartLimits | undefined) => this.#readPart(limits);
    const { conversation, weight } = await loadView({ id, context, memory, folder, readPart });
    this.#conversation = conversation;
    this.#weight = weight;
    return conversation;
  }

  /** Adds what this process has appended to the conversation in memory. Others may have appended more. */
  extendKnown(): Conversation | undefined {
    const [added, conversation] = [this.#appended, this.#conversation];
    this.#appended = [];
    const isCounted = added.every((entry) => entry.type !== "message" || this.#counts.adopt(entry));
    if (conversation === undefined || !isCounted) return conversation;
    conversation.extend(added);
    this.#weight += weighEntries(added);
    if (!conversation.isCurrent) this.#conversation = undefined;
    return this.#conversation;
  }

  /** Takes the conversation, so that only the caller sees what it adds before it is stored. It may be outdated. */
  async takeKnown(): Promise<Conversation | undefined> {
    if (this.#conversation === undefined) return undefined;
    await waitForRoom(this, this.#weight);
    const known = this.extendKnown();
    this.#conversation = undefined;
    return known;
  }

  /**
   * Puts back a conversation, with the entries appended since it was taken, unless it was read again in the meantime.
   */
  putBack(conversation: Conversation, appended: readonly Entry[]): void {
    if (this.#conversation !== undefined || conversation.head.foldedThroughSeq > this.#writtenSeq) return;
    const { foldedThroughSeq } = conversation.head;
    this.#conversation = conversation;
    this.#weight += weighEntries(appended.filter(({ seq }) => seq <= foldedThroughSeq));
    this.#follow(appended.filter(({ seq }) => seq > foldedThroughSeq));
    this.#unread = [];
  }

  /** Whether a message is the newest entry of the log, as far as this process knows. */
  isNewest(seq: number): boolean {
    return seq === this.#writtenSeq;
  }

  async append(entries: readonly EntryDraft[]): Promise<readonly Entry[]> {
    const appended = await this.appendAfter(undefined, entries);
    invariant(appended !== undefined, "only a batch with an expectation can be stale");
    return appended;
  }

  /** Returns undefined if the log has grown beyond `lastSeq`; then nothing is written. */
  async appendAfter(
    expectedLastSeq: number | undefined,
    entries: readonly EntryDraft[],
  ): Promise<readonly Entry[] | undefined> {
    const { sessionEntries } = this.context.limits;
    if (this.#writtenSeq >= sessionEntries) throw createFullError(sessionEntries);
    const outcome = await this.context.store.append(this.id, { entries, expectedLastSeq });
    if (outcome.type === "stale") return undefined;
    if (outcome.type === "conflict") throw createConflictError(outcome.entryId);
    const { entries: appended, lastSeq } = outcome;
    this.#announce(lastSeq);
    const said = appended.filter((entry) => entry.type === "message");
    this.#unread = [...this.#unread, ...said].slice(-MAX_UNREAD);
    this.#follow(appended);
    return appended;
  }

  /** Remembers appended entries that directly follow the known ones, in a limited number. */
  #follow(entries: readonly Entry[]): void {
    const all = [...this.#appended, ...entries];
    const knownSeq = this.#conversation?.head.foldedThroughSeq;
    const isNext = all.every(({ seq }, index) => knownSeq !== undefined && seq === knownSeq + index + 1);
    this.#appended = isNext && all.length <= MAX_UNREAD ? all : [];
  }

  /** Writes changes as one batch. Returns undefined if the epoch has moved since the head was read. */
  async commit({ head: before }: WithHead, commit: Commit): Promise<readonly EntryId[] | undefined> {
    const { changes, erase, tombstone, messages = [], fence } = commit;
    const { drafts, head } = this.#stamp(before, changes);
    const expect = { epoch: before.epoch, fence };
    const entries = [...drafts, ...messages];
    const outcome = await this.context.store.append(this.id, { entries, expect, head, erase, tombstone });
    if (outcome.type === "conflict") throw createConflictError(outcome.entryId);
    if (outcome.type === "stale") {
      this.#conversation = undefined;
      return undefined;
    }
    this.#announce(outcome.lastSeq);
    return drafts.map((draft) => draft.id);
  }

  /** Writes a change of the view that the caller asked for. Decides again if the session changed in the meantime. */
  changePast<Refusal = never>(decide: Decide<Conversation, Refusal>): Promise<ChangeOutcome<Refusal>> {
    return this.#change(() => this.current(), decide);
  }

  /**
   * Like `changePast`, for a change that is decided by the stored head, which may lack the newest messages. Reads no
   * view, so it works for a log of any length, and on a full disk.
   */
  changeHead<Refusal = never>(decide: Decide<WithHead, Refusal>): Promise<ChangeOutcome<Refusal>> {
    return this.#change(async () => {
      const stored = await this.context.store.findSession(this.id);
      if (stored === undefined) throw sessionNotFound(this.id);
      return stored;
    }, decide);
  }

  async #change<Source extends WithHead, Refusal>(
    read: () => Promise<Source>,
    decide: Decide<Source, Refusal>,
  ): Promise<ChangeOutcome<Refusal>> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
      const source = await read();
      const decision = await decide(source);
      if (decision.refusal !== undefined) return { entryIds: [], refusal: decision.refusal };
      const entryIds = await this.commit(source, decision);
      if (entryIds !== undefined) return { entryIds };
    }
    const text = `The session changed ${CHANGE_ATTEMPTS} times while this was written. Try again.`;
    throw new PalimpsestError("store-conflict", text);
  }

  async readEntries<Type extends Entry["type"]>(
    type: Type,
    range: Omit<EntryRange, "types"> = {},
  ): Promise<readonly Extract<Entry, { type: Type }>[]> {
    const entries = await this.context.store.readEntries(this.id, { ...range, types: [type] });
    return entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type);
  }

  /** Finds a message by its id or by its seq (`seq:17`), for ids that cannot be part of an address. */
  async findMessage(messageId: string): Promise<MessageEntry | undefined> {
    const found = await this.context.store.findMessage(this.id, messageId);
    const seq = Number(SEQ_ADDRESS.exec(messageId)?.[1] ?? 0);
    if (found !== undefined || seq === 0) return found;
    const [entry] = await this.readEntries("message", { afterSeq: seq - 1, throughSeq: seq });
    return entry;
  }

  /** Yields the messages of a range in order, and reads them in pages. */
  async *readMessages(range: Pick<EntryRange, "afterSeq" | "throughSeq"> = {}): AsyncGenerator<MessageEntry, void> {
    for (let afterSeq = range.afterSeq ?? 0; ; ) {
      const page = await this.readEntries("message", { ...range, afterSeq, limit: PAGE });
      for (const entry of page) {
        yield entry;
        await yieldToEventLoop();
      }
      if (page.length < PAGE) return;
      afterSeq = page.at(-1)?.seq ?? afterSeq;
    }
  }

  /** Returns the entry of a message. Throws `message-not-found`, also for an erased one. */
  async requireMessage(messageId: string): Promise<MessageEntry> {
    const entry = await this.findMessage(messageId);
    if (entry !== undefined && entry.erased !== true) return entry;
    const text = `There is no message ${JSON.stringify(messageId)} in this session.`;
    throw new PalimpsestError("message-not-found", text);
  }

  /** Whether another writer has appended entries that are not in memory. False before the first reading. */
  isBehind(seq: number): boolean {
    const known = this.#conversation?.head.foldedThroughSeq;
    return known !== undefined && seq > Math.max(known, this.#writtenSeq);
  }

  #announce(seq: number): void {
    this.#writtenSeq = Math.max(this.#writtenSeq, seq);
    this.context.announce?.(this.id, seq);
  }

  #stamp(start: Head, changes: readonly Change[]): { readonly drafts: readonly EpochDraft[]; readonly head: Head } {
    let head = start;
    let batch: EntryId | undefined;
    const drafts = changes.map((change) => {
      const { ids, clock } = this.context;
      const id = change.type === "summary" ? change.record.id : ids.entry(change.type);
      const draft = { ...change, id, batch, at: clock.now(), epoch: head.epoch + 1 } as EpochDraft;
      batch ??= id;
      head = foldEpochEntry(head, draft);
      return draft;
    });
    return { drafts, head };
  }

  async #readPart(part: PartLimits | undefined): Promise<ViewPart> {
    const stored = await this.context.store.readView(this.id, part);
    if (stored === undefined) throw sessionNotFound(this.id);
    const { head, entries, partThroughSeq, lastSeq } = stored;
    await this.#countAll(entries);
    const readThroughSeq = partThroughSeq === undefined ? lastSeq : undefined;
    const options = { counts: this.#counts, renderer: this.#renderer, readThroughSeq };
    const conversation = await runInSteps(Conversation.readInSteps(head, entries, options));
    return { conversation, weight: weighEntries(entries), partThroughSeq, lastSeq };
  }

  /** Counts the messages for which the store has no counts, in steps, and stores the counts with the entries. */
  async #countAll(entries: readonly Entry[]): Promise<void> {
    const missing: MessageEntry[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.type === "message" && !this.#counts.adopt(entry)) missing.push(entry);
      if (index % ADOPTED_AT_ONCE === 0) await yieldToEventLoop();
    }
    for (const entry of missing) await runInSteps(this.#counts.countInSteps(entry.message));
    // A marker is not an entry, so its count cannot be stored.
    const stored = missing.filter((entry) => !isUnreadable(entry));
    if (stored.length === 0) return;
    const counts = new Map(stored.map((entry) => [entry.seq, this.#counts.count(entry.message)]));
    // Best effort: a store that accepts no writes can still be read, and the next process counts again.
    await this.context.store.addCounts(this.id, this.#counts.id, counts).catch(throwUnlessUnavailable);
  }
}

function throwUnlessUnavailable(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.code === "store-unavailable")) throw error;
}

/** Seqs have no gaps, so a missing one could not be read; then the view, which has markers, is read again. */
function hasNoGap(news: readonly Entry[], afterSeq: number): boolean {
  return news.length === 0 || news.at(-1)?.seq === afterSeq + news.length;
}

function createFullError(most: number): PalimpsestError {
  const setting = "limits.sessionEntries, or --session-entries of palimpsest serve";
  const text = `A session may have at most ${most} entries. Start another one, or raise the limit: ${setting}.`;
  return new PalimpsestError("limit-exceeded", text);
}

function createConflictError(messageId: string): PalimpsestError {
  const text = `A message with id ${JSON.stringify(messageId)} and different content is already stored; use a new id.`;
  return new PalimpsestError("message-conflict", text, { details: { messageId } });
}
