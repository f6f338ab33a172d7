/** Limits how long a caller waits for a summarizer. A call that takes longer goes on without its caller. */
import type { EngineContext } from "./engine-context.ts";

export interface WaitLimits {
  /** Longest time without progress. A request that was sent and a piece of an answer are progress. */
  readonly silenceMs: number;
  /** Longest time for all waits of one call, from the first one on. */
  readonly totalMs: number;
}

export const PROMPT_WAIT: WaitLimits = { silenceMs: 10_000, totalMs: 45_000 };
/** `fit` and `compact()`: the caller has asked for the work itself. */
export const CALL_WAIT: WaitLimits = { silenceMs: 120_000, totalMs: 120_000 };

export class Progress {
  model: string | undefined;
  #listener: (() => void) | undefined;

  readonly note = (model?: string): void => {
    this.model = model ?? this.model;
    this.#listener?.();
  };

  /** Calls the listener at each progress, until the returned function is called. */
  follow(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }
}

export async function withWaitTimer<Result>(
  context: Pick<EngineContext, "sleep">,
  limits: WaitLimits,
  work: (timer: WaitTimer) => Promise<Result>,
): Promise<Result> {
  const timer = new WaitTimer(context, limits);
  try {
    return await work(timer);
  } finally {
    timer.end();
  }
}

export class WaitTimer {
  readonly limits: WaitLimits;
  readonly #sleep: EngineContext["sleep"];
  /** Undefined until the first wait: most calls never wait, and starting a clock takes longer than they do. */
  #ended: AbortController | undefined;
  readonly #over = new AbortController();

  constructor({ sleep }: Pick<EngineContext, "sleep">, limits: WaitLimits) {
    this.limits = limits;
    this.#sleep = sleep;
  }

  /** Whether all of the time is used. No request is sent to a summarizer then. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Returns the result of the work, or undefined where it takes too long; the work then goes on. */
  async wait<Result>(work: Promise<Result>, progress: Progress): Promise<{ readonly result: Result } | undefined> {
    if (this.isOver) return undefined;
    this.#start();
    const late = Promise.withResolvers<undefined>();
    const stopWaiting = () => late.resolve(undefined);
    let watch = new AbortController();
    const listen = () => {
      watch.abort();
      watch = new AbortController();
      void this.#after(this.limits.silenceMs, watch.signal, stopWaiting);
    };
    const stop = progress.follow(listen);
    this.#over.signal.addEventListener("abort", stopWaiting);
    listen();
    try {
      return await Promise.race([work.then((result) => ({ result })), late.promise]);
    } finally {
      stop();
      watch.abort();
      this.#over.signal.removeEventListener("abort", stopWaiting);
    }
  }

  end(): void {
    this.#ended?.abort();
  }

  #start(): void {
    if (this.#ended !== undefined) return;
    this.#ended = new AbortController();
    void this.#after(this.limits.totalMs, this.#ended.signal, () => this.#over.abort());
  }

  async #after(milliseconds: number, signal: AbortSignal, act: () => void): Promise<void> {
    await this.#sleep(milliseconds, signal);
    if (!signal.aborted) act();
  }
}

export interface CallerWait {
  readonly timer: WaitTimer;
  readonly signal?: AbortSignal | undefined;
}
