/** Does something once, a moment after it was last asked for. */
import { useCallback, useEffect, useRef } from "react";

const REST_MS = 150;

export function useSoon(work: () => void): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(), REST_MS);
  }, []);
}
