/** The keys, on a sheet that `?` opens where nobody writes, and Ctrl with a slash everywhere. */
import { useCallback, useEffect, useRef } from "react";
import { closeSheet, openSheet, useOpenSheet } from "./hooks/use-open-sheet.ts";
import { SHORTCUTS, useShortcuts } from "./hooks/use-shortcuts.ts";

const OTHER_KEYS = {
  "Ctrl /": "this list, also while writing",
  "Ctrl K": "everything by name",
  Enter: "send",
  "Shift Enter": "a new line",
  "↑": "say the last message anew, when nothing is written",
  Escape: "stop the answer, close what is open",
  "↑ ↓": "along the strip, when it has the focus",
} as const;

export function HelpSheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  useShortcuts(useCallback(() => openSheet("help"), []));
  const isOpen = useOpenSheet() === "help";
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <dialog className="help" ref={dialog} aria-labelledby="help-title" onClose={() => closeSheet("help")}>
      <h2 id="help-title">Keys</h2>
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
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
