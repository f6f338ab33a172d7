/** The tenants that were asked for, each opened once, at its first request: only tokens name one, so they are few. */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { EventFeed } from "./event-feed.ts";
import type { Tenant } from "./tenant.ts";

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
    // Whoever comes after a failure tries again.
    opening.catch(() => this.#opened.delete(id));
    return opening;
  }

  /** Those that are there now. */
  async all(): Promise<readonly Tenant[]> {
    const settled = await Promise.allSettled(this.#opened.values());
    return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  /** All at once, however one of them fails; the first failure is told. */
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
