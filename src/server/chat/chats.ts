/**
 * The turns that are under way, one for each chat and session. A turn goes on when its client goes away; only who
 * cancels it, and the end of the server, stop it. Where several servers share a store, each runs turns that it has
 * claimed, and knows of the others' by asking.
 */
import { randomUUID } from "node:crypto";
import type { ToolSet } from "ai";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Relay } from "../../ports/relay.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { within } from "../http/within.ts";
import { type ChatModel, findModel } from "../prompts/chat-model.ts";
import type { LastPrompts } from "../prompts/last-prompts.ts";
import { type FindTurnRequest, nameModel } from "../prompts/turn-request.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ChatLimits } from "./chat-limits.ts";
import { ChatStream } from "./chat-stream.ts";
import { EarlyCancels } from "./early-cancels.ts";
import { type ChatRequest, findSession } from "./find-session.ts";
import { isAboutElse, whenLeft } from "./make-room.ts";
import { type Received, receiveMessages } from "./receive-messages.ts";
import { Reply } from "./reply.ts";
import { runTurn, type TurnEnd } from "./run-turn.ts";
import { type OwnTurn, SharedTurns } from "./shared-turns.ts";
import type { ReadFailure, StopReason } from "./turn.ts";

export interface ChatParts {
  /** The first is the default. */
  readonly models: readonly ChatModel[];
  readonly tools: ToolSet | undefined;
  readonly limits: ChatLimits;
  /** To the other servers on the same store. */
  readonly relay: Relay;
  readonly prompts: LastPrompts;
  readonly findTurnRequest: FindTurnRequest;
  readonly readFailure: ReadFailure;
  /** Told of what nobody expected. */
  readonly onError: (error: unknown) => void;
}

/** A turn that is under way here. */
export interface RunningTurn {
  readonly sessionId: string;
  /** Of the reply. */
  readonly messageId: string;
  readonly stream: ChatStream;
  /** Never rejects; resolves when what came is stored. */
  readonly done: Promise<TurnEnd>;
  stop(reason: StopReason): void;
}

interface Running extends RunningTurn {
  /** Of this turn and no other, whichever message it goes on with. */
  readonly id: string;
  readonly keys: readonly string[];
  readonly request: ChatRequest;
}

/** For a turn that was told to stop: longer than storing takes, shorter than anybody waits. */
const STOP_MS = 5_000;

