/**
 * A modal dialog. It focuses its heading, so that screen readers announce it, and returns the focus when it
 * closes. It closes synchronously, because a key can open it again before the browser's close event.
 */
import { type ReactNode, type SyntheticEvent, useEffect, useRef } from "react";
import { CloseIcon } from "./icons.tsx";

export interface SheetProps {
  readonly title: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Sheet({ title, className, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog className={`sheet ${className}`} ref={dialog} aria-labelledby="sheet-title" {...{ onCancel, onClose }}>
      <div className="sheet-head">
        <h2 id="sheet-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="quiet icon-button" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      <div className="sheet-body">{children}</div>
    </dialog>
  );
}
