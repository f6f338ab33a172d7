/** The log of a session as the screen shows it: its window, the scroll position, and a version that counts changes. */
import { useCallback, useEffect, useMemo, useState } from "react";
import { type LogWindow, useLog } from "../hooks/use-log.ts";
import { usePolicyChange } from "../hooks/use-policy-change.ts";
import { VisibleRange } from "../hooks/visible-range.ts";

export interface Transcript {
  readonly log: LogWindow;
  readonly visible: VisibleRange;
  /** Position that the conversation scrolls to; a new object scrolls again. */
  readonly target: { readonly seq: number } | undefined;
  readonly jump: (seq: number) => void;
  /** Increases whenever the log may have changed. */
  readonly version: number;
  /** Reads the log and everything that depends on it; false if the log could not be read. */
  readonly refresh: () => Promise<boolean>;
}

export interface TranscriptOptions {
  readonly sessionId: string;
  readonly startSeq: number | undefined;
  /** Called when the list of conversations may be outdated. */
  readonly onChange: () => void;
}

export function useTranscript({ sessionId, startSeq, onChange }: TranscriptOptions): Transcript {
  const [version, setVersion] = useState(0);
  const log = useLog(sessionId, startSeq);
  const { follow } = log;
  const visible = useMemo(() => new VisibleRange(), []);
  const { target, jump } = useJump(log, startSeq);
  const refresh = useCallback(async () => {
    const isRead = await follow(visible.read());
    setVersion((before) => before + 1);
    onChange();
    return isRead;
  }, [follow, visible, onChange]);
  usePolicyChange(refresh);
  return { log, visible, target, jump, version, refresh };
}

/** Loads the part of the log around a position if the window does not contain it, then scrolls there. */
function useJump({ firstSeq, lastSeq, around, isLoading }: LogWindow, startSeq: number | undefined) {
  const [target, setTarget] = useState<Transcript["target"]>();
  const jump = useCallback(
    (seq: number) => {
      const isLoaded = seq >= firstSeq && seq <= lastSeq;
      void (isLoaded ? Promise.resolve() : around(seq)).then(() => setTarget({ seq }));
    },
    [firstSeq, lastSeq, around],
  );
  useEffect(() => {
    if (startSeq !== undefined && !isLoading) setTarget({ seq: startSeq });
  }, [startSeq, isLoading]);
  return { target, jump };
}
