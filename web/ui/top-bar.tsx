/** The bar at the top: title, budget, settings and the inspector button. */
import type { ReactNode } from "react";
import { useActions } from "../hooks/use-actions.ts";
import { goTo } from "../hooks/use-location.ts";
import { openSheet } from "../hooks/use-open-sheet.ts";
import { useTheme } from "../hooks/use-theme.ts";
import { LayersIcon, MenuIcon, SettingsIcon, ThemeIcon } from "./icons.tsx";

export interface TopBarProps {
  /** Undefined on the first screen, which has its own heading. */
  readonly title?: string | undefined;
  readonly isInspectorOpen?: boolean | undefined;
  readonly onMenu: () => void;
  readonly onInspect?: (() => void) | undefined;
  /** Menu of the session that the title names. */
  readonly menu?: ReactNode;
  readonly children?: ReactNode;
}

export function TopBar({ title, isInspectorOpen = false, onMenu, onInspect, menu, children }: TopBarProps) {
  const { theme, switchTheme } = useTheme();
  useActions("page", [
    { name: "New conversation", run: () => goTo({ type: "start" }) },
    { name: "Settings", run: () => openSheet("settings") },
    { name: "Change theme", hint: theme, run: switchTheme },
    { name: "Keyboard shortcuts", hint: "?", run: () => openSheet("help") },
    { name: "Search conversations", hint: "s", run: () => document.querySelector<HTMLElement>("#search")?.focus() },
  ]);
  return (
    <header className="top-bar">
      <button type="button" className="quiet icon-button menu-button" aria-label="Conversations" onClick={onMenu}>
        <MenuIcon />
      </button>
      {title === undefined ? (
        <span className="top-title" />
      ) : (
        <h1 className="top-title" title={title}>
          {title}
        </h1>
      )}
      {children}
      <div className="top-tools">
        <button
          type="button"
          className="quiet icon-button"
          aria-label={`Theme: ${theme}. Change theme`}
          title={`Theme: ${theme}`}
          onClick={switchTheme}
        >
          <ThemeIcon />
        </button>
        <button
          type="button"
          className="quiet icon-button"
          aria-label="Settings"
          title="Settings"
          onClick={() => openSheet("settings")}
        >
          <SettingsIcon />
        </button>
        {menu}
        {onInspect === undefined ? null : (
          <button type="button" className="quiet" aria-pressed={isInspectorOpen} onClick={onInspect}>
            <LayersIcon /> <span className="wide-only">Inspect</span>
          </button>
        )}
      </div>
    </header>
  );
}
