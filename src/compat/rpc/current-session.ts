/**
 * The session that every client of a tenant talks in, as the workspace document has it: the newest one when the server
 * starts, and whichever somebody loads or begins after that. A store without sessions has none until something is said.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";

export class CurrentSession {
  readonly #engine: Palimpsest;
  #session: Session | undefined;
  #beginning: Promise<Session> | undefined;

  constructor(engine: Palimpsest) {
    this.#engine = engine;
  }

  get id(): string | undefined {
    return this.#session?.id;
  }

  /** As it is known here, without a look at the store. */
  get held(): Session | undefined {
    return this.#session;
  }

  /** A start without yesterday's words is better than none: what cannot be read is told, and the history is empty. */
  async restore(onFailure: (error: unknown) => void): Promise<void> {
    try {
      const [newest] = await this.#engine.sessions({ limit: 1 });
      if (newest === undefined) return;
      const session = await this.#engine.load(newest.id);
      await session.liveSummary();
      this.#session = session;
    } catch (error) {
      onFailure(error);
    }
  }

  /** Undefined where nothing was said yet, or where somebody has deleted it. */
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

  /** Two that come at once get the same one. */
  async require(): Promise<Session> {
    const session = await this.find();
    if (session !== undefined) return session;
    this.#beginning ??= this.#engine.create().finally(() => {
      this.#beginning = undefined;
    });
    this.#session = await this.#beginning;
    return this.#session;
  }

  /** Goes on in a session that is there. The files that were chosen stand beside it. */
  async load(id: string): Promise<Session> {
    const session = await this.#engine.load(id);
    const { files } = session.workspace;
    if (this.#session !== undefined && this.#session !== session) {
      files.clear();
      files.takeOver(this.#session.workspace.files);
    }
    this.#session = session;
    return session;
  }

  /** Another session, beside the same files; what was said stays where it is. */
  async begin(): Promise<Session> {
    const session = await this.find();
    this.#session = session === undefined ? await this.#engine.create() : await session.reset();
    return this.#session;
  }
}
