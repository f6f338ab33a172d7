/**
 * Something that is asked of the server and asked again when its key changes. What was there stays until the new answer
 * is, so that nothing blinks; an answer that nobody waits for any more is dropped.
 */
import { useEffect, useState } from "react";
import { sayError } from "../api/errors.ts";

export interface Loaded<Value> {
  readonly value?: Value | undefined;
  readonly error?: string | undefined;
}

export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is loaded; the function is made anew each time.
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => !controller.signal.aborted && setLoaded({ value }),
      (error: unknown) => !controller.signal.aborted && setLoaded((before) => ({ ...before, error: sayError(error) })),
    );
    return () => controller.abort();
  }, [key]);
  return loaded;
}
