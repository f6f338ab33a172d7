/** The engine as a host holds it: its sessions, what can be asked across them, and its events. */
import { PalimpsestError } from "../core/errors.ts";
import type { SessionId } from "../core/log/entry.ts";
import { EMPTY_HEAD } from "../core/log/head.ts";
import type { SearchHit, SessionSummary, Store } from "../ports/store.ts";
import type { EngineContext } from "./engine-context.ts";
import type { EventName, Listener } from "./events.ts";
import { loadCounts } from "./prompt-size.ts";
import { Session } from "./session.ts";
import { SessionState } from "./session-state.ts";

export class Palimpsest {
  readonly #context: EngineContext;
  readonly #store: Store;
  /** One handle a session while anybody holds it, so that its verbs wait for each other. */
  readonly #open = new Map<SessionId, WeakRef<Session>>();
  #isClosed = false;

  constructor(context: EngineContext, store: Store) {
    this.#context = context;
    this.#store = store;
  }

  /** Opens, creates or resumes. Without an id a new session begins. */
  async session(id?: SessionId): Promise<Session> {
    this.#assertOpen();
    const { store, ids, clock } = this.#context;
    const sessionId = id ?? ids.session();
    const known = this.#open.get(sessionId)?.deref();
    if (known !== undefined) return known;
    const created = await store.createSession({ id: sessionId, createdAt: clock.now() }, EMPTY_HEAD);
    if (created === "exists" && id === undefined) return this.session();
    const state = new SessionState(sessionId, this.#context, await loadCounts(this.#context, {}));
    const opened = this.#open.get(sessionId)?.deref() ?? new Session(state, (other) => this.session(other));
    this.#open.set(sessionId, new WeakRef(opened));
    return opened;
  }

  /** Newest first. */
  async sessions({ limit = 50 }: { readonly limit?: number } = {}): Promise<readonly SessionSummary[]> {
    this.#assertOpen();
    return this.#context.store.listSessions({ limit });
  }

  async search(text: string, { limit = 50 }: { readonly limit?: number } = {}): Promise<readonly SearchHit[]> {
    this.#assertOpen();
    return this.#context.store.search({ text, limit });
  }

  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    return this.#context.emitter.on(name, listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reference of this.#open.values()) reference.deref()?.abandon();
    await Promise.all([...this.#open.values()].map((reference) => reference.deref()?.settle()));
    this.#open.clear();
    await this.#store.close();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new PalimpsestError("closed", "This palimpsest was closed; open a new one.");
  }
}
