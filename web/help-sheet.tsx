/** The keys, on a sheet that `?` opens where nobody writes, and Ctrl with a slash everywhere. */
import { closeSheet, openSheet, useOpenSheet } from "./hooks/use-open-sheet.ts";
import { SHORTCUTS, useShortcuts } from "./hooks/use-shortcuts.ts";
import { Sheet } from "./sheet.tsx";

const OTHER_KEYS = {
  "Ctrl /": "this list, also while writing",
  "Ctrl K": "everything by name",
  Enter: "send",
  "Shift Enter": "a new line",
  "↑": "say the last message anew, when nothing is written",
  Escape: "stop the answer, close what is open",
  "↑ ↓": "along the strip, when it has the focus",
} as const;

const openHelp = () => openSheet("help");
const closeHelp = () => closeSheet("help");

export function HelpSheet() {
  useShortcuts(openHelp);
  if (useOpenSheet()?.name !== "help") return null;
  return (
    <Sheet title="Keys" className="help" onClose={closeHelp}>
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
