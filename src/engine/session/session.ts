/** One conversation, for the caller. Methods that only read are in `SessionReader`. */
import { checkArgument, checkOptions, ID, invalidOption, required, TEXT } from "../../core/check-options.ts";
import { sessionNotFound } from "../../core/errors.ts";
import type { EntryId, EventNoteEntry, PromptId, SessionId } from "../../core/log/entry.ts";
import type { MessagesInput } from "../../core/message/input-types.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { purgeHistory } from "../../core/prompt/tiers/track-stability.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { waitForPreparation } from "../compaction/compact-for-prompt.ts";
import {
  type CompactionPreview,
  type CompactOutcome,
  type CompactRequest,
  type NotCompacted,
  previewCompaction,
} from "../compaction/manual-compaction.ts";
import { editSummary, resummarize } from "../compaction/rewrite-summary.ts";
import { applyInBackground, FollowUp, runJob } from "../compaction/run-job.ts";
import { isAbortError, rejectOnAbort, throwIfAborted } from "../context/errors.ts";
import type { AssumedRequest, PromptRequest } from "../context/prompt-request.ts";
import { Arrivals, TurnQueue } from "../context/turn-queue.ts";
import { limitPromptWait, type WaitTimer, withWaitTimer } from "../context/wait-timer.ts";
import { type AppendedForPrompt, appendWithPrompt } from "../prompt/append-with-prompt.ts";
import { buildPrompt } from "../prompt/build-prompt.ts";
import { finishPrompt } from "../prompt/finish-prompt.ts";
import type { Prompt } from "../prompt/prompt.ts";
import {
  type AppendOptions,
  type AppendResult,
  appendMessages,
  endsGeneration,
  readInput,
  readReply,
} from "../state/append-messages.ts";
import type { SessionState } from "../state/session-state.ts";
import type { WorkspaceContext } from "../workspace/workspace-context.ts";
import {
  clearHistory,
  type Deletion,
  deleteMessage,
  dismissMessage,
  type PinInput,
  type PinOutcome,
  pinMessage,
  replaceHistory,
  type UndoOutcome,
  undoEntry,
  unpinMessage,
} from "./change-view.ts";
import { forkSession } from "./fork-session.ts";
import { readRefusal, requirePrompt } from "./read-refusal.ts";
import { readReportedUsage } from "./read-reported-usage.ts";
import {
  APPEND_RULES,
  CLEAR_RULES,
  type ClearOptions,
  COMPACT_RULES,
  FORK_RULES,
  type ForkOptions,
  PROMPT_RULES,
  type PromptOptions,
  REFUSED_RULES,
  RESUMMARIZE_RULES,
  type RefusedOptions,
  SYNC_RULES,
} from "./session-options.ts";
import { SessionReader } from "./session-reader.ts";
import { readSpentUsd } from "./session-usage.ts";
import { type SyncOptions, type SyncOutcome, syncMessages } from "./sync-messages.ts";

export interface OtherSessions {
  readonly open: (id: SessionId) => Promise<Session>;
  readonly begin: () => Promise<Session>;
}

interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  readonly refusal?: RefusalFacts | undefined;
}

/**
 * One conversation: its log, and the prompts that fit into a window. `palimpsest.session(id)` returns it.
 *
 * @example
 * ```ts
 * const prompt = await session.prompt({ next: { role: "user", content: "Hello" }, model: "gpt-5" });
 * const { messages } = prompt.as("openai");
 * await session.append({ role: "assistant", content: "Hi." }, { promptId: prompt.id });
 * ```
 */
export class Session extends SessionReader {
  readonly #state: SessionState;
  readonly #others: OtherSessions;
  readonly #followUp: FollowUp;
  readonly #turns: TurnQueue;

  constructor(state: SessionState, others: OtherSessions) {
    const turns = new TurnQueue((work) => state.memory.use(work));
    super(state, turns);
    this.#turns = turns;
    this.#state = state;
    this.#others = others;
    this.#followUp = new FollowUp(state);
    state.preparation.apply = () => turns.enqueue(() => applyInBackground(state, state.asked?.request ?? {}));
  }

  get workspace(): WorkspaceContext {
    return this.#state.workspace;
  }

