/**
 * Claims as locks that PostgreSQL keeps for one connection and lets go of when that ends. After a connection was lost
 * they are claimed again; one that somebody else has by then is told of, and tried for again until it is released.
 */
import { createHash } from "node:crypto";
import type { Ask } from "./lasting-connection.ts";

interface Claim {
  readonly lock: string;
  state: "asking" | "held" | "lost";
  isTold: boolean;
}

export class AdvisoryClaims {
  readonly #ask: Ask;
  readonly #onWarning: (text: string) => void;
  readonly #claims = new Map<string, Claim>();

  constructor(ask: Ask, onWarning: (text: string) => void) {
    this.#ask = ask;
    this.#onWarning = onWarning;
  }

  async claim(key: string): Promise<boolean> {
    // The connection would be given a lock a second time that it has already.
    if (this.#claims.has(key)) return false;
    const claim: Claim = { lock: lockOf(key), state: "asking", isTold: false };
    this.#claims.set(key, claim);
    try {
      const [row] = await this.#ask(TAKE, [[claim.lock]]);
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
    if (claim?.state === "held") await this.#ask(LET_GO, [claim.lock]);
  }

  async isClaimedElsewhere(key: string): Promise<boolean> {
    if (this.#claims.get(key)?.state === "held") return false;
    const lock = BigInt.asUintN(64, BigInt(lockOf(key)));
    const [row] = await this.#ask(FIND, [String(lock >> 32n), String(lock & 0xffff_ffffn)]);
    return row?.found === true;
  }

  /** The connection that they belonged to is gone. */
  lose(): void {
    for (const claim of this.#claims.values()) if (claim.state === "held") claim.state = "lost";
  }

  async takeAgain(ask: Ask): Promise<void> {
    const lost = [...this.#claims].filter(([, { state }]) => state === "lost");
    if (lost.length === 0) return;
    const rows = await ask(TAKE, [lost.map(([, { lock }]) => lock)]);
    const taken = new Set(rows.flatMap((row) => (row.taken === true ? [String(row.lock)] : [])));
    for (const [key, claim] of lost) {
      const isTaken = taken.has(claim.lock);
      // It may have been released while it was asked for.
      if (this.#claims.get(key) !== claim) await (isTaken ? ask(LET_GO, [claim.lock]) : undefined);
      else if (isTaken) claim.state = "held";
      else if (!claim.isTold) this.#tell(key, claim);
    }
  }

  #tell(key: string, claim: Claim): void {
    claim.isTold = true;
    this.#onWarning(
      `While the connection to PostgreSQL was lost, somebody else claimed ${key}. What is under way here goes on.`,
    );
  }
}

const TAKE = `
  SELECT lock::text AS lock, pg_try_advisory_lock(lock) AS taken
  FROM unnest($1::bigint[]) AS l (lock)`;

const LET_GO = "SELECT pg_advisory_unlock($1::bigint)";

/** PostgreSQL shows the number of a lock in two halves. */
const FIND = `
  SELECT count(*) > 0 AS found FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = $1::oid AND objid = $2::oid
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** 64 bits of a hash, so that no two keys of a database are likely to share one. */
function lockOf(key: string): string {
  return String(createHash("sha256").update("palimpsest-claim\n").update(key).digest().readBigInt64BE());
}
