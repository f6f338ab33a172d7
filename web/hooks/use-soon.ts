/** Does something once, a moment after it was last asked for, and not much later where the asking does not end. */
import { useCallback, useEffect, useRef } from "react";

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
