/**
 * Whether the store has room, as the answers tell it: a disk is full when a write says so. Writing something to find out
 * would take room. Where nobody tries again it is forgotten, so that a server whom nobody asks any more is asked again.
 */
import { NO_ROOM } from "../http/answer-error.ts";
import type { AnsweredLine } from "../http/request-log.ts";

const REMEMBERED_MS = 10_000;
const WRITING: ReadonlySet<string> = new Set(["createSession", "appendMessages", "importSession", "importMessages"]);

export class StoreRoom {
  readonly #now: () => number;
  #missingUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isMissing(): boolean {
    return this.#now() < this.#missingUntil;
  }

  answered({ status, route }: Pick<AnsweredLine, "status" | "route">): void {
    if (status === NO_ROOM) this.#missingUntil = this.#now() + REMEMBERED_MS;
    else if (status === 200 && WRITING.has(route)) this.#missingUntil = 0;
  }
}
