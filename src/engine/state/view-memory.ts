/**
 * Limits the memory of the views that calls read, for all sessions of the process. Each call keeps its place until it
 * ends, because its view stays in memory that long. A fold by code takes about 20 bytes for each character of a view.
 */
import { countEntryCharacters } from "../../core/log/count-characters.ts";
import type { Entry } from "../../core/log/entry.ts";
import { FairQueue, type WorkSlot } from "../../ports/run-in-steps.ts";

/** Heavier views are read a few at a time. */
export const SHORT_VIEW = 250_000;
/** An entry takes as much memory as this many characters, besides its texts. */
const ENTRY_CHARACTERS = 200;

const shortViews = new FairQueue({ maxRunning: Number.POSITIVE_INFINITY, maxWeight: 4_000_000 });
const longViews = new FairQueue({ maxOwners: 4, maxWeight: 4_000_000 });
/** Views read for a call of another session. They have a queue of their own, because that call may hold a place. */
const otherViews = new FairQueue({});

/** Returns the number of characters that take as much memory as the entries. */
export function weighEntries(entries: readonly Entry[]): number {
  return countEntryCharacters(entries) + entries.length * ENTRY_CHARACTERS;
}

/** The place in memory of one session's view. */
export class ViewMemory {
  readonly #owner: object;
  #calls = 0;
  #place: WorkSlot | undefined;

  /** `owner` takes turns with others; see `FairQueue`. */
  constructor(owner: object) {
    this.#owner = owner;
  }

  /** Runs a call, or a part of one, that may read the view. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#calls += 1;
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.leave();
    }
  }

  /** Waits for a place unless the view already has one. Returns false if none is free in time. */
  async enter(weight: number, withinMs: number): Promise<boolean> {
    if (this.#place !== undefined) return true;
    const isShort = weight <= SHORT_VIEW;
    if (isShort && this.#calls === 0) return true;
    const own = isShort ? shortViews : longViews;
    const queue = this.#calls === 0 ? otherViews : own;
    const place = await queue.enter(this.#owner, { weight, withinMs });
    if (this.#place !== undefined) place?.leave();
    else this.#place = place;
    return this.#place !== undefined;
  }

  resize(weight: number): void {
    this.#place?.resize(weight);
    if (this.#calls === 0) this.leave();
  }

  /** Gives up the place: the call reads nothing more, or waits for a model. */
  leave(): void {
    this.#place?.leave();
    this.#place = undefined;
  }
}
