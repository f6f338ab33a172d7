/** Light, dark, or as the system has it. `theme.js` applies the same choice before the page is drawn. */
import { useState } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "palimpsest-theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function useTheme(): { readonly theme: Theme; readonly turn: () => void } {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const turn = () => {
    const next = NEXT[theme];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Where storage is forbidden the choice lasts as long as the page.
    }
    setTheme(next);
  };
  return { theme, turn };
}

function readTheme(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}
