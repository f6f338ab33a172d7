/** How high an element is, followed while it changes. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

export function useHeight(): [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setHeight(current.clientHeight));
    observer.observe(current);
    setHeight(current.clientHeight);
    return () => observer.disconnect();
  }, []);
  return [element, height];
}
