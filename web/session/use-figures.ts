/** Figures of a conversation, loaded again whenever the log may have changed. */
import { useMemo } from "react";
import { loadUndoneIds } from "../api/changes.ts";
import { isWindowFullError } from "../api/errors.ts";
import { readSession } from "../api/sessions.ts";
import { listSummaries } from "../api/summaries.ts";
import type { Fate, PromptReport } from "../api/values.ts";
import { loadCompactionState, loadStrip, loadView } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { useRefreshTicks } from "../hooks/use-refresh-ticks.ts";

/** Enough for one bucket for each message of the window. */
const EXACT_BUCKETS = 4_000;

export type SessionFigures = ReturnType<typeof useFigures>;

interface FiguresOptions {
  readonly version: number;
  readonly log: LogWindow;
  /** The chosen model; undefined for the server's default. */
  readonly model: string | undefined;
}

interface NextPrompt {
  readonly report?: PromptReport | undefined;
  /** The server's reason if no prompt fits into the context window. */
  readonly fullReason?: string | undefined;
}

async function loadNextPrompt(id: string, model: string | undefined, signal: AbortSignal): Promise<NextPrompt> {
  try {
    return { report: (await loadView(id, { provider: "ai-sdk", model }, signal)).report };
  } catch (error) {
    if (isWindowFullError(error)) return { fullReason: error.message };
    throw error;
  }
}

export function useFigures(sessionId: string, { version, log, model }: FiguresOptions) {
  const key = `${sessionId} ${version}`;
  const { firstSeq, lastSeq } = log;
  // A new title emits no event, so it is read regularly.
  const { value: session } = useLoaded(`${key} ${useRefreshTicks()}`, (signal) => readSession(sessionId, signal));
  const { value: next } = useLoaded(`${key} ${model}`, (signal) => loadNextPrompt(sessionId, model, signal));
  const { value: compaction } = useLoaded(`${key} ${model}`, (signal) => loadCompactionState(sessionId, model, signal));
  const { value: summaries = [] } = useLoaded(key, (signal) => listSummaries(sessionId, signal));
  const { value: undone } = useLoaded(key, (signal) => loadUndoneIds(sessionId, signal));
  const { value: strip } = useLoaded(`${key} ${model} ${firstSeq} ${lastSeq}`, async (signal) =>
    lastSeq === 0 ? undefined : loadStrip(sessionId, { firstSeq, lastSeq, buckets: EXACT_BUCKETS, model }, signal),
  );
  const fates = useMemo(() => {
    const bySeq = new Map<number, Fate>();
    for (const segment of strip?.segments ?? []) {
      for (let seq = segment.firstSeq; seq <= segment.lastSeq; seq += 1) bySeq.set(seq, segment.fate);
    }
    return bySeq;
  }, [strip]);
  return { session, report: next?.report, fullReason: next?.fullReason, compaction, summaries, undone, fates };
}
