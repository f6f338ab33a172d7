/** What has just happened, said once, in a place that does not move anything. */
import { useCallback, useEffect, useRef, useState } from "react";
import { CloseIcon } from "./icons.tsx";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: "told" | "failed" | "running";
}

const TOLD_MS = 6_000;

export interface Notices {
  readonly notices: readonly Notice[];
  readonly tell: (text: string, kind?: Notice["kind"]) => number;
  readonly drop: (id: number) => void;
}

export function useNotices(): Notices {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const newest = useRef(0);
  const drop = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), []);
  const tell = useCallback((text: string, kind: Notice["kind"] = "told") => {
    newest.current += 1;
    const id = newest.current;
    // Said again, it is said once.
    setNotices((all) => [...all.filter((notice) => notice.text !== text).slice(-2), { id, text, kind }]);
    return id;
  }, []);
  return { notices, tell, drop };
}

export function NoticeList({ notices, drop }: Pick<Notices, "notices" | "drop">) {
  return (
    <div className="notices" role="status">
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} drop={drop} />
      ))}
    </div>
  );
}

function NoticeLine({ notice, drop }: { readonly notice: Notice; readonly drop: (id: number) => void }) {
  const { id, text, kind } = notice;
  useEffect(() => {
    if (kind !== "told") return;
    const timer = setTimeout(() => drop(id), TOLD_MS);
    return () => clearTimeout(timer);
  }, [id, kind, drop]);
  return (
    <p className={`notice notice-${kind}`}>
      <span>
        {text}
        {kind === "running" ? <Seconds /> : null}
      </span>
      <button type="button" className="quiet icon-button" aria-label="Dismiss" onClick={() => drop(id)}>
        <CloseIcon />
      </button>
    </p>
  );
}

/** How long something has been going on, once that is worth saying. */
function Seconds() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds === 0 ? null : <span aria-hidden="true"> {seconds} s</span>;
}
