/**
 * Leases of one tenant's sessions. While a process lives they run on a clock that never goes back; a line in the file
 * says by the wall clock what somebody who opens the store next needs to know. A wall clock that was set back since the
 * grant ends a lease, because nobody can say how much of it is left.
 */
import { randomUUID } from "node:crypto";
import type { SessionId } from "../../core/log/entry.ts";
import type { Lease } from "../../ports/store.ts";
import type { SessionLog } from "./session-log.ts";
import type { LeaseLine } from "./stored-line.ts";

interface Held {
  readonly token: string;
  /** On the clock that never goes back. */
  readonly untilMs: number;
}

export class SessionLeases {
  readonly #monotonicNow: () => number;
  /** Undefined for those that nobody holds. */
  readonly #held = new Map<SessionId, Held | undefined>();

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow;
  }

  async grant(log: SessionLog, ttlMs: number): Promise<Lease | undefined> {
    const held = await this.#find(log);
    if (held !== undefined && held.untilMs > this.#monotonicNow()) return undefined;
    const lease = { fence: log.session.facts.fence + 1, token: randomUUID() };
    await this.#write(log, lease, ttlMs);
    return lease;
  }

  async renew(log: SessionLog, lease: Lease, ttlMs: number): Promise<boolean> {
    if ((await this.#find(log))?.token !== lease.token) return false;
    await this.#write(log, lease, ttlMs);
    return true;
  }

  async release(log: SessionLog, lease: Lease): Promise<void> {
    if ((await this.#find(log))?.token !== lease.token) return;
    await log.volume.append([{ kind: "lease", sessionId: log.id, fence: lease.fence }]);
    this.#held.set(log.id, undefined);
  }

  forget(id: SessionId): void {
    this.#held.delete(id);
  }

  async #write(log: SessionLog, { fence, token }: Lease, ttlMs: number): Promise<void> {
    const granted = { token, atMs: Date.now(), ttlMs };
    await log.volume.append([{ kind: "lease", sessionId: log.id, fence, granted }]);
    this.#held.set(log.id, { token, untilMs: this.#monotonicNow() + ttlMs });
  }

  async #find({ id, session, volume }: SessionLog): Promise<Held | undefined> {
    if (this.#held.has(id)) return this.#held.get(id);
    const [line] = session.facts.lease === undefined ? [] : await volume.readLines([session.facts.lease]);
    const held = line?.kind === "lease" ? this.#heldBy(line) : undefined;
    this.#held.set(id, held);
    return held;
  }

  #heldBy({ granted }: LeaseLine): Held | undefined {
    if (granted === undefined) return undefined;
    const agoMs = Date.now() - granted.atMs;
    const leftMs = agoMs < 0 ? 0 : granted.ttlMs - agoMs;
    return { token: granted.token, untilMs: this.#monotonicNow() + leftMs };
  }
}
