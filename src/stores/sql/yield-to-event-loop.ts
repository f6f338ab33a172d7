/**
 * Yields to the event loop. A local file answers synchronously, so reading page after page would block everything else.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
