/** A clock that moves only when the test advances it, or by a fixed step at each reading. */
export interface ScriptedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Moves the clock; a negative number sets it back, as a corrected machine clock does. */
  advance(milliseconds: number): void;
}

export interface ScriptedClockOptions {
  /** First time that `now` returns. */
  readonly startMs: number;
  /** How far the clock moves after each reading. Default: 0. */
  readonly stepMs?: number | undefined;
}

/**
 * Returns a clock that a test moves.
 *
 * @example
 * ```ts
 * const clock = scriptedClock({ startMs: 0 });
 * clock.advance(60_000);
 * ```
 */
export function scriptedClock({ startMs, stepMs = 0 }: ScriptedClockOptions): ScriptedClock {
  let currentMs = startMs;
  return {
    now: () => {
      const answer = currentMs;
      currentMs += stepMs;
      return answer;
    },
    advance: (milliseconds) => {
      currentMs += milliseconds;
    },
  };
}

/** A scripted clock with a `sleep` that resolves when the clock is moved far enough. */
export interface ScriptedTimer extends ScriptedClock {
  /** Resolves when the clock has advanced by this time, or the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Remaining times of all sleepers, shortest first. */
  readonly sleeping: readonly number[];
}

/**
 * Returns a clock whose pauses end when the test advances it.
 *
 * @example
 * ```ts
 * const timer = scriptedTimer({ startMs: 0 });
 * timer.advance(1_000);
 * ```
 */
export function scriptedTimer({ startMs }: Pick<ScriptedClockOptions, "startMs">): ScriptedTimer {
  const clock = scriptedClock({ startMs });
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  return {
    now: clock.now,
    advance: (milliseconds) => {
      clock.advance(milliseconds);
      for (const sleeper of [...sleepers].filter(({ untilMs }) => untilMs <= clock.now())) sleeper.wake();
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { untilMs: clock.now() + milliseconds, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wake);
        if (signal?.aborted === true) wake();
      }),
    get sleeping() {
      return [...sleepers].map(({ untilMs }) => untilMs - clock.now()).sort((one, other) => one - other);
    },
  };
}
