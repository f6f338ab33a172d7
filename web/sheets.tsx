/** The sheets, fetched when somebody opens one: the first screen does not carry them. */
import { lazy, Suspense, useEffect } from "react";
import { closeSheet, openSheet, useOpenSheet } from "./hooks/use-open-sheet.ts";

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
      {open?.name === "settings" ? <SettingsSheet wished={open.wished} onClose={closeSettings} /> : null}
      {open?.name === "palette" ? <Palette onClose={closePalette} /> : null}
    </Suspense>
  );
}
