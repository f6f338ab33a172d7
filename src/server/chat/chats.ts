/**
 * The running turns, one for each chat and session. A turn continues if its client disconnects; only a cancel or the
 * shutdown of the server stops it. Servers on one store claim the turns that they run and ask each other about the rest.
 */

import { randomUUID } from "node:crypto";
import type { LanguageModel } from "ai";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Relay } from "../../ports/relay.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { withTimeout } from "../http/with-timeout.ts";
import { type ChatModel, requireModel } from "../prompts/chat-model.ts";
import type { LastPrompts } from "../prompts/last-prompts.ts";
import { nameModel, type OfferedTools } from "../prompts/offered-tools.ts";
import type { FindTurnRequest, TurnFields } from "../prompts/turn-request.ts";
import type { Tenant } from "../tenants/tenants.ts";
import { ChatStream } from "./chat-stream.ts";
import { type ChatRequest, findSession, openSession } from "./find-session.ts";
import { EarlyCancels, isNewQuestion, waitUntilAbandoned } from "./interrupt-turn.ts";
import { type ReceivedMessages, receiveTurnMessages } from "./receive-messages.ts";
import { Reply } from "./reply.ts";
import { runTurn, type TurnEnd } from "./run-turn.ts";
import { type OwnTurn, SharedTurns } from "./shared-turns.ts";
import type { StopReason, Turn } from "./turn.ts";

export interface ChatParts extends Pick<Turn, "limits" | "readFailure"> {
  readonly tools: OfferedTools;
  /** The first is the default. */
  readonly models: readonly ChatModel[];
  readonly relay: Relay;
  readonly prompts: LastPrompts;
  readonly findTurnRequest: FindTurnRequest;
  readonly onError: (error: unknown) => void;
}

export interface RunningTurn {
  readonly sessionId: string;
  readonly messageId: string;
  readonly stream: ChatStream;
  /** Resolves when the output is stored. Never rejects. */
  readonly done: Promise<TurnEnd>;
  stop(reason: StopReason): void;
}

interface TurnRecord extends RunningTurn {
  /** Id of the turn; several turns may continue one message. */
  readonly id: string;
  readonly keys: readonly string[];
  readonly request: ChatRequest;
}

/** Time for a stopped turn to store its output. */
const STOP_MS = 5_000;

