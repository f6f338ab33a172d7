/** Everything that the clients of a storm sent and received, to compare with the store afterwards. */
export class StormLedger {
  /** Message ids by session, in the order of their acknowledgement. */
  readonly acknowledged = new Map<string, string[]>();
  /** Ids that were sent: after a lost connection it is unknown whether they were stored. */
  readonly sent = new Set<string>();
  /** Sessions that were deleted with a response. */
  readonly deleted = new Set<string>();
  /** Markers inside images that were deleted with a response. */
  readonly erased = new Set<string>();
  readonly violations: string[] = [];
  readonly #counts = new Map<string, number>();

  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
  }

  acknowledge(session: string, id: string): void {
    const ids = this.acknowledged.get(session) ?? [];
    this.acknowledged.set(session, [...ids, id]);
  }

  /** Reports a broken guarantee. */
  reportViolation(text: string): void {
    this.violations.push(text);
  }

  forget(session: string): void {
    this.acknowledged.delete(session);
    this.deleted.add(session);
  }

  describe(): string {
    return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(", ");
  }
}

export interface StoredIds {
  readonly session: string;
  readonly ids: readonly string[];
}

/** Counts acknowledged messages that are missing or stored twice, and reports a changed order or an unknown id. */
export function compareStored(ledger: StormLedger, { session, ids }: StoredIds): { lost: number; duplicated: number } {
  const expected = ledger.acknowledged.get(session) ?? [];
  const known = new Set(expected);
  const found = ids.filter((id) => known.has(id));
  const lost = expected.filter((id) => !ids.includes(id)).length;
  const duplicated = ids.length - new Set(ids).size;
  if (lost === 0 && duplicated === 0 && found.join() !== expected.join()) {
    ledger.reportViolation(
      `${session}: stored in the order ${found.join()}, acknowledged in the order ${expected.join()}`,
    );
  }
  const own = ids.filter((id) => id.startsWith(`${session}-`));
  const strange = own.find((id) => !known.has(id) && !ledger.sent.has(id));
  if (strange !== undefined) ledger.reportViolation(`${session}: ${strange} was never sent`);
  return { lost, duplicated };
}
