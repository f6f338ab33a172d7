/**
 * Counts the moments at which what others may have changed is worth looking at again: when somebody comes back to the
 * window, and now and then while they look at it. The stream of events tells sooner; this holds where it does not.
 */
import { useEffect, useState } from "react";

const EVERY_MS = 30_000;

export function useRevisits(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const visit = () => {
      if (document.visibilityState === "visible") setCount((before) => before + 1);
    };
    const timer = setInterval(visit, EVERY_MS);
    window.addEventListener("focus", visit);
    document.addEventListener("visibilitychange", visit);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", visit);
      document.removeEventListener("visibilitychange", visit);
    };
  }, []);
  return count;
}
