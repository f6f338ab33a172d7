/** Short notices above the composer. They appear without moving the conversation. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { CloseIcon } from "./icons.tsx";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "failed" | "running";
}

const SHOWN_MS = 6_000;

export interface Notices {
  readonly notices: readonly Notice[];
  /** Returns the id of the notice. */
  readonly notify: (text: string, kind?: Notice["kind"]) => number;
  readonly dismiss: (id: number) => void;
}

export function useNotices(): Notices {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const newest = useRef(0);
  const dismiss = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), []);
  const notify = useCallback((text: string, kind: Notice["kind"] = "done") => {
    newest.current += 1;
    const id = newest.current;
    // A notice with the same text is replaced.
    setNotices((all) => [...all.filter((notice) => notice.text !== text).slice(-2), { id, text, kind }]);
    return id;
  }, []);
  return useMemo(() => ({ notices, notify, dismiss }), [notices, notify, dismiss]);
}

export function NoticeList({ notices, dismiss }: Pick<Notices, "notices" | "dismiss">) {
  return (
    <div className="notices" role="status">
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} dismiss={dismiss} />
      ))}
    </div>
  );
}

function NoticeLine({ notice, dismiss }: { readonly notice: Notice } & Pick<Notices, "dismiss">) {
  const { id, text, kind } = notice;
  useEffect(() => {
    if (kind !== "done") return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, kind, dismiss]);
  return (
    <p className={`notice notice-${kind}`}>
      <span>
        {text}
        {kind === "running" ? <Seconds /> : null}
      </span>
      <button type="button" className="quiet icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <CloseIcon />
      </button>
    </p>
  );
}

/** Elapsed time, shown after the first second. */
function Seconds() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds === 0 ? null : <span aria-hidden="true"> {seconds} s</span>;
}
