/**
 * One conversation, as its user holds it. Every verb waits for the ones before it, brings the view up to date, and
 * calls the file that knows how; no policy lives here.
 */
import { COUNTER_NAMES } from "../core/budget/model-info.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { EntryId, MessageEntry, NoteEntry, PromptId, SessionId } from "../core/log/entry.ts";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import type { Message } from "../core/message/message.ts";
import { type Explanation, explainMessage } from "../core/plan/explain-message.ts";
import { makePlan, type Plan } from "../core/plan/plan.ts";
import type { RefusalFacts } from "../core/plan/triggers/trigger-facts.ts";
import { PROVIDERS } from "../core/prompt/provider.ts";
import type { SummaryRecord } from "../core/summary/record.ts";
import type { SearchHit } from "../ports/store.ts";
import { type Appended, type AppendOptions, appendMessages, endsGeneration, readInput } from "./append-messages.ts";
import { Arrivals } from "./arrivals.ts";
import { ANYTHING, checkOptions, FLAG, invalidOption, oneOf, TEXT, TOKENS } from "./check-options.ts";
import { clearHistory, replaceHistory } from "./clear-history.ts";
import { beginAfterReply, finishAfterReply } from "./compact-after-reply.ts";
import { type Deletion, deleteMessage } from "./delete-message.ts";
import { forkSession } from "./fork-session.ts";
import { handOutPrompt } from "./hand-out-prompt.ts";
import {
  type CompactionPreview,
  type CompactOutcome,
  type CompactRequest,
  type NotCompacted,
  previewCompaction,
} from "./manual-compaction.ts";
import { type PinInput, type PinOutcome, pinMessage, unpinMessage } from "./pin-message.ts";
import type { Prompt } from "./prompt.ts";
import type { PromptRequest } from "./prompt-request.ts";
import type { SessionState } from "./session-state.ts";
import { type CompactionStatus, readBudget, readStatus, type SessionBudget } from "./session-status.ts";
import {
  type Expanded,
  editSummary,
  expandSummary,
  readSummaryHistory,
  resummarize,
  type SummaryVersion,
} from "./summary-history.ts";
import { type SyncOutcome, syncMessages } from "./sync-messages.ts";
import { type UndoOutcome, undoEntry } from "./undo-entry.ts";

export interface PromptOptions extends Omit<PromptRequest, "next"> {
  /** Appended before the prompt is made, and acknowledged even if the prompt cannot be. */
  readonly next?: unknown;
}

export interface ClearOptions {
  /** `next-generation`: the next reply is made without history, then it is back. Without a word, as the policy says. */
  readonly scope?: "for-good" | "next-generation" | undefined;
}

const PROMPT_RULES = {
  next: ANYTHING,
  instructions: TEXT,
  tools: ANYTHING,
  notes: TEXT,
  provider: oneOf("ai-sdk", ...PROVIDERS),
  preview: FLAG,
  breakpoints: FLAG,
  ceilingTokens: TOKENS,
  model: TEXT,
  counter: oneOf(...COUNTER_NAMES),
  budgetTokens: TOKENS,
  windowTokens: TOKENS,
  reserveTokens: TOKENS,
};
const APPEND_RULES = { promptId: TEXT, usage: ANYTHING, format: oneOf(...FORMAT_NAMES) };
const CLEAR_RULES = { scope: oneOf("for-good", "next-generation") };

/** A provider that refused a prompt gets one of at most this share of it. */
const SMALLER = 0.8;

const UNKNOWN_REFUSAL =
  "session.refused was called with an error that no provider known here gives for a prompt that is too long.";

/** What the provider said, in our own count: it may count otherwise than we do. */
function findCeiling(tokens: number, said: RefusalFacts | undefined): number {
  const smaller = Math.floor(tokens * SMALLER);
  const { promptTokens, limitTokens } = said ?? {};
  if (promptTokens === undefined || limitTokens === undefined || promptTokens <= 0) return smaller;
  return Math.max(1, Math.min(smaller, Math.floor((tokens * limitTokens) / promptTokens)));
}

const COMPACT_RULES = { instructions: TEXT, preview: FLAG };

export class Session {
  readonly id: SessionId;
  readonly #state: SessionState;
  readonly #open: (id: SessionId) => Promise<Session>;
  #queue: Promise<unknown> = Promise.resolve();
  #afterReply: Promise<void> = Promise.resolve();
  #isFollowing = false;
  readonly #arrivals = new Arrivals();
  /** What the last prompt was asked with, so that a smaller one can be made after a refusal. */
  #asked: { readonly promptId: PromptId; readonly request: PromptRequest; readonly tokens: number } | undefined;

  constructor(state: SessionState, open: (id: SessionId) => Promise<Session>) {
    this.id = state.id;
    this.#state = state;
    this.#open = open;
  }

