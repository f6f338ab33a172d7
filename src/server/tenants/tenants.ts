/** The tenants in use, each opened once, at its first request. Only tokens name tenants, so there are few. */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { EventFeed } from "./event-feed.ts";

export interface Tenant {
  readonly id: string;
  /** Sees only the sessions of this tenant. */
  readonly engine: Palimpsest;
  readonly feed: EventFeed;
}

/** Names a session among those of all tenants. */
export interface SessionKey {
  readonly tenantId: string;
  readonly sessionId: string;
}

export class Tenants {
  readonly #open: (tenantId: string) => Promise<Palimpsest>;
  readonly #opened = new Map<string, Promise<Tenant>>();

  constructor(open: (tenantId: string) => Promise<Palimpsest>) {
    this.#open = open;
  }

  find(id: string): Promise<Tenant> {
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const opening = this.#openOne(id);
    this.#opened.set(id, opening);
    // The next request after a failure tries again.
    opening.catch(() => this.#opened.delete(id));
    return opening;
  }

  async all(): Promise<readonly Tenant[]> {
    const settled = await Promise.allSettled(this.#opened.values());
    return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  /** Closes all engines, even if one fails, and then throws the first failure. */
  async close(options: { readonly withinMs?: number | undefined } = {}): Promise<void> {
    const closed = await Promise.allSettled((await this.all()).map(({ engine }) => engine.close(options)));
    this.#opened.clear();
    const failed = closed.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #openOne(id: string): Promise<Tenant> {
    const engine = await this.#open(id);
    return { id, engine, feed: new EventFeed(engine) };
  }
}
