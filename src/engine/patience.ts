/**
 * How long a caller waits for a summarizer: so long without a sign of life, and so long in all. What takes longer goes on
 * without its caller. Time is the context's, so that a test needs none.
 */
import type { EngineContext } from "./engine-context.ts";

export interface PatienceLimits {
  /** Between two signs of life: a request that went out, a piece of an answer. */
  readonly silenceMs: number;
  /** For everything that one call waits for. */
  readonly totalMs: number;
}

/** A person waits for the reply. */
export const PROMPT_PATIENCE: PatienceLimits = { silenceMs: 10_000, totalMs: 45_000 };
/** `fit` and `compact()`: the caller has asked for the work itself. */
export const CALL_PATIENCE: PatienceLimits = { silenceMs: 120_000, totalMs: 120_000 };

/** Signs of life of one summary in the making. */
export class Progress {
  /** The model that was asked last, as far as the summarizer tells. */
  model: string | undefined;
  #listener: (() => void) | undefined;

  readonly note = (model?: string): void => {
    this.model = model ?? this.model;
    this.#listener?.();
  };

  /** Calls back at each sign of life, until what comes back is called. */
  follow(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }
}

/** Does the work of one call with its own patience, and lets no timer outlive it. */
export async function withPatience<Result>(
  context: Pick<EngineContext, "sleep">,
  limits: PatienceLimits,
  work: (patience: Patience) => Promise<Result>,
): Promise<Result> {
  const patience = new Patience(context, limits);
  try {
    return await work(patience);
  } finally {
    patience.end();
  }
}

export class Patience {
  readonly limits: PatienceLimits;
  readonly #sleep: EngineContext["sleep"];
  readonly #ended = new AbortController();
  readonly #over = new AbortController();

  constructor({ sleep }: Pick<EngineContext, "sleep">, limits: PatienceLimits) {
    this.limits = limits;
    this.#sleep = sleep;
    void this.#after(limits.totalMs, this.#ended.signal, () => this.#over.abort());
  }

  /** Whether all of the time was used: the summarizer is not asked any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** What the work came to, or undefined where it took too long; then it goes on unheard. */
  async wait<Result>(work: Promise<Result>, progress: Progress): Promise<{ readonly result: Result } | undefined> {
    if (this.isOver) return undefined;
    const late = Promise.withResolvers<undefined>();
    const giveUp = () => late.resolve(undefined);
    let watch = new AbortController();
    const listen = () => {
      watch.abort();
      watch = new AbortController();
      void this.#after(this.limits.silenceMs, watch.signal, giveUp);
    };
    const stop = progress.follow(listen);
    this.#over.signal.addEventListener("abort", giveUp);
    listen();
    try {
      return await Promise.race([work.then((result) => ({ result })), late.promise]);
    } finally {
      stop();
      watch.abort();
      this.#over.signal.removeEventListener("abort", giveUp);
    }
  }

  end(): void {
    this.#ended.abort();
  }

  async #after(milliseconds: number, signal: AbortSignal, act: () => void): Promise<void> {
    await this.#sleep(milliseconds, signal);
    if (!signal.aborted) act();
  }
}

/** A caller that waits, and how it gives up. */
export interface Waiting {
  readonly patience: Patience;
  /** The caller's own. */
  readonly signal?: AbortSignal | undefined;
}
