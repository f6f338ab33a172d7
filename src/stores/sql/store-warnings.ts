/** What a store found wrong and went around, told once each. */
export interface StoreWarning {
  readonly text: string;
  /** The store's name. */
  readonly store: string;
}

export type OnWarning = (warning: StoreWarning) => void;

/** What was told already is not told again, up to so many. */
const MOST_REMEMBERED = 10_000;

export class StoreWarnings {
  readonly #store: string;
  readonly #onWarning: OnWarning;
  readonly #told = new Set<string>();

  /** Without anybody who listens the process is told. */
  constructor(store: string, onWarning: OnWarning | undefined) {
    this.#store = store;
    this.#onWarning = onWarning ?? (({ text }) => process.emitWarning(text, "PalimpsestWarning"));
  }

  tell(text: string): void {
    if (this.#told.has(text)) return;
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.add(text);
    this.#onWarning({ text, store: this.#store });
  }
}
