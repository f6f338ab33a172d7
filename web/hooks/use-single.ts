/** Does a thing once at a time: whoever asks for it again while it is under way, as with two quick clicks, is not heard. */
import { useCallback, useRef } from "react";

export function useSingle(): (key: string, work: () => Promise<unknown>) => Promise<void> {
  const running = useRef(new Set<string>());
  return useCallback(async (key: string, work: () => Promise<unknown>) => {
    if (running.current.has(key)) return;
    running.current.add(key);
    await work().finally(() => running.current.delete(key));
  }, []);
}
