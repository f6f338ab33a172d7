/**
 * What was written elsewhere is read as soon as it is told. While a turn is under way it waits, because the end of the
 * turn reads everything; what came at that very moment may have been too late for it, so that the page looks once more.
 * It also looks when the stream of events begins, since what happened before was told to nobody, and at every revisit.
 */
import { useCallback, useEffect, useRef } from "react";
import { STREAM_START } from "../api/shared-stream.ts";
import { useSoon } from "../hooks/limit-calls.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { useRevisits } from "../hooks/use-revisits.ts";

/** After these the log has more than the page shows. */
const CHANGING: readonly string[] = ["compaction", "session-grown", "missed"];

export interface ChangesOptions {
  readonly log: LogWindow;
  /** Whether a turn is under way. */
  readonly isRunning: boolean;
  readonly refresh: () => Promise<unknown>;
}

export function useChanges({ log: { isBehind }, isRunning, refresh }: ChangesOptions): (name: string) => void {
  const isOwed = useRef(false);
  const refreshSoon = useSoon(() => {
    isOwed.current = isRunning;
    if (!isRunning) void refresh();
  });
  const catchUp = useCallback(async () => {
    if (await isBehind()) refreshSoon();
  }, [isBehind, refreshSoon]);
  const visits = useRevisits();
  useEffect(() => {
    if (visits > 0) void catchUp();
  }, [visits, catchUp]);
  useEffect(() => {
    if (isRunning || !isOwed.current) return;
    isOwed.current = false;
    void catchUp();
  }, [isRunning, catchUp]);
  return useCallback(
    (name: string) => {
      if (name === STREAM_START) void catchUp();
      else if (name === "session-deleted") void refresh();
      else if (CHANGING.includes(name)) refreshSoon();
    },
    [catchUp, refresh, refreshSoon],
  );
}
