/** A sheet over the page: Escape and the button close it, and the focus goes back to where it was. */
import { type ReactNode, useEffect, useRef } from "react";
import { CloseIcon } from "./icons.tsx";

export interface SheetProps {
  readonly title: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Sheet({ title, className, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog className={`sheet ${className}`} ref={dialog} aria-labelledby="sheet-title" onClose={onClose}>
      <div className="sheet-head">
        <h2 id="sheet-title">{title}</h2>
        <button type="button" className="quiet icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
      <div className="sheet-body">{children}</div>
    </dialog>
  );
}
