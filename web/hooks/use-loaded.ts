/**
 * Loads a value from the server, and loads it again when the key changes. The old value stays until the new one
 * arrives; a response for an old key is discarded.
 */
import { useEffect, useState } from "react";
import { describeError } from "../api/errors.ts";

export interface LoadState<Value> {
  readonly value?: Value | undefined;
  readonly error?: string | undefined;
}

export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): LoadState<Value> {
  const [loaded, setLoaded] = useState<LoadState<Value>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key determines what is loaded; the function is new on every render.
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => !controller.signal.aborted && setLoaded({ value }),
      (error: unknown) =>
        !controller.signal.aborted && setLoaded((before) => ({ ...before, error: describeError(error) })),
    );
    return () => controller.abort();
  }, [key]);
  return loaded;
}
