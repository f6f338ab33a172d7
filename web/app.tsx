/** The page: the list of conversations, and the first screen or the open conversation. */
import { useCallback, useEffect, useState } from "react";
import type { Session } from "./api/values.ts";
import { BottomBar } from "./bottom-bar.tsx";
import { FirstRun } from "./first-run/first-run.tsx";
import { useWindowDrops } from "./first-run/use-drops.ts";
import { History } from "./history/history.tsx";
import { useDeletion } from "./hooks/use-deletion.ts";
import { goTo, useLocation } from "./hooks/use-location.ts";
import { SessionScreen } from "./session/session-screen.tsx";
import { HelpSheet, Sheets } from "./sheets.tsx";
import { FatePatterns } from "./strip/fates.tsx";
import { TopBar } from "./ui/top-bar.tsx";

export function App() {
  const place = useLocation();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [version, setVersion] = useState(0);
  const refreshList = useCallback(() => setVersion((before) => before + 1), []);
  const toggleMenu = useCallback(() => setIsMenuOpen((before) => !before), []);
  const closeMenu = useCallback(() => setIsMenuOpen(false), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && closeMenu();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [closeMenu]);
  useMenuFocus(isMenuOpen);
  useWindowDrops();
  const deletion = useDeletion(refreshList);
  const hide = useCallback(
    (session: Session) => {
      deletion.begin(session);
      goTo({ type: "start" });
    },
    [deletion.begin],
  );
  const key = place.type === "session" ? `${place.id} ${place.seq ?? ""}` : "";
  // On a small screen the list closes when a conversation is chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the place changes.
  useEffect(closeMenu, [key]);
  return (
    <div className={`page ${isMenuOpen ? "page-menu-open" : ""}`}>
      <button type="button" className="skip-link" onClick={focusMain}>
        Skip to conversation
      </button>
      <FatePatterns />
      <HelpSheet />
      <Sheets />
      <History
        currentId={place.type === "session" ? place.id : undefined}
        hiddenId={deletion.pending?.id}
        version={version + (place.type === "start" ? 0.5 : 0)}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same. */}
      <div className="veil" onClick={closeMenu} />
      <div className="screen">
        {place.type === "start" ? (
          <>
            <TopBar onMenu={toggleMenu} />
            <main className="chat" id="main">
              <FirstRun />
            </main>
          </>
        ) : (
          <SessionScreen
            key={key}
            sessionId={place.id}
            startSeq={place.seq}
            onMenu={toggleMenu}
            onChange={refreshList}
            onDelete={hide}
          />
        )}
      </div>
      <BottomBar deletion={deletion} />
    </div>
  );
}

/** Focuses the list when it opens, and returns the focus when it closes unless the user chose a conversation. */
function useMenuFocus(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    // The list is hidden until the next frame.
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

/** A button and not a link, because the address after `#` names the conversation. */
function focusMain(): void {
  document.querySelector<HTMLElement>("#composer, #main button")?.focus();
}
