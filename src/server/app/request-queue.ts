/**
 * Starts a few requests in each turn of the event loop, after new connections are accepted, and alternates between
 * clients. Node accepts one connection a turn, so starting all waiting requests in one turn delays new clients: with two
 * hundred busy clients the last one waited half a minute.
 */

/**
 * Enough requests to share the cost of a turn, such as a commit, without making the turn long: with 8, a request of 200
 * busy clients takes a tenth more CPU time, and commits sync the disk more than twice as often.
 */
const MAX_PER_TURN = 20;
/** Consecutive turns for which requests may be delayed, so that a flood of connections cannot block them. */
const MAX_DELAYS = 100;

export interface RequestQueue {
  /** The requests of one client start in order. */
  add(client: string, start: () => void): void;
  /** Called for each new connection: more may follow, so requests wait for the next turn. */
  delay(): void;
}

export function createRequestQueue(): RequestQueue {
  const waiting = new Map<string, (() => void)[]>();
  let isScheduled = false;
  let [isDelayed, delays] = [false, 0];
  const run = (): void => {
    const mayWait = isDelayed && delays < MAX_DELAYS;
    [isDelayed, delays] = [false, mayWait ? delays + 1 : 0];
    const next = mayWait ? [] : Array.from({ length: MAX_PER_TURN }, () => takeNext(waiting));
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(run);
    for (const start of next) start?.();
  };
  return {
    add(client, start) {
      const starts = waiting.get(client);
      if (starts === undefined) waiting.set(client, [start]);
      else starts.push(start);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(run);
    },
    delay() {
      isDelayed = true;
    },
  };
}

/** Takes the first request of the client that waits longest; the client's next one waits for the others. */
function takeNext(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [entry] = waiting;
  if (entry === undefined) return undefined;
  const [client, starts] = entry;
  waiting.delete(client);
  const start = starts.shift();
  if (starts.length > 0) waiting.set(client, starts);
  return start;
}