  /** Appends messages in any known format, all or none. Messages with ids can be sent again; others are new each time. */
  async append(messages: MessagesInput, options: AppendOptions = {}): Promise<AppendResult> {
    checkOptions(options, APPEND_RULES, "session.append");
    const { promptId, format } = options;
    const usage = readReportedUsage(options.usage, "session.append: usage");
    const { read, appended } = await this.#turns.inTurn(async () => {
      if (promptId !== undefined) await requirePrompt(this.#state, promptId, "session.append");
      if (promptId === undefined) {
        const read = await readInput(this.#state, messages, format);
        return { read, appended: await appendMessages(this.#state, read, { usage }) };
      }
      const { messages: read, altered } = await readReply(this.#state, messages, format);
      return { read, appended: await appendMessages(this.#state, read, { promptId, usage, altered }) };
    });
    if (endsGeneration(read)) this.#scheduleFollowUp();
    return appended;
  }

  /** Syncs the log with the list that a client resends. A list that branches becomes a fork. */
  async sync(
    messages: readonly unknown[],
    options: SyncOptions = {},
  ): Promise<SyncOutcome & { readonly session: Session }> {
    if (!Array.isArray(messages)) throw invalidOption("session.sync", messages, "the client's list of messages");
    checkOptions(options, SYNC_RULES, "session.sync");
    const open = async (id: SessionId) => (await this.#others.open(id)).#state;
    const outcome = await this.#turns.inTurn(() => syncMessages(this.#state, messages, { ...options, open }));
    if (outcome.type === "appended" && options.preview !== true) await this.resume();
    if (outcome.sessionId === this.id) return { ...outcome, session: this };
    return { ...outcome, session: this.#shareWorkspace(await this.#others.open(outcome.sessionId)) };
  }

  async prompt(options: PromptOptions = {}): Promise<Prompt> {
    checkOptions(options, PROMPT_RULES, "session.prompt");
    const { next, signal, ...request } = options;
    throwIfAborted(signal);
    if (request.preview === true) return rejectOnAbort(this.#previewPrompt({ ...request, next }), signal);
    if (next === undefined) {
      return rejectOnAbort(
        this.#turns.inTurn(() => this.#buildPrompt(request, { signal })),
        signal,
      );
    }
    const arrival = this.#turns.arrivals.add(next);
    const turn = this.#turns.enqueue(async () => {
      if (Arrivals.takeLone(arrival)) {
        const { prompt } = await this.#appendForPrompt(next, request, signal);
        return prompt ?? this.#buildPrompt(request, { signal });
      }
      await Arrivals.appendAll(arrival, async (each) =>
        appendMessages(this.#state, await readInput(this.#state, each), {}),
      );
      return this.#buildPrompt(request, { signal });
    });
    return rejectOnAbort(turn, signal);
  }

  /**
   * Appends messages, and in the same write makes the prompt that answers them, if that needs no compaction and nothing
   * else was appended. For servers, which always answer a message.
   */
  async appendForPrompt(messages: MessagesInput, request: AssumedRequest | undefined): Promise<AppendedForPrompt> {
    return this.#turns.inTurn(() => this.#appendForPrompt(messages, request));
  }

  /** Call it when a provider refuses a prompt as too long. Returns a smaller one. Other errors throw `not-too-long`. */
  async refused(error: unknown, options: RefusedOptions = {}): Promise<Prompt> {
    checkOptions(options, REFUSED_RULES, "session.refused");
    return this.#turns.inTurn(async () => {
      const { ceilingTokens, facts } = await readRefusal(this.#state, error, options);
      return this.#buildPrompt({ ...this.#state.asked?.request, ceilingTokens }, { refusal: facts });
    });
  }

  /** Records that a generation ended without a message; `promptId` is undefined if no prompt was made. */
  async ended(promptId: PromptId | undefined, reason: string): Promise<void> {
    const { ids, clock } = this.#state.context;
    const note = {
      type: "note",
      kind: "generation-end",
      id: ids.entry("note"),
      at: clock.now(),
      ...(promptId === undefined ? {} : { promptId }),
      text: reason,
    } as const;
    await this.#turns.inTurn(() => this.#state.append([note satisfies Omit<EventNoteEntry, "seq">]));
    if (promptId !== undefined) this.#scheduleFollowUp();
  }

  compact(options: CompactRequest & { readonly preview: true }): Promise<CompactionPreview | NotCompacted>;
  compact(options?: CompactRequest & { readonly preview?: false | undefined }): Promise<CompactOutcome>;
  /** Folds everything before the tail now. With `preview`, returns the effect without writing it. */
  async compact(
    options: CompactRequest & { readonly preview?: boolean | undefined } = {},
  ): Promise<CompactionPreview | CompactOutcome> {
    checkOptions(options, COMPACT_RULES, "session.compact");
    const { preview, as, signal, ...choices } = options;
    const turn = async (timer: WaitTimer) => {
      throwIfAborted(signal);
      const waiting = { timer, signal };
      await waitForPreparation(this.#state, waiting);
      const request = as ?? this.#state.asked?.request ?? {};
      const proposal = await previewCompaction(this.#state, { request, ...choices }, waiting);
      if (proposal.type !== "preview") return proposal;
      throwIfAborted(signal);
      return preview === true ? this.#inTurnPreview(proposal) : proposal.apply();
    };
    return rejectOnAbort(this.#inLongTurn(turn), signal).catch(returnIfAborted);
  }

  async resummarize(instructions?: string, options: Pick<CompactRequest, "signal"> = {}): Promise<CompactOutcome> {
    checkOptions({ instructions }, { instructions: TEXT }, "session.resummarize");
    checkOptions(options, RESUMMARIZE_RULES, "session.resummarize");
    const { signal } = options;
    const work = this.#inLongTurn(async (timer) => {
      throwIfAborted(signal);
      const request = this.#state.asked?.request ?? {};
      return resummarize(this.#state, { request, instructions, signal }, { timer, signal });
    });
    return rejectOnAbort(work, signal).catch(returnIfAborted);
  }

  /** Replaces the text of the live summary. `undo` restores the old one. */
  async editSummary(text: string): Promise<SummaryRecord> {
    const request = this.#state.asked?.request ?? {};
    return this.#turns.inTurn(() => editSummary(this.#state, { text, request }));
  }

  async pin(message: PinInput): Promise<PinOutcome> {
    if (typeof message === "object") checkOptions(message, { note: required(ID) }, "session.pin");
    else checkArgument(message, ID, "session.pin");
    return this.#turns.inTurn(() => pinMessage(this.#state, message));
  }

  /** Removes a pin by pin id or message id. Returns false if there is no such pin. */
  unpin(id: string): Promise<boolean> {
    return this.#turns.inTurn(() => unpinMessage(this.#state, id));
  }

  /** Leaves a message out of recalled passages, in view and later, until undone. Returns false if it already is. */
  async dismiss(messageId: string): Promise<boolean> {
    checkArgument(messageId, ID, "session.dismiss");
    return this.#turns.inTurn(() => dismissMessage(this.#state, messageId));
  }

  async clear(options: ClearOptions = {}): Promise<void> {
    checkOptions(options, CLEAR_RULES, "session.clear");
    await this.#turns.inTurn(() => clearHistory(this.#state, options.scope));
  }

  /** Clears everything, instructions included, and appends these messages instead. */
  replace(messages: MessagesInput): Promise<AppendResult> {
    return this.#turns.inTurn(() => replaceHistory(this.#state, messages));
  }

  undo(entryId?: EntryId): Promise<UndoOutcome> {
    return this.#turns.inTurn(() => undoEntry(this.#state, entryId));
  }

  /** Forks the session after a seq, by default at its end. A fork with the given id may exist: then it is opened. */
  async fork(atSeq?: number, options: ForkOptions = {}): Promise<Session> {
    checkOptions(options, FORK_RULES, "session.fork");
    return this.#shareWorkspace(
      await this.#others.open(await this.#turns.inTurn(() => forkSession(this.#state, atSeq, options.id))),
    );
  }

  delete(messageId: string): Promise<Deletion> {
    return this.#turns.inTurn(() =>
      deleteMessage(this.#state, messageId, async (id) => (await this.#others.open(id)).#state),
    );
  }

  /** Starts a new session with the same workspace files. This one stays in the store unchanged. */
  async reset(): Promise<Session> {
    const { head } = await this.#turns.inTurn(() => this.#state.current());
    const next = await this.#others.begin();
    next.workspace.inherit(this.workspace, head.tiers && purgeHistory(head.tiers).items);
    return next;
  }

  async rename(title: string): Promise<void> {
    if (typeof title !== "string") throw invalidOption("session.rename", title, "a string");
    const isRenamed = await this.#turns.inTurn(() => this.#state.context.store.renameSession(this.id, title));
    if (!isRenamed) throw sessionNotFound(this.id);
  }

  /** Resolves when all calls so far have ended, background work included. */
  async settle(): Promise<void> {
    await this.#turns.settle();
    await this.#followUp.settle();
    await this.#state.preparation.settle();
    await this.#state.late.wait();
    await this.#turns.settle();
  }

  /** Discards background work, so that closing does not wait for a model. */
  abandon(): void {
    this.#state.preparation.close();
    this.#state.late.discard();
  }

  runJob(signal: AbortSignal): Promise<void> {
    const inTurn = <Result>(work: () => Promise<Result>) => this.#turns.inTurn(work);
    return runJob(this.#state, { lastRequest: this.#state.asked?.request, inTurn, signal });
  }

  /** Submits the job of the last reply again, because the process that had it may have ended. */
  async resume(): Promise<void> {
    if (this.#readSettings().phase !== "post-response") return;
    const { view } = await this.#turns.inTurn(() => this.#state.current());
    if (endsGeneration(view.messages.slice(-1).map(({ message }) => message))) this.#scheduleFollowUp();
  }

  /** Reads new entries ahead of the next call, after a notification that the log has grown. */
  async refresh(seq: number): Promise<void> {
    if (!this.#state.isBehind(seq)) return;
    // The next call reads the session anyway, and gets the error.
    await this.#turns.enqueue(async () => this.#state.isBehind(seq) && this.#state.current()).catch(() => undefined);
  }

  #readSettings({ model }: PromptRequest = this.#state.asked?.request ?? {}): PlanSettings {
    const { context } = this.#state;
    return context.settingsFor(model ?? context.defaults.model);
  }

  #inLongTurn<Result>(work: (timer: WaitTimer) => Promise<Result>): Promise<Result> {
    return this.#turns.inLongTurn(this.#state.context, () => this.#readSettings(), work);
  }

  /** The cost of the session in US dollars, as far as this process knows it. See `usage` for all of it. */
  async spentUsd(): Promise<number> {
    return this.#turns.inTurn(() => readSpentUsd(this.#state));
  }

  async #appendForPrompt(
    input: MessagesInput,
    request: PromptRequest | undefined,
    signal?: AbortSignal | undefined,
  ): Promise<AppendedForPrompt> {
    const messages = await readInput(this.#state, input);
    const mayJoin = request !== undefined && signal?.aborted !== true;
    const joined = mayJoin ? await appendWithPrompt(this.#state, messages, request) : undefined;
    if (joined !== undefined) return joined;
    const appended = await appendMessages(this.#state, messages, {});
    return { ...appended, isNewest: this.#state.isNewest(appended.messages.at(-1)?.seq ?? 0) };
  }

  async #buildPrompt(request: PromptRequest, { signal, refusal }: BuildOptions): Promise<Prompt> {
    const limits = limitPromptWait(this.#readSettings(request));
    const prompt = await withWaitTimer(this.#state.context, limits, (timer) =>
      buildPrompt(this.#state, request, { refusal, waiting: { timer, signal } }),
    );
    this.#state.asked = { promptId: prompt.id, request, tokens: prompt.report.tokens };
    return prompt;
  }

  #previewPrompt({ next, ...request }: PromptOptions): Promise<Prompt> {
    return this.preview({
      readRequest: async () => ({ ...request, next: next === undefined ? next : await readInput(this.#state, next) }),
      derive: ({ finish, error }) => {
        if (error !== undefined) throw error;
        return finishPrompt(this.#state, finish);
      },
    });
  }

  #scheduleFollowUp(): void {
    this.#followUp.schedule(this.#state.asked?.request ?? {});
  }

  #inTurnPreview(preview: CompactionPreview): CompactionPreview {
    return {
      ...preview,
      edit: (text) => this.#inTurnPreview(preview.edit(text)),
      apply: () => this.#turns.inTurn(() => preview.apply()),
    };
  }

  #shareWorkspace(session: Session): Session {
    session.workspace.inherit(this.workspace, undefined);
    return session;
  }
}

function returnIfAborted(error: unknown): { readonly type: "aborted" } {
  if (isAbortError(error)) return { type: "aborted" };
  throw error;
}