export class Chats {
  readonly #parts: ChatParts;
  /** Undefined while a turn is about to begin. */
  readonly #running = new Map<string, Running | undefined>();
  readonly #shared: SharedTurns;
  readonly #cancels = new EarlyCancels();
  #isEnding = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#shared = new SharedTurns({
      relay: parts.relay,
      findOwn: (key) => this.#findOwn(key),
      mostCharacters: parts.limits.streamCharacters,
      onError: parts.onError,
    });
  }

  /** What the client said is stored when this resolves; the reply comes by the stream. */
  async begin(tenant: Tenant, request: ChatRequest): Promise<RunningTurn> {
    const model = findModel(this.#parts.models, request.model);
    await this.#makeRoom(keyOf(tenant, request.id), request);
    const held: string[] = [];
    try {
      await this.#hold(held, keyOf(tenant, request.id));
      const found = await findSession(tenant.engine, request);
      await this.#hold(held, keyOf(tenant, found.id));
      const received = await receiveMessages(found, { request, tools: this.#parts.tools });
      await this.#hold(held, keyOf(tenant, received.session.id));
      return this.#start({ tenant, request, model, received, keys: held });
    } catch (error) {
      await this.#letGo(held);
      throw error;
    }
  }

  /**
   * The same for whoever brings a message into a session in their own way: `store` is called when no other reply of it
   * is under way, and `before`, which never rejects, is waited for before the model is asked.
   */
  async answer(tenant: Tenant, { session, store, before }: AnswerRequest): Promise<RunningTurn> {
    const model = findModel(this.#parts.models, undefined);
    const keys: string[] = [];
    try {
      await this.#hold(keys, keyOf(tenant, session.id));
      await store();
      return this.#start({ tenant, request: { id: session.id }, model, received: { session }, keys, before });
    } catch (error) {
      await this.#letGo(keys);
      throw error;
    }
  }

  /** The stream that is under way, here or at another server, by the chat's id or by that of the session. */
  async find(tenant: Tenant, id: string): Promise<ChatStream | undefined> {
    const key = keyOf(tenant, id);
    return this.#running.get(key)?.stream ?? this.#shared.follow(key);
  }

  /** Resolves when what came is stored; false where there is nothing to cancel. */
  async cancel(tenant: Tenant, id: string): Promise<boolean> {
    const key = keyOf(tenant, id);
    if (this.#running.has(key) && this.#running.get(key) === undefined) await this.#cancels.wait(key);
    const turn = this.#findOwn(key);
    if (turn === undefined) return this.#shared.cancel(key);
    await turn.cancel();
    return true;
  }

  /** Lets turns end by themselves for so long; whether all of them did. */
  async drain(withinMs: number): Promise<boolean> {
    let isDone = false;
    const done = Promise.all(this.#turns().map((turn) => turn.done)).then(() => {
      isDone = true;
    });
    await within(done, withinMs);
    return isDone;
  }

  /** Turns that are under way end now and keep what came. One about to begin has its words in the log, and no reply. */
  hurry(): void {
    this.#isEnding = true;
    for (const turn of this.#turns()) turn.stop("server-end");
    this.#shared.leave();
  }

  /** After turns were told to end: what came of them is stored first. */
  async close(): Promise<void> {
    await this.drain(STOP_MS);
    await this.#shared.close();
  }

  #turns(): readonly Running[] {
    return [...new Set(this.#running.values())].filter((turn) => turn !== undefined);
  }

  /** Somebody who has left a reply and says something else does not want it: what came of it is kept. */
  async #makeRoom(key: string, request: ChatRequest): Promise<void> {
    const turn = this.#running.get(key);
    if (turn === undefined) return;
    if (!isAboutElse(request, turn.request) || !(await whenLeft(turn.stream))) throw streamActive();
    turn.stop("cancelled");
    await turn.done;
  }

  /** Adds a key that nobody has to those that a turn has. */
  async #hold(held: string[], key: string): Promise<void> {
    if (held.includes(key)) return;
    if (this.#running.has(key)) throw streamActive();
    this.#running.set(key, undefined);
    held.push(key);
    if (await this.#shared.claim(key)) return;
    held.pop();
    this.#running.delete(key);
    this.#cancels.take([key]);
    throw streamActive();
  }

  async #letGo(keys: readonly string[]): Promise<void> {
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

  #start({ tenant, request, model, received, keys, before }: Starting): RunningTurn {
    const { tools, limits, readFailure, onError, prompts, findTurnRequest } = this.#parts;
    const { session, begun, answers, isAnswered, forked } = received;
    const stream = new ChatStream();
    const reply = new Reply(tenant.engine.newMessageId(), begun);
    const stopping = new AbortController();
    const { instructions, budgetTokens } = request;
    const said = {
      session,
      chatId: request.id,
      isAnswered,
      model: model.forSession(session),
      modelName: nameModel(model, session),
      isOffline: model.isOffline,
      tools,
    };
    const turn = {
      ...said,
      findRequest: () => findTurnRequest({ tenant, session }, { model: model.id, instructions, budgetTokens }),
      onPrompt: (prompt: Prompt) => prompts.keep({ tenantId: tenant.id, sessionId: session.id }, prompt),
      ...{ engine: tenant.engine, stream, reply, limits, readFailure, answers, forked, signal: stopping.signal },
    };
    const done = (before === undefined ? runTurn(turn) : before().then(() => runTurn(turn))).then(async (end) => {
      // Whoever has seen the end can begin the next turn, at any server.
      await this.#letGo(keys);
      stream.end();
      if (end.error !== undefined) onError(end.error);
      return end;
    });
    const stop = (reason: StopReason) => stopping.abort(reason);
    if (this.#isEnding) stop("server-end");
    const running = { id: randomUUID(), sessionId: session.id, messageId: reply.id, stream, done, keys, request, stop };
    for (const key of keys) this.#running.set(key, running);
    if (this.#cancels.take(keys)) stop("cancelled");
    return running;
  }
}

export interface AnswerRequest {
  readonly session: Session;
  readonly store: () => Promise<unknown>;
  readonly before: () => Promise<void>;
}

interface Starting {
  readonly tenant: Tenant;
  readonly request: ChatRequest;
  readonly model: ChatModel;
  readonly received: Received;
  readonly keys: readonly string[];
  readonly before?: (() => Promise<void>) | undefined;
}

function keyOf({ id }: Tenant, chatId: string): string {
  return JSON.stringify([id, chatId]);
}

function streamActive(): RefusedRequest {
  const text = "A reply of this session is under way; wait for it, resume it or cancel it.";
  return new RefusedRequest("stream-active", text);
}
