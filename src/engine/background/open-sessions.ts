/**
 * The sessions of one tenant that somebody holds: one handle each, so that its verbs wait for each other. Who lets go of
 * a handle need not say so.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { loadCounts } from "../context/prompt-size.ts";
import { Session } from "../session/session.ts";
import type { LateSummary } from "../state/late-summary.ts";
import { SessionState } from "../state/session-state.ts";

const MOST_WAITING = 100;

export class OpenSessions {
  readonly context: EngineContext;
  readonly #begin: () => Promise<Session>;
  readonly #open = new Map<SessionId, WeakRef<Session>>();
  /** Sessions that wait for a late summary, or for the snapshot to use it; without its session it would be lost. */
  readonly #waiting = new Map<LateSummary, Session>();

  /** `begin` makes a session that nobody has seen yet. */
  constructor(context: EngineContext, begin: () => Promise<Session>) {
    this.context = context;
    this.#begin = begin;
  }

  find(id: SessionId): Session | undefined {
    return this.#open.get(id)?.deref();
  }

  /** A handle on a session that is stored. */
  async hold(id: SessionId): Promise<Session> {
    const known = this.find(id);
    if (known !== undefined) return known;
    const state = await this.look(id);
    const opened = this.find(id);
    if (opened !== undefined) return opened;
    const session = new Session(state, { open: (other) => this.hold(other), begin: () => this.#begin() });
    this.#open.set(id, new WeakRef(session));
    state.late.onKept = (isKept) => (isKept ? this.#keep(state.late, session) : this.#waiting.delete(state.late));
    return session;
  }

  /** Of very many the oldest is discarded, and counted like every other. */
  #keep(late: LateSummary, session: Session): void {
    this.#waiting.set(late, session);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST_WAITING) oldest?.discard();
  }

  /** A look at a session that nobody needs a handle on. */
  async look(id: SessionId): Promise<SessionState> {
    return new SessionState(id, this.context, await loadCounts(this.context, {}));
  }

  forget(id: SessionId): void {
    this.find(id)?.abandon();
    this.#open.delete(id);
  }

  /** Gives up what is being made ready, so that nobody waits for a model. */
  abandon(): void {
    for (const reference of this.#open.values()) reference.deref()?.abandon();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.#open.values()].map((reference) => reference.deref()?.settle()));
    this.#open.clear();
  }
}
