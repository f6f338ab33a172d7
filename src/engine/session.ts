/**
 * One conversation, as its user holds it. Every verb waits for the ones before it, brings the view up to date, and
 * calls the file that knows how; no policy lives here.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { EntryId, MessageEntry, NoteEntry, PromptId, SessionId } from "../core/log/entry.ts";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import type { Message } from "../core/message/message.ts";
import { type Explanation, explainMessage } from "../core/plan/explain-message.ts";
import { makePlan, type Plan } from "../core/plan/plan.ts";
import type { SearchHit } from "../ports/store.ts";
import { type Appended, type AppendOptions, appendInput, appendMessages, readInput } from "./append-messages.ts";
import { ANYTHING, checkOptions, FLAG, invalidOption, oneOf, TEXT, TOKENS } from "./check-options.ts";
import { clearHistory, replaceHistory } from "./clear-history.ts";
import { type Deletion, deleteMessage } from "./delete-message.ts";
import { forkSession } from "./fork-session.ts";
import { handOutPrompt } from "./hand-out-prompt.ts";
import { type PinInput, type PinOutcome, pinMessage, unpinMessage } from "./pin-message.ts";
import type { Prompt } from "./prompt.ts";
import type { PromptRequest } from "./prompt-request.ts";
import type { SessionState } from "./session-state.ts";
import { type CompactionStatus, readBudget, readStatus, type SessionBudget } from "./session-status.ts";
import { type SyncOutcome, syncMessages } from "./sync-messages.ts";
import { type UndoOutcome, undoEntry } from "./undo-entry.ts";

export interface PromptOptions extends Omit<PromptRequest, "next"> {
  /** Appended before the prompt is made, and acknowledged even if the prompt cannot be. */
  readonly next?: unknown;
}

export interface ClearOptions {
  /** `next-generation`: the next reply is made without history, then it is back. */
  readonly scope?: "for-good" | "next-generation" | undefined;
}

const PROMPT_RULES = {
  next: ANYTHING,
  instructions: TEXT,
  tools: ANYTHING,
  notes: TEXT,
  provider: TEXT,
  preview: FLAG,
  ceilingTokens: TOKENS,
  model: TEXT,
  counter: TEXT,
  budgetTokens: TOKENS,
  windowTokens: TOKENS,
  reserveTokens: TOKENS,
};
const APPEND_RULES = { promptId: TEXT, usage: ANYTHING, format: oneOf(...FORMAT_NAMES) };
const CLEAR_RULES = { scope: oneOf("for-good", "next-generation") };

/** A provider that refused a prompt gets one of at most this share of it. */
const SMALLER = 0.8;

export class Session {
  readonly id: SessionId;
  readonly #state: SessionState;
  readonly #open: (id: SessionId) => Promise<Session>;
  #queue: Promise<unknown> = Promise.resolve();
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
    return this.#inTurn(() => appendInput(this.#state, messages, options));
  }

  /** Brings the log in line with the list that a client resends. A list that goes another way becomes a fork. */
  async sync(messages: readonly unknown[]): Promise<SyncOutcome & { readonly session: Session }> {
    if (!Array.isArray(messages)) throw invalidOption("session.sync", messages, "the client's list of messages");
    const outcome = await this.#inTurn(() =>
      syncMessages(this.#state, messages, async (id) => (await this.#open(id)).#state),
    );
    return { ...outcome, session: outcome.sessionId === this.id ? this : await this.#open(outcome.sessionId) };
  }

  async prompt(options: PromptOptions = {}): Promise<Prompt> {
    checkOptions(options, PROMPT_RULES, "session.prompt");
    const { next, ...request } = options;
    return this.#inTurn(async () => {
      const messages = next === undefined ? [] : await readInput(this.#state, next);
      if (request.preview === true) return this.#handOut({ ...request, next: messages });
      if (messages.length > 0) await appendMessages(this.#state, messages, {});
      return this.#handOut(request);
    });
  }

  /** The provider said that a prompt was too long: a smaller one, or the error that names the floor. */
  refused(_error: unknown, options: { readonly promptId?: PromptId | undefined } = {}): Promise<Prompt> {
    return this.#inTurn(async () => {
      const asked = this.#asked;
      const tokens = asked?.tokens ?? (await readStatus(this.#state)).currentTokens;
      if (asked !== undefined && options.promptId !== undefined && options.promptId !== asked.promptId) {
        throw new PalimpsestError(
          "message-invalid",
          `promptId: ${options.promptId} is not the newest prompt of this session.`,
        );
      }
      return this.#handOut({ ...asked?.request, ceilingTokens: Math.floor(tokens * SMALLER) });
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
    const { scope = "for-good" } = options;
    await this.#inTurn(() => clearHistory(this.#state, scope));
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

  /** Resolves when what was asked of this session so far is done. */
  async settle(): Promise<void> {
    await this.#queue.catch(() => undefined);
  }

  async #handOut(request: PromptRequest): Promise<Prompt> {
    const prompt = await handOutPrompt(this.#state, request);
    if (request.preview !== true) this.#asked = { promptId: prompt.id, request, tokens: prompt.report.tokens };
    return prompt;
  }

  async #require(messageId: string): Promise<MessageEntry> {
    const entry = await this.#state.context.store.findMessage(this.id, messageId);
    if (entry !== undefined) return entry;
    const text = `There is no message ${JSON.stringify(messageId)} in this session.`;
    throw new PalimpsestError("message-not-found", text);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
