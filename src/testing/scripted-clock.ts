/** A clock that moves only when it is told to, or by a fixed step at each look, so that time is part of the test. */
export interface ScriptedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Moves the clock; a negative number sets it back, as a corrected machine clock does. */
  advance(milliseconds: number): void;
}

export interface ScriptedClockOptions {
  /** The first answer of `now`. */
  readonly startMs: number;
  /** How far the clock moves after each look. Zero unless told. */
  readonly stepMs?: number | undefined;
}

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
