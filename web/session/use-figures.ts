/** What stands beside a conversation, read anew whenever the view may have changed. */
import { useMemo } from "react";
import { loadTakenBack } from "../api/changes.ts";
import { isFullWindow } from "../api/errors.ts";
import { readOneSession } from "../api/sessions.ts";
import { listSummaries } from "../api/summaries.ts";
import type { Fate, View } from "../api/values.ts";
import { loadCompactionState, loadStrip, loadView } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { useRevisits } from "../hooks/use-revisits.ts";

/** Enough for the window to have one for each message. */
const EXACT_BUCKETS = 4_000;

interface FiguresOptions {
  readonly version: number;
  readonly log: LogWindow;
  /** Who is asked next, where somebody chose. */
  readonly model: string | undefined;
}

interface Ahead {
  readonly view?: View | undefined;
  /** Why no prompt can be made; undefined where one can. */
  readonly full?: string | undefined;
}

async function lookAhead(sessionId: string, model: string | undefined, signal: AbortSignal): Promise<Ahead> {
  try {
    return { view: await loadView(sessionId, { provider: "ai-sdk", model }, signal) };
  } catch (error) {
    if (isFullWindow(error)) return { full: error.message };
    throw error;
  }
}

export function useFigures(sessionId: string, { version, log, model }: FiguresOptions) {
  const key = `${sessionId} ${version}`;
  const { firstSeq, lastSeq } = log;
  // Nobody is told of another title; it is seen at the next visit.
  const { value: session } = useLoaded(`${key} ${useRevisits()}`, (signal) => readOneSession(sessionId, signal));
  const { value: seen } = useLoaded(`${key} ${model}`, (signal) => lookAhead(sessionId, model, signal));
  const view = seen?.view;
  const { value: compaction } = useLoaded(`${key} ${model}`, (signal) => loadCompactionState(sessionId, model, signal));
  const { value: summaries = [] } = useLoaded(key, (signal) => listSummaries(sessionId, signal));
  const { value: takenBack } = useLoaded(key, (signal) => loadTakenBack(sessionId, signal));
  const { value: near } = useLoaded(`${key} ${model} ${firstSeq} ${lastSeq}`, async (signal) =>
    lastSeq === 0 ? undefined : loadStrip(sessionId, { firstSeq, lastSeq, buckets: EXACT_BUCKETS, model }, signal),
  );
  const fates = useMemo(() => {
    const bySeq = new Map<number, Fate>();
    for (const segment of near?.segments ?? []) {
      for (let seq = segment.firstSeq; seq <= segment.lastSeq; seq += 1) bySeq.set(seq, segment.fate);
    }
    return bySeq;
  }, [near]);
  return { session, view, full: seen?.full, compaction, summaries, takenBack, fates };
}
