/** The part of the log that is on the screen. Subscribers are notified without rendering the conversation again. */
import { useSyncExternalStore } from "react";

export interface VisibleSeqs {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export class VisibleRange {
  #range: VisibleSeqs = { firstSeq: 0, lastSeq: 0 };
  readonly #listeners = new Set<() => void>();

  readonly read = (): VisibleSeqs => this.#range;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(range: VisibleSeqs): void {
    if (range.firstSeq === this.#range.firstSeq && range.lastSeq === this.#range.lastSeq) return;
    this.#range = range;
    for (const listener of this.#listeners) listener();
  }
}

export function useVisibleRange(visible: VisibleRange): VisibleSeqs {
  return useSyncExternalStore(visible.subscribe, visible.read);
}
