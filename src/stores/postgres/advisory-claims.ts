/**
 * Claims as PostgreSQL advisory locks, which belong to one connection and end with it. After a lost connection they are
 * claimed again. If another process has claimed one by then, a warning is emitted, and the claim is retried until it
 * is free.
 */
import { createHash } from "node:crypto";
import type { RunQuery } from "./reconnecting-client.ts";

interface Claim {
  readonly lock: string;
  state: "asking" | "held" | "lost";
  isReported: boolean;
}

export class AdvisoryClaims {
  readonly #query: RunQuery;
  readonly #onWarning: (text: string) => void;
  readonly #claims = new Map<string, Claim>();

  constructor(query: RunQuery, onWarning: (text: string) => void) {
    this.#query = query;
    this.#onWarning = onWarning;
  }

  async claim(key: string): Promise<boolean> {
    // The same connection would get the lock a second time.
    if (this.#claims.has(key)) return false;
    const claim: Claim = { lock: hashKey(key), state: "asking", isReported: false };
    this.#claims.set(key, claim);
    try {
      const [row] = await this.#query(LOCK, [[claim.lock]]);
      if (row?.taken === true) claim.state = "held";
      else this.#claims.delete(key);
      return row?.taken === true;
    } catch (error) {
      this.#claims.delete(key);
      throw error;
    }
  }

  async release(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    this.#claims.delete(key);
    if (claim?.state === "held") await this.#query(UNLOCK, [claim.lock]);
  }

  async isClaimedElsewhere(key: string): Promise<boolean> {
    if (this.#claims.get(key)?.state === "held") return false;
    const lock = BigInt.asUintN(64, BigInt(hashKey(key)));
    const [row] = await this.#query(FIND_LOCK, [String(lock >> 32n), String(lock & 0xffff_ffffn)]);
    return row?.found === true;
  }

  lose(): void {
    for (const claim of this.#claims.values()) if (claim.state === "held") claim.state = "lost";
  }

  async reclaim(query: RunQuery): Promise<void> {
    const lost = [...this.#claims].filter(([, { state }]) => state === "lost");
    if (lost.length === 0) return;
    const rows = await query(LOCK, [lost.map(([, { lock }]) => lock)]);
    const taken = new Set(rows.flatMap((row) => (row.taken === true ? [String(row.lock)] : [])));
    for (const [key, claim] of lost) {
      const isTaken = taken.has(claim.lock);
      // The claim may have been released in the meantime.
      if (this.#claims.get(key) !== claim) await (isTaken ? query(UNLOCK, [claim.lock]) : undefined);
      else if (isTaken) claim.state = "held";
      else if (!claim.isReported) this.#report(key, claim);
    }
  }

  #report(key: string, claim: Claim): void {
    claim.isReported = true;
    this.#onWarning(
      `Another process claimed ${key} while the connection to PostgreSQL was lost. Running work continues.`,
    );
  }
}

const LOCK = `
  SELECT lock::text AS lock, pg_try_advisory_lock(lock) AS taken
  FROM unnest($1::bigint[]) AS l (lock)`;

const UNLOCK = "SELECT pg_advisory_unlock($1::bigint)";

/** PostgreSQL shows a lock's number in two halves. */
const FIND_LOCK = `
  SELECT count(*) > 0 AS found FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = $1::oid AND objid = $2::oid
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** 64 bits of a hash: two keys are unlikely to share one. */
function hashKey(key: string): string {
  return String(createHash("sha256").update("palimpsest-claim\n").update(key).digest().readBigInt64BE());
}
