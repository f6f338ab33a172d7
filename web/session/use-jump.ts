/** Going to a place of the log: the window moves there if it is elsewhere, and then the conversation shows it. */
import { useCallback, useEffect, useMemo, useState } from "react";
import type { LogWindow } from "../hooks/use-log.ts";
import { VisibleRange } from "../hooks/visible-range.ts";

export function useJump(log: LogWindow, startSeq: number | undefined) {
  const visible = useMemo(() => new VisibleRange(), []);
  const [target, setTarget] = useState<{ readonly seq: number } | undefined>();
  const { firstSeq, lastSeq, around, isLoading } = log;
  const jump = useCallback(
    (seq: number) => {
      const isHeld = seq >= firstSeq && seq <= lastSeq;
      void (isHeld ? Promise.resolve() : around(seq)).then(() => setTarget({ seq }));
    },
    [firstSeq, lastSeq, around],
  );
  useEffect(() => {
    if (startSeq !== undefined && !isLoading) setTarget({ seq: startSeq });
  }, [startSeq, isLoading]);
  return { visible, target, jump };
}
