/** The page: the list of conversations, and beside it the first screen or one of them. */
import { useCallback, useEffect, useState } from "react";
import type { SessionLine } from "./api/values.ts";
import { BottomBar } from "./bottom-bar.tsx";
import { FirstRun } from "./first-run/first-run.tsx";
import { useWindowDrops } from "./first-run/use-drops.ts";
import { History } from "./history/history.tsx";
import { useDeletion } from "./hooks/use-deletion.ts";
import { goTo, usePlace } from "./hooks/use-location.ts";
import { SessionScreen } from "./session/session-screen.tsx";
import { HelpSheet, Sheets } from "./sheets.tsx";
import { FatePatterns } from "./strip/fates.tsx";
import { TopBar } from "./ui/top-bar.tsx";

export function App() {
  const place = usePlace();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [version, setVersion] = useState(0);
  const changed = useCallback(() => setVersion((before) => before + 1), []);
  const turnMenu = useCallback(() => setIsMenuOpen((before) => !before), []);
  const closeMenu = useCallback(() => setIsMenuOpen(false), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && closeMenu();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [closeMenu]);
  useMenuFocus(isMenuOpen);
  useWindowDrops();
  const deletion = useDeletion(changed);
  const hide = useCallback(
    (session: SessionLine) => {
      deletion.begin(session);
      goTo({ type: "start" });
    },
    [deletion.begin],
  );
  const key = place.type === "session" ? `${place.id} ${place.seq ?? ""}` : "";
  // On a small screen the list makes room for what was chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what it waits for.
  useEffect(closeMenu, [key]);
  return (
    <div className={`page ${isMenuOpen ? "page-menu-open" : ""}`}>
      <button type="button" className="skip-link" onClick={focusMain}>
        Go to the conversation
      </button>
      <FatePatterns />
      <HelpSheet />
      <Sheets />
      <History
        currentId={place.type === "session" ? place.id : undefined}
        hiddenId={deletion.waiting?.id}
        version={version + (place.type === "start" ? 0.5 : 0)}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same. */}
      <div className="veil" onClick={closeMenu} />
      <div className="screen">
        {place.type === "start" ? (
          <>
            <TopBar onMenu={turnMenu} />
            <main className="chat" id="main">
              <FirstRun />
            </main>
          </>
        ) : (
          <SessionScreen
            key={key}
            sessionId={place.id}
            startSeq={place.seq}
            onMenu={turnMenu}
            onChange={changed}
            onDelete={hide}
          />
        )}
      </div>
      <BottomBar deletion={deletion} />
    </div>
  );
}

/** The list takes the focus when it comes out, and gives it back to whoever opened it unless something was chosen. */
function useMenuFocus(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    // It is hidden until the style of the next frame.
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>("#search")?.focus()),
    );
    return () => {
      cancelAnimationFrame(frame);
      const isInside = document.activeElement?.closest(".history") ?? null;
      if (isInside !== null && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [isOpen]);
}

/** No link: the address after `#` says which conversation it is. */
function focusMain(): void {
  document.querySelector<HTMLElement>("#composer, #main button")?.focus();
}
