/** Hooks that limit how often something runs. */
import { useCallback, useEffect, useRef, useState } from "react";

/** Returns a value once it has not changed for a while. */
export function useDebounced<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

const DEBOUNCE_MS = 150;
const MAX_WAIT_MS = 1_000;

/** Returns a function that runs `work` shortly after its last call, and at the latest a second after its first. */
export function useDebouncedCall(work: () => void): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const calledAt = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    const now = performance.now();
    calledAt.current ??= now;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        calledAt.current = undefined;
        latest.current();
      },
      Math.max(0, Math.min(DEBOUNCE_MS, calledAt.current + MAX_WAIT_MS - now)),
    );
  }, []);
}

/** Returns a function that ignores a call while an earlier one with the same key is running, as with a double click. */
export function useSingleFlight(): (key: string, work: () => Promise<unknown>) => Promise<void> {
  const running = useRef(new Set<string>());
  return useCallback(async (key: string, work: () => Promise<unknown>) => {
    if (running.current.has(key)) return;
    running.current.add(key);
    await work().finally(() => running.current.delete(key));
  }, []);
}
