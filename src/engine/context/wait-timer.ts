/** Limits how long a caller waits for a summarizer. A call that takes longer continues without its caller. */
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { EngineContext } from "./engine-context.ts";

export interface WaitLimits {
  /** Longest time without progress. A request that was sent and a piece of an answer are progress. */
  readonly silenceMs: number;
  /** Longest total time for all waits of one call. */
  readonly totalMs: number;
}

const PROMPT_SILENCE_MS = 10_000;
const CALL_TOTAL_MS = 120_000;

export function limitPromptWait({ summary: { waitMs } }: Pick<PlanSettings, "summary">): WaitLimits {
  return { silenceMs: Math.min(PROMPT_SILENCE_MS, waitMs), totalMs: waitMs };
}

/** For `fit`, `compact()` and `resummarize()`: the caller requested the work, so a model may take its time. */
export function limitCallWait({ summary: { waitMs } }: Pick<PlanSettings, "summary">): WaitLimits {
  return { silenceMs: waitMs, totalMs: Math.max(CALL_TOTAL_MS, waitMs) };
}

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
  #reason: string | undefined;
  #isShortened = false;

  constructor({ sleep }: Pick<EngineContext, "sleep">, limits: WaitLimits) {
    this.limits = limits;
    this.#sleep = sleep;
  }

  /** Whether all of the time is used. No request is sent to a summarizer then. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Why the last wait ended without a result. */
  get reason(): string {
    return this.#reason ?? `The summarizer made no progress for ${this.limits.silenceMs} ms.`;
  }

  /** Limits the remaining time of the summarizer, because another call waits for this one. */
  shorten(milliseconds: number): void {
    if (this.#isShortened) return;
    this.#isShortened = true;
    this.#endAfter(milliseconds, `The summarizer did not finish within ${milliseconds} ms while another call waited.`);
  }

  /** Returns the result of the work, or undefined if it takes too long; the work then continues. */
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
    const { totalMs } = this.limits;
    this.#endAfter(totalMs, `The summarizer did not finish within ${totalMs} ms.`);
  }

  #endAfter(milliseconds: number, reason: string): void {
    this.#ended ??= new AbortController();
    void this.#after(milliseconds, this.#ended.signal, () => {
      this.#reason ??= reason;
      this.#over.abort();
    });
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
