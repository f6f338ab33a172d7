/**
 * Requests in the order in which they came, a few in each turn of the event loop, and new connections before them. Node
 * takes up one connection in a turn, so where everybody who waits is answered in one, whoever comes new waits for all of
 * them, over and over: two hundred busy clients kept the last of them out for half a minute.
 */

/** Enough to share what a turn costs, such as a commit; more would make it long. */
const MOST_IN_A_TURN = 8;
/** Turns that requests may be put off one after the other: a flood of connections must not keep everybody else out. */
const MOST_PUT_OFF = 100;

export interface Turns {
  take(work: () => void): void;
  /** A connection was taken up, and others may wait behind it: requests wait for the next turn. */
  putOff(): void;
}

export function createTurns(): Turns {
  let waiting: (() => void)[] = [];
  let isDue = false;
  let [isPutOff, putOffs] = [false, 0];
  const go = (): void => {
    const mayWait = isPutOff && putOffs < MOST_PUT_OFF;
    [isPutOff, putOffs] = [false, mayWait ? putOffs + 1 : 0];
    const now = mayWait ? [] : waiting.slice(0, MOST_IN_A_TURN);
    waiting = waiting.slice(now.length);
    isDue = waiting.length > 0;
    if (isDue) setImmediate(go);
    for (const work of now) work();
  };
  return {
    take(work) {
      waiting.push(work);
      if (isDue) return;
      isDue = true;
      setImmediate(go);
    },
    putOff() {
      isPutOff = true;
    },
  };
}
