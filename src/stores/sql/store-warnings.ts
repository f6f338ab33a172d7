/** Warnings of a store about problems that it worked around, each emitted once. */
export interface StoreWarning {
  readonly text: string;
  /** Name of the store. */
  readonly store: string;
}

export type OnWarning = (warning: StoreWarning) => void;

/** Number of warnings remembered to avoid repeating them. */
const MAX_REMEMBERED = 10_000;

export class StoreWarnings {
  readonly #store: string;
  readonly #onWarning: OnWarning;
  readonly #emitted = new Set<string>();

  /** With no listener, emits a process warning. */
  constructor(store: string, onWarning: OnWarning | undefined) {
    this.#store = store;
    this.#onWarning = onWarning ?? (({ text }) => process.emitWarning(text, "PalimpsestWarning"));
  }

  warn(text: string): void {
    if (this.#emitted.has(text)) return;
    if (this.#emitted.size >= MAX_REMEMBERED) this.#emitted.clear();
    this.#emitted.add(text);
    this.#onWarning({ text, store: this.#store });
  }
}
