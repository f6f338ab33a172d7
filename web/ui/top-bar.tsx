/** The line above everything: where one is, how full the window is, and the ways to look further. */
import type { ReactNode } from "react";
import { useActions } from "../hooks/use-actions.ts";
import { goTo } from "../hooks/use-location.ts";
import { openSheet } from "../hooks/use-open-sheet.ts";
import { useTheme } from "../hooks/use-theme.ts";
import { LayersIcon, MenuIcon, SettingsIcon, ThemeIcon } from "./icons.tsx";

export interface TopBarProps {
  /** The first screen has its own. */
  readonly title?: string | undefined;
  readonly isInspecting?: boolean | undefined;
  readonly onMenu: () => void;
  readonly onInspect?: (() => void) | undefined;
  /** What can be done with what the title names. */
  readonly menu?: ReactNode;
  readonly children?: ReactNode;
}

export function TopBar({ title, isInspecting = false, onMenu, onInspect, menu, children }: TopBarProps) {
  const { theme, turn } = useTheme();
  useActions("page", [
    { name: "New conversation", run: () => goTo({ type: "start" }) },
    { name: "Settings", run: () => openSheet("settings") },
    { name: "Change the theme", hint: theme, run: turn },
    { name: "Keys", hint: "?", run: () => openSheet("help") },
    { name: "Search everything", hint: "s", run: () => document.querySelector<HTMLElement>("#search")?.focus() },
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
          aria-label={`Theme: ${theme}. Change it`}
          title={`Theme: ${theme}`}
          onClick={turn}
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
          <button type="button" className="quiet" aria-pressed={isInspecting} onClick={onInspect}>
            <LayersIcon /> <span className="wide-only">Look inside</span>
          </button>
        )}
      </div>
    </header>
  );
}
