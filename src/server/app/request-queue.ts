/**
 * Starts requests in order, a few in each turn of the event loop, after new connections. Node accepts one connection a
 * turn, so starting all waiting requests in one turn delays new clients: with two hundred busy clients the last one
 * waited half a minute.
 */

/** Enough to share the cost of a turn, such as a commit, without making it long. */
const MAX_PER_TURN = 8;
/** Consecutive turns for which requests may be delayed, so that a flood of connections cannot block them. */
const MAX_DELAYS = 100;

export interface RequestQueue {
  add(start: () => void): void;
  /** Called for each new connection: more may follow, so requests wait for the next turn. */
  delay(): void;
}

export function createRequestQueue(): RequestQueue {
  let waiting: (() => void)[] = [];
  let isScheduled = false;
  let [isDelayed, delays] = [false, 0];
  const run = (): void => {
    const mayWait = isDelayed && delays < MAX_DELAYS;
    [isDelayed, delays] = [false, mayWait ? delays + 1 : 0];
    const next = mayWait ? [] : waiting.slice(0, MAX_PER_TURN);
    waiting = waiting.slice(next.length);
    isScheduled = waiting.length > 0;
    if (isScheduled) setImmediate(run);
    for (const start of next) start();
  };
  return {
    add(start) {
      waiting.push(start);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(run);
    },
    delay() {
      isDelayed = true;
    },
  };
}
