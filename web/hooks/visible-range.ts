/** Which part of the log is on the screen. Told to whoever draws it, without drawing the conversation again. */
import { useSyncExternalStore } from "react";

export interface Range {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export class VisibleRange {
  #range: Range = { firstSeq: 0, lastSeq: 0 };
  readonly #listeners = new Set<() => void>();

  readonly read = (): Range => this.#range;

  readonly follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  tell(range: Range): void {
    if (range.firstSeq === this.#range.firstSeq && range.lastSeq === this.#range.lastSeq) return;
    this.#range = range;
    for (const listener of this.#listeners) listener();
  }
}

export function useVisibleRange(visible: VisibleRange): Range {
  return useSyncExternalStore(visible.follow, visible.read);
}
