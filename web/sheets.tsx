/** The dialogs of the page. Settings and the command palette are loaded when they are opened. */

import { lazy, Suspense, useEffect } from "react";
import { closeSheet, openSheet, useOpenSheet } from "./hooks/use-open-sheet.ts";
import { SHORTCUTS, useShortcuts } from "./hooks/use-shortcuts.ts";
import { Sheet } from "./ui/sheet.tsx";

const OTHER_KEYS = {
  "Ctrl /": "show this list, even while typing",
  "Ctrl K": "open the command palette",
  Enter: "send",
  "Shift Enter": "insert a line break",
  "↑": "edit your last message, when the composer is empty",
  Escape: "stop the answer, close a dialog or panel",
  "↑ ↓": "move along the strip, when it has focus",
} as const;

const openHelp = () => openSheet("help");
const closeHelp = () => closeSheet("help");

export function HelpSheet() {
  useShortcuts(openHelp);
  if (useOpenSheet()?.name !== "help") return null;
  return (
    <Sheet title="Keyboard shortcuts" className="help" onClose={closeHelp}>
      <dl className="facts">
        {Object.entries({ ...SHORTCUTS, ...OTHER_KEYS }).map(([key, meaning]) => (
          <div key={key} className="fact">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}

const SettingsSheet = lazy(async () => ({ default: (await import("./settings/settings-sheet.tsx")).SettingsSheet }));
const Palette = lazy(async () => ({ default: (await import("./palette/palette.tsx")).Palette }));

const closeSettings = () => closeSheet("settings");
const closePalette = () => closeSheet("palette");

export function Sheets() {
  const open = useOpenSheet();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      openSheet("palette");
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Suspense fallback={null}>
      {open?.name === "settings" ? <SettingsSheet preset={open.preset} onClose={closeSettings} /> : null}
      {open?.name === "palette" ? <Palette onClose={closePalette} /> : null}
    </Suspense>
  );
}