  /** Adds messages in any known shape, all or none. Messages with ids can be sent again; others are new each time. */
  async append(messages: unknown, options: AppendOptions = {}): Promise<Appended> {
    checkOptions(options, APPEND_RULES, "session.append");
    const { read, appended } = await this.#inTurn(async () => {
      const read = await readInput(this.#state, messages, options.format);
      return { read, appended: await appendMessages(this.#state, read, options) };
    });
    if (endsGeneration(read)) this.#followUp();
    return appended;
  }

  /** Brings the log in line with the list that a client resends. A list that goes another way becomes a fork. */
  async sync(messages: readonly unknown[]): Promise<SyncOutcome & { readonly session: Session }> {
    if (!Array.isArray(messages)) throw invalidOption("session.sync", messages, "the client's list of messages");
    const outcome = await this.#inTurn(() =>
      syncMessages(this.#state, messages, async (id) => (await this.#open(id)).#state),
    );
    if (outcome.type === "appended" && (await this.#endsWithReply())) this.#followUp();
    return { ...outcome, session: outcome.sessionId === this.id ? this : await this.#open(outcome.sessionId) };
  }

  async prompt(options: PromptOptions = {}): Promise<Prompt> {
    checkOptions(options, PROMPT_RULES, "session.prompt");
    const { next, ...request } = options;
    if (next === undefined) return this.#inTurn(() => this.#handOut(request));
    if (request.preview === true) {
      return this.#inTurn(async () => this.#handOut({ ...request, next: await readInput(this.#state, next) }));
    }
    const arrival = this.#arrivals.add(next);
    return this.#enqueue(async () => {
      await Arrivals.appendAll(arrival, async (each) =>
        appendMessages(this.#state, await readInput(this.#state, each), {}),
      );
      return this.#handOut(request);
    });
  }

  /** The provider said that a prompt was too long: a smaller one, or the error that names the floor. */
  refused(error: unknown, options: { readonly promptId?: PromptId | undefined } = {}): Promise<Prompt> {
    return this.#inTurn(async () => {
      const said = this.#state.context.recogniseRefusal?.(error);
      if (said === undefined) this.#state.warn(UNKNOWN_REFUSAL);
      const asked = this.#asked;
      const tokens = asked?.tokens ?? (await readStatus(this.#state)).currentTokens;
      if (asked !== undefined && options.promptId !== undefined && options.promptId !== asked.promptId) {
        throw new PalimpsestError(
          "message-invalid",
          `promptId: ${options.promptId} is not the newest prompt of this session.`,
        );
      }
      const ceilingTokens = findCeiling(tokens, said);
      return this.#handOut({ ...asked?.request, ceilingTokens }, said ?? {});
    });
  }

  /** A generation ended without a message to append: with an error, or because nothing came. */
  async ended(promptId: PromptId, reason: string): Promise<void> {
    const { ids, clock } = this.#state.context;
    const note = {
      type: "note",
      kind: "generation-end",
      id: ids.entry("note"),
      at: clock.now(),
      promptId,
      text: reason,
    } as const;
    await this.#inTurn(() => this.#state.append([note satisfies Omit<NoteEntry, "seq">]));
    this.#followUp();
  }

  compact(options: CompactRequest & { readonly preview: true }): Promise<CompactionPreview | NotCompacted>;
  compact(options?: CompactRequest & { readonly preview?: false | undefined }): Promise<CompactOutcome>;
  /** Folds what stands before the tail now, or with `preview` shows what that would do. */
  async compact(
    options: CompactRequest & { readonly preview?: boolean | undefined } = {},
  ): Promise<CompactionPreview | CompactOutcome> {
    checkOptions(options, COMPACT_RULES, "session.compact");
    const { preview, instructions } = options;
    return this.#inTurn(async () => {
      await this.#state.preparation.wait();
      const request = this.#asked?.request ?? {};
      const proposal = await previewCompaction(this.#state, { request, instructions });
      if (proposal.type !== "preview") return proposal;
      return preview === true ? this.#inTurnPreview(proposal) : proposal.apply();
    });
  }

  /** Writes the live summary anew from what it stands for. */
  async resummarize(instructions?: string): Promise<CompactOutcome> {
    const request = this.#asked?.request ?? {};
    return this.#inTurn(() => resummarize(this.#state, { request, instructions }));
  }

  /** Other words for the live summary, by hand. `undo` brings back the old ones. */
  async editSummary(text: string): Promise<SummaryRecord> {
    const request = this.#asked?.request ?? {};
    return this.#inTurn(() => editSummary(this.#state, { text, request }));
  }

  /** What a summary was made of, as it was said. */
  expand(summaryId: string): Promise<Expanded> {
    return this.#inTurn(() => expandSummary(this.#state, summaryId));
  }

  /** Every summary that was ever written here, oldest first. */
  getSummaryHistory(): Promise<readonly SummaryVersion[]> {
    return this.#inTurn(() => readSummaryHistory(this.#state));
  }

  /** Where a message is now and why. */
  explain(messageId: string): Promise<Explanation> {
    return this.#inTurn(async () => {
      const entry = await this.#require(messageId);
      return explainMessage((await this.#state.current()).view, entry);
    });
  }

  /** A message as it was said, wherever it is now. */
  message(messageId: string): Promise<Message> {
    return this.#inTurn(async () => structuredClone((await this.#require(messageId)).message));
  }

  plan(): Promise<Plan> {
    return this.#inTurn(async () => makePlan((await this.#state.current()).view));
  }

  async pin(message: PinInput): Promise<PinOutcome> {
    const isNote = typeof message === "object" && message !== null && typeof message.note === "string";
    if (typeof message !== "string" && !isNote) throw invalidOption("session.pin", message, "a message id or { note }");
    return this.#inTurn(() => pinMessage(this.#state, message));
  }

  /** By pin id or message id; false when there was no such pin. */
  unpin(id: string): Promise<boolean> {
    return this.#inTurn(() => unpinMessage(this.#state, id));
  }

  async clear(options: ClearOptions = {}): Promise<void> {
    checkOptions(options, CLEAR_RULES, "session.clear");
    await this.#inTurn(() => clearHistory(this.#state, options.scope));
  }

  /** Everything so far is cleared, instructions included, and these messages take its place. */
  replace(messages: unknown): Promise<Appended> {
    return this.#inTurn(() => replaceHistory(this.#state, messages));
  }

  undo(entryId?: EntryId): Promise<UndoOutcome> {
    return this.#inTurn(() => undoEntry(this.#state, entryId));
  }

  async fork(atSeq?: number): Promise<Session> {
    return this.#open(await this.#inTurn(() => forkSession(this.#state, atSeq)));
  }

  delete(messageId: string): Promise<Deletion> {
    return this.#inTurn(() => deleteMessage(this.#state, messageId, async (id) => (await this.#open(id)).#state));
  }

  /** A copy of the messages above the floor, as they were said. */
  history(): Promise<readonly Message[]> {
    return this.#inTurn(async () =>
      structuredClone((await this.#state.current()).view.messages.map(({ message }) => message)),
    );
  }

  budget(): Promise<SessionBudget> {
    return this.#inTurn(() => readBudget(this.#state));
  }

  compactionStatus(): Promise<CompactionStatus> {
    return this.#inTurn(() => readStatus(this.#state));
  }

  async search(text: string, { limit = 50 }: { readonly limit?: number } = {}): Promise<readonly SearchHit[]> {
    if (typeof text !== "string") throw invalidOption("session.search", text, "a text");
    return this.#state.context.store.search({ text, sessionId: this.id, limit });
  }

  /** Resolves when what was asked of this session so far is done, also what goes on behind it. */
  async settle(): Promise<void> {
    await this.#queue.catch(() => undefined);
    await this.#afterReply;
    await this.#state.preparation.wait();
    await this.#queue.catch(() => undefined);
  }

  /** Gives up what is being made ready: whoever closes does not wait for a model. */
  abandon(): void {
    this.#state.preparation.close();
  }

  async #handOut(request: PromptRequest, refusal?: RefusalFacts): Promise<Prompt> {
    const prompt = await handOutPrompt(this.#state, request, refusal);
    if (request.preview !== true) this.#asked = { promptId: prompt.id, request, tokens: prompt.report.tokens };
    return prompt;
  }

  async #endsWithReply(): Promise<boolean> {
    const { view } = await this.#inTurn(() => this.#state.current());
    return endsGeneration(view.messages.slice(-1).map(({ message }) => message));
  }

  /** What the policy does after a reply, a while later and without keeping anybody waiting. */
  #followUp(): void {
    const { context } = this.#state;
    const request = this.#asked?.request ?? {};
    const { phase, pauseMs } = context.settingsFor(request.model ?? context.defaults.model);
    // One that has not begun yet will see what came meanwhile.
    if (phase !== "post-response" || this.#isFollowing) return;
    const before = this.#afterReply;
    this.#isFollowing = true;
    this.#afterReply = (async () => {
      await before;
      if (pauseMs > 0) await context.sleep(pauseMs);
      this.#isFollowing = false;
      await this.#inTurn(() => beginAfterReply(this.#state, request));
      await this.#state.preparation.wait();
      await this.#inTurn(() => finishAfterReply(this.#state, request));
    })().catch((error: unknown) => {
      this.#state.warn(
        `The compaction after a reply failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  }

  /** A preview is applied in its turn, like any other verb. */
  #inTurnPreview(preview: CompactionPreview): CompactionPreview {
    return {
      ...preview,
      edit: (text) => this.#inTurnPreview(preview.edit(text)),
      apply: () => this.#inTurn(() => preview.apply()),
    };
  }

  async #require(messageId: string): Promise<MessageEntry> {
    const entry = await this.#state.context.store.findMessage(this.id, messageId);
    if (entry !== undefined) return entry;
    const text = `There is no message ${JSON.stringify(messageId)} in this session.`;
    throw new PalimpsestError("message-not-found", text);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#arrivals.part();
    return this.#enqueue(work);
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
