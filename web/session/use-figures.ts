/** What stands beside a conversation, read anew whenever the view may have changed. */
import { useMemo, useRef } from "react";
import { isFullWindow } from "../api/say-error.ts";
import { listSummaries, loadCompactionState, loadStrip, loadView, readOneSession } from "../api/server.ts";
import type { Fate, View } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { LogWindow } from "../hooks/use-log.ts";

/** Enough for the window to have one for each message. */
const EXACT_BUCKETS = 4_000;

interface FiguresOptions {
  readonly version: number;
  readonly log: LogWindow;
}

interface Ahead {
  readonly view?: View | undefined;
  /** Why no prompt can be made; undefined where one can. */
  readonly full?: string | undefined;
}

async function lookAhead(sessionId: string, signal: AbortSignal): Promise<Ahead> {
  try {
    return { view: await loadView(sessionId, "ai-sdk", signal) };
  } catch (error) {
    if (isFullWindow(error)) return { full: error.message };
    throw error;
  }
}

/** The prompt before the one that is shown; undefined until there were two. */
function usePromptBefore(view: View | undefined): unknown {
  const kept = useRef<{ readonly view: View | undefined; readonly before: View | undefined }>(undefined);
  const { current } = kept;
  const isNew = view !== undefined && JSON.stringify(view.prompt) !== JSON.stringify(current?.view?.prompt);
  if (isNew) kept.current = { view, before: current?.view };
  return kept.current?.before?.prompt;
}

export function useFigures(sessionId: string, { version, log }: FiguresOptions) {
  const key = `${sessionId} ${version}`;
  const { firstSeq, lastSeq } = log;
  const { value: session } = useLoaded(key, (signal) => readOneSession(sessionId, signal));
  const { value: seen } = useLoaded(key, (signal) => lookAhead(sessionId, signal));
  const view = seen?.view;
  const before = usePromptBefore(view);
  const { value: compaction } = useLoaded(key, (signal) => loadCompactionState(sessionId, signal));
  const { value: summaries = [] } = useLoaded(key, (signal) => listSummaries(sessionId, signal));
  const { value: near } = useLoaded(`${key} ${firstSeq} ${lastSeq}`, async (signal) =>
    lastSeq === 0 ? undefined : loadStrip(sessionId, { firstSeq, lastSeq, buckets: EXACT_BUCKETS }, signal),
  );
  const fates = useMemo(() => {
    const bySeq = new Map<number, Fate>();
    for (const segment of near?.segments ?? []) {
      for (let seq = segment.firstSeq; seq <= segment.lastSeq; seq += 1) bySeq.set(seq, segment.fate);
    }
    return bySeq;
  }, [near]);
  return { session, view, before, full: seen?.full, compaction, summaries, fates };
}
