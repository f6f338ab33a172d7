/**
 * Counts the times at which the page should reload data: when the window gets the focus, and every 30 seconds while it
 * is visible. The event stream is faster; this works without it.
 */
import { useEffect, useState } from "react";

const EVERY_MS = 30_000;

export function useRefreshTicks(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const tick = () => {
      if (document.visibilityState === "visible") setCount((before) => before + 1);
    };
    const timer = setInterval(tick, EVERY_MS);
    window.addEventListener("focus", tick);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", tick);
      document.removeEventListener("visibilitychange", tick);
    };
  }, []);
  return count;
}
