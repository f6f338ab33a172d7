/** Light, dark, or the system's theme. `theme.js` applies the choice before the page is drawn. */
import { useState } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "palimpsest-theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function useTheme(): { readonly theme: Theme; readonly switchTheme: () => void } {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const switchTheme = () => {
    const next = NEXT[theme];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    setTheme(next);
  };
  return { theme, switchTheme };
}

function readTheme(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}
