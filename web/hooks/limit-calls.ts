/** A value that follows another one after it has rested for a while. */
import { useCallback, useEffect, useRef, useState } from "react";

export function useDebounced<Value>(value: Value, restMs: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return rested;
}

const REST_MS = 150;
const LONGEST_MS = 1_000;

export function useSoon(work: () => void): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const askedAt = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    const now = performance.now();
    askedAt.current ??= now;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        askedAt.current = undefined;
        latest.current();
      },
      Math.max(0, Math.min(REST_MS, askedAt.current + LONGEST_MS - now)),
    );
  }, []);
}

export function useSingle(): (key: string, work: () => Promise<unknown>) => Promise<void> {
  const running = useRef(new Set<string>());
  return useCallback(async (key: string, work: () => Promise<unknown>) => {
    if (running.current.has(key)) return;
    running.current.add(key);
    await work().finally(() => running.current.delete(key));
  }, []);
}
