/** Lets the event loop turn: a file answers at once, so that pages read one after the other would hold everybody up. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
