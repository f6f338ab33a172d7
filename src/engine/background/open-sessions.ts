/** The open sessions of one tenant, one handle each, so that calls on a session wait for each other. */
import type { SessionId } from "../../core/log/entry.ts";
import { createPartCompactor } from "../compaction/fold-part.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { loadCounts } from "../context/prompt-request.ts";
import { Session } from "../session/session.ts";
import type { LateSummary } from "../state/late-summary.ts";
import { SessionState } from "../state/session-state.ts";

const MAX_WAITING = 100;

export class OpenSessions {
  readonly context: EngineContext;
  readonly #begin: () => Promise<Session>;
  readonly #open = new Map<SessionId, WeakRef<Session>>();
  /** Removes the ids of sessions that nothing uses any more, or a long-running server would keep all of them. */
  readonly #collected = new FinalizationRegistry<SessionId>((id) => {
    if (this.find(id) === undefined) this.#open.delete(id);
  });
  /** Holds each session that waits for a late summary, because the summary would be lost with its session. */
  readonly #waiting = new Map<LateSummary, Session>();

  constructor(context: EngineContext, begin: () => Promise<Session>) {
    this.context = context;
    this.#begin = begin;
  }

  find(id: SessionId): Session | undefined {
    return this.#open.get(id)?.deref();
  }

  async hold(id: SessionId): Promise<Session> {
    const known = this.find(id);
    if (known !== undefined) return known;
    const state = await this.readState(id);
    const opened = this.find(id);
    if (opened !== undefined) return opened;
    const session = new Session(state, { open: (other) => this.hold(other), begin: () => this.#begin() });
    this.#open.set(id, new WeakRef(session));
    this.#collected.register(session, id);
    state.late.onKept = (isKept) => (isKept ? this.#keep(state.late, session) : this.#waiting.delete(state.late));
    return session;
  }

  /** Keeps a limited number of late summaries. Discards the oldest one, whose cost still counts. */
  #keep(late: LateSummary, session: Session): void {
    this.#waiting.set(late, session);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING) oldest?.discard();
  }

  /** Returns the state of a session without keeping a handle. */
  async readState(id: SessionId): Promise<SessionState> {
    const state = new SessionState(id, this.context, await loadCounts(this.context, {}));
    state.compactor = createPartCompactor(state);
    return state;
  }

  forget(id: SessionId): void {
    this.find(id)?.abandon();
    this.#open.delete(id);
  }

  abandon(): void {
    for (const reference of this.#open.values()) reference.deref()?.abandon();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.#open.values()].map((reference) => reference.deref()?.settle()));
    this.#open.clear();
  }
}
