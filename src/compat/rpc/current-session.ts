/**
 * The session that all clients of a tenant share, as the workspace document requires: the one used last when the server
 * starts, then the one that was loaded or created last. An empty store has none until the first message.
 */
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { ignoreCatchingUp } from "../../engine/context/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";

const MAX_WAIT_MS = 2_000;

export class CurrentSession {
  readonly #engine: Palimpsest;
  #session: Session | undefined;
  #creating: Promise<Session> | undefined;

  constructor(engine: Palimpsest) {
    this.#engine = engine;
  }

  get id(): string | undefined {
    return this.#session?.id;
  }

  /** The session in memory, without reading the store. */
  get inMemory(): Session | undefined {
    return this.#session;
  }

  /**
   * Restores the session used last. If it cannot be read, reports the error and starts with an empty history. Does not
   * wait for the first fold of a long import, which takes minutes.
   */
  async restore(onFailure: (error: unknown) => void): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    const restored = this.#restoreNewest(onFailure).finally(() => waiting.abort());
    await Promise.race([restored, setTimeout(MAX_WAIT_MS, undefined, { signal }).catch(() => undefined)]);
  }

  async #restoreNewest(onFailure: (error: unknown) => void): Promise<void> {
    let session: Session | undefined;
    try {
      const [newest] = await this.#engine.sessions({ limit: 1 });
      if (newest === undefined) return;
      session = await this.#engine.load(newest.id);
      this.#session = session;
      await session.liveSummary().catch(ignoreCatchingUp);
    } catch (error) {
      if (this.#session === session) this.#session = undefined;
      onFailure(error);
    }
  }

  /** Returns undefined before the first message, or if the session was deleted. */
  async find(): Promise<Session | undefined> {
    const session = this.#session;
    if (session === undefined) return undefined;
    try {
      await this.#engine.load(session.id);
      return session;
    } catch (error) {
      if (!(error instanceof PalimpsestError) || error.code !== "session-not-found") throw error;
      if (this.#session === session) this.#session = undefined;
      return undefined;
    }
  }

  /** Creates the session if there is none. Concurrent calls get the same one. */
  async require(): Promise<Session> {
    const session = await this.find();
    if (session !== undefined) return session;
    this.#creating ??= this.#engine.create().finally(() => {
      this.#creating = undefined;
    });
    this.#session = await this.#creating;
    return this.#session;
  }

  /** Continues in an existing session and keeps the selected files. */
  async load(id: string): Promise<Session> {
    const session = await this.#engine.load(id);
    const { files } = session.workspace;
    if (this.#session !== undefined && this.#session !== session) {
      files.clear();
      files.copyFrom(this.#session.workspace.files);
    }
    this.#session = session;
    return session;
  }

  /** Starts a new session with the same files. The old one is kept. */
  async begin(): Promise<Session> {
    const session = await this.find();
    this.#session = session === undefined ? await this.#engine.create() : await session.reset();
    return this.#session;
  }
}
