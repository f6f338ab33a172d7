/** Remembers for a while that a write failed because the store is full; a probe would itself need space. */
import { INSUFFICIENT_STORAGE } from "../http/answer-error.ts";
import type { ResponseLine } from "../http/request-log.ts";

const REMEMBERED_MS = 10_000;
const WRITES: ReadonlySet<string> = new Set(["createSession", "appendMessages", "importSession"]);

export class StoreCapacity {
  readonly #now: () => number;
  #fullUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isFull(): boolean {
    return this.#now() < this.#fullUntil;
  }

  answered({ status, route }: Pick<ResponseLine, "status" | "route">): void {
    if (status === INSUFFICIENT_STORAGE) this.#fullUntil = this.#now() + REMEMBERED_MS;
    else if (status === 200 && WRITES.has(route)) this.#fullUntil = 0;
  }
}
