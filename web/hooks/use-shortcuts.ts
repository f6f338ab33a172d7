/** Keyboard shortcuts that work outside of text fields. Ctrl+/ lists them everywhere. */
import { useEffect } from "react";

export const SHORTCUTS = {
  j: "next message",
  k: "previous message",
  "/": "write a message",
  s: "search conversations",
  "?": "show this list",
} as const;

export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "/" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        return onHelp();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
      const action = KEYS[event.key] ?? (event.key === "?" ? onHelp : undefined);
      if (action === undefined) return;
      event.preventDefault();
      action();
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

/** On a small screen the list of conversations is a drawer; opening it focuses the search. */
function search(): void {
  const button = document.querySelector<HTMLElement>(".menu-button");
  const isDrawer = button !== null && button.offsetParent !== null;
  if (isDrawer && document.querySelector(".page-menu-open") === null) button.click();
  else focus("#search");
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Moves from the focused message, or from the first visible one. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".messages > li")];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const top = document.querySelector(".conversation")?.getBoundingClientRect().top ?? 0;
  const first = rows.findIndex((row) => row.getBoundingClientRect().bottom > top + 1);
  const row = rows[current === -1 ? Math.max(0, first) : Math.min(rows.length - 1, Math.max(0, current + by))];
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}
