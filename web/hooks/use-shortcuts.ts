/**
 * Keys that work while nobody writes: a step up or down the conversation, and the way to where one writes or searches.
 * The list of them is had everywhere, by a key that writes nothing.
 */
import { useEffect } from "react";

export const SHORTCUTS = {
  j: "the next message",
  k: "the message before",
  "/": "write",
  s: "search everything",
  "?": "this list",
} as const;

export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "/" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        return onHelp();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const work = KEYS[event.key] ?? (event.key === "?" ? onHelp : undefined);
      if (work === undefined) return;
      event.preventDefault();
      work();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onHelp]);
}

const KEYS: Readonly<Record<string, (() => void) | undefined>> = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => focus("#composer"),
  s: search,
};

/** On a small screen the list has to come out first, which takes the focus there. */
function search(): void {
  const button = document.querySelector<HTMLElement>(".menu-button");
  const isDrawer = button !== null && button.offsetParent !== null;
  if (isDrawer && document.querySelector(".page-menu-open") === null) button.click();
  else focus("#search");
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** From the message that has the focus, or else from the first that is on the screen. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".messages > li")];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const top = document.querySelector(".conversation")?.getBoundingClientRect().top ?? 0;
  const first = rows.findIndex((row) => row.getBoundingClientRect().bottom > top + 1);
  const row = rows[current === -1 ? Math.max(0, first) : Math.min(rows.length - 1, Math.max(0, current + by))];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}
