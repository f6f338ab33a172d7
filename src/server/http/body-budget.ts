/**
 * Limits the bytes of request bodies in memory, in total and for each caller. Without it, clients that send many bodies
 * slowly, or send more than the server can answer, fill its memory.
 */
import { RefusedRequest } from "./answer-error.ts";

export interface BodyBudgetLimits {
  /** Bytes of all bodies that are being received or answered. */
  readonly heldBytes: number;
  readonly heldBytesPerCaller: number;
}

/** The start of each body is free, so that small requests are answered while large ones use up the budget. */
const FREE_BYTES = 16_384;

/** The part of the budget that one request uses. */
export interface BodyShare extends Disposable {
  /** Throws `server-busy` if the bytes do not fit into the budget. */
  add(bytes: number): void;
  /** Gives back bytes that are no longer in memory. */
  remove(bytes: number): void;
}

export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** Opens the share of one request. The caller disposes it when the request is answered. */
  open(caller: string): BodyShare {
    let held = 0;
    const change = (bytes: number): void => {
      const counted = Math.max(0, held + bytes - FREE_BYTES) - Math.max(0, held - FREE_BYTES);
      if (counted > 0) this.#assertRoom(caller, counted);
      held += bytes;
      this.#total += counted;
      const own = (this.#byCaller.get(caller) ?? 0) + counted;
      if (own === 0) this.#byCaller.delete(caller);
      else this.#byCaller.set(caller, own);
    };
    return {
      add: change,
      remove: (bytes) => change(-bytes),
      [Symbol.dispose]: () => change(-held),
    };
  }

  #assertRoom(caller: string, bytes: number): void {
    const { heldBytes, heldBytesPerCaller } = this.#limits;
    const isOver = this.#total + bytes > heldBytes;
    if (!isOver && (this.#byCaller.get(caller) ?? 0) + bytes <= heldBytesPerCaller) return;
    const who = isOver ? "Clients send" : "You send";
    throw new RefusedRequest("server-busy", `${who} too many large bodies at once. Try again in a moment.`, {
      headers: { "retry-after": "1" },
    });
  }
}