export class Chats {
  readonly #parts: ChatParts;
  /** Undefined while a turn is about to start. */
  readonly #running = new Map<string, TurnRecord | undefined>();
  readonly #shared: SharedTurns;
  readonly #cancels = new EarlyCancels();
  #isStopping = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#shared = new SharedTurns({
      relay: parts.relay,
      findOwn: (key) => this.#findOwn(key),
      maxCharacters: parts.limits.streamCharacters,
      onError: parts.onError,
    });
  }

  /** Resolves when the client's messages are stored. The reply arrives by the stream. */
  async begin(tenant: Tenant, request: ChatRequest, beforeFork?: () => void): Promise<RunningTurn> {
    const model = requireModel(this.#parts.models, request.model);
    await this.#endAbandoned(turnKey(tenant, request.id), request);
    const keys: string[] = [];
    try {
      await this.#claim(keys, turnKey(tenant, request.id));
      // A sender that is not allowed to fork is limited to this session, so other branches of the chat are not
      // searched.
      const find = beforeFork === undefined ? findSession : openSession;
      const found = await find(tenant.engine, request);
      await this.#claim(keys, turnKey(tenant, found.id));
      const { tools, findTurnRequest } = this.#parts;
      const findRequest = (session: Session) => findTurnRequest({ tenant, session }, turnFieldsOf(request, model));
      const received = await receiveTurnMessages(found, { request, tools: tools.host, beforeFork, findRequest });
      await this.#claim(keys, turnKey(tenant, received.session.id));
      return await this.#start({ tenant, request, model, received, keys });
    } catch (error) {
      await this.#release(keys);
      throw error;
    }
  }

  /**
   * Starts a turn for a caller that stores the message itself: `storeMessage` is called when no other turn of the
   * session is running, and `beforeModel`, which never rejects, is awaited before the model is called.
   */
  async answer(tenant: Tenant, { session, storeMessage, beforeModel }: AnswerRequest): Promise<RunningTurn> {
    const model = requireModel(this.#parts.models, undefined);
    const keys: string[] = [];
    try {
      await this.#claim(keys, turnKey(tenant, session.id));
      await storeMessage();
      return await this.#start({
        tenant,
        request: { id: session.id },
        model,
        received: { session },
        keys,
        beforeModel,
      });
    } catch (error) {
      await this.#release(keys);
      throw error;
    }
  }

  /** Finds the stream of a turn, here or on another server, by the id of the chat or of the session. */
  async find(tenant: Tenant, id: string): Promise<ChatStream | undefined> {
    const key = turnKey(tenant, id);
    return this.#running.get(key)?.stream ?? this.#shared.follow(key);
  }

  /** Resolves to true when the output is stored, to false if there is nothing to cancel. */
  async cancel(tenant: Tenant, id: string): Promise<boolean> {
    const key = turnKey(tenant, id);
    if (this.#running.has(key) && this.#running.get(key) === undefined) await this.#cancels.wait(key);
    const turn = this.#findOwn(key);
    if (turn === undefined) return this.#shared.cancel(key);
    await turn.cancel();
    return true;
  }

  /** Waits for turns to end by themselves. Resolves to true if all did in time. */
  async drain(withinMs: number): Promise<boolean> {
    let isDone = false;
    const done = Promise.all(this.#turns().map((turn) => turn.done)).then(() => {
      isDone = true;
    });
    await withTimeout(done, withinMs);
    return isDone;
  }

  /** Stops all turns, which store their output. A turn about to start has its message in the log and gets no reply. */
  stopAll(): void {
    this.#isStopping = true;
    for (const turn of this.#turns()) turn.stop("server-end");
    this.#shared.leave();
  }

  /** Waits until stopped turns have stored their output. */
  async close(): Promise<void> {
    await this.drain(STOP_MS);
    await this.#shared.close();
  }

  #turns(): readonly TurnRecord[] {
    return [...new Set(this.#running.values())].filter((turn) => turn !== undefined);
  }

  /** Stops a turn whose client has left and now sends another question. The output is kept. */
  async #endAbandoned(key: string, request: ChatRequest): Promise<void> {
    const turn = this.#running.get(key);
    if (turn === undefined) return;
    if (!isNewQuestion(request, turn.request) || !(await waitUntilAbandoned(turn.stream))) throw streamActive();
    turn.stop("cancelled");
    await turn.done;
  }

  /** Claims a key for a turn and adds it to the keys. Throws if another turn has it. */
  async #claim(keys: string[], key: string): Promise<void> {
    if (keys.includes(key)) return;
    if (this.#running.has(key)) throw streamActive();
    this.#running.set(key, undefined);
    keys.push(key);
    if (await this.#shared.claim(key)) return;
    keys.pop();
    this.#running.delete(key);
    this.#cancels.take([key]);
    throw streamActive();
  }

  async #release(keys: readonly string[]): Promise<void> {
    await this.#shared.release(keys);
    for (const key of keys) this.#running.delete(key);
    this.#cancels.take(keys);
  }

  #findOwn(key: string): OwnTurn | undefined {
    const turn = this.#running.get(key);
    if (turn === undefined) return undefined;
    const cancel = async () => {
      turn.stop("cancelled");
      await turn.done;
    };
    return { id: turn.id, stream: turn.stream, cancel };
  }

  async #start({ tenant, request, model, received, keys, beforeModel }: TurnStart): Promise<RunningTurn> {
    const { tools: offered, limits, readFailure, onError, prompts, findTurnRequest } = this.#parts;
    const { session, started, answers, isAnswered, forked, firstPrompt } = received;
    const user = { engine: tenant.engine, session, model };
    const findTools = await offered.forTurn(user);
    const stream = new ChatStream();
    const reply = new Reply(tenant.engine.newMessageId(), started);
    const stopping = new AbortController();
    const turn = {
      ...{ engine: tenant.engine, session, chatId: request.id, isAnswered, findTools },
      withdrawTools: () => offered.withdraw(user),
      // The AI SDK checks what it is given.
      model: model.forSession(session) as LanguageModel,
      modelName: nameModel(model, session),
      isOffline: model.isOffline,
      findRequest: () => findTurnRequest({ tenant, session }, turnFieldsOf(request, model)),
      firstPrompt,
      onPrompt: (prompt: Prompt) => prompts.keep({ tenantId: tenant.id, sessionId: session.id }, prompt),
      ...{ stream, reply, limits, readFailure, answers, forked, signal: stopping.signal },
    };
    const done = (beforeModel === undefined ? runTurn(turn) : beforeModel().then(() => runTurn(turn))).then(
      async (end) => {
        // Released before the end is visible, so that the next turn can start on any server.
        await this.#release(keys);
        stream.end();
        if (end.error !== undefined) onError(end.error);
        return end;
      },
    );
    const stop = (reason: StopReason) => stopping.abort(reason);
    if (this.#isStopping) stop("server-end");
    const record = { id: randomUUID(), sessionId: session.id, messageId: reply.id, stream, done, keys, request, stop };
    for (const key of keys) this.#running.set(key, record);
    if (this.#cancels.take(keys)) stop("cancelled");
    return record;
  }
}

function turnFieldsOf({ instructions, budgetTokens }: ChatRequest, { id }: ChatModel): TurnFields {
  return { model: id, instructions, budgetTokens };
}

export interface AnswerRequest {
  readonly session: Session;
  readonly storeMessage: () => Promise<unknown>;
  readonly beforeModel: () => Promise<void>;
}

interface TurnStart {
  readonly tenant: Tenant;
  readonly request: ChatRequest;
  readonly model: ChatModel;
  readonly received: ReceivedMessages;
  readonly keys: readonly string[];
  readonly beforeModel?: (() => Promise<void>) | undefined;
}

function turnKey({ id }: Tenant, chatId: string): string {
  return JSON.stringify([id, chatId]);
}

function streamActive(): RefusedRequest {
  const text = "A reply of this session is already running. Wait for it, resume it or cancel it.";
  return new RefusedRequest("stream-active", text);
}
