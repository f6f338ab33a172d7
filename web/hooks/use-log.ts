/**
 * A window on the log: at most so many entries, wherever in the log they are. Going up or down loads the next page and
 * lets go of the far end, so that a log of any length costs the same.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { readPage } from "../api/log.ts";
import { type LogEntry, showEntries } from "../api/read-entries.ts";
import { sayError } from "../api/say-error.ts";
import type { LogItem } from "../api/values.ts";

export const MOST_ENTRIES = 200;
const PAGE_ENTRIES = 60;

interface Held {
  readonly entries: readonly LogEntry[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export interface LogWindow {
  readonly items: readonly LogItem[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly isLoading: boolean;
  readonly error: string | undefined;
  readonly older: () => void;
  readonly newer: () => void;
  /** Whatever is new at the end; the end itself where the window is elsewhere. False where it could not be read. */
  readonly newest: () => Promise<boolean>;
  readonly around: (seq: number) => Promise<boolean>;
}

const NOTHING: Held = { entries: [], hasOlder: false, hasNewer: false };

export function useLog(sessionId: string, startSeq: number | undefined): LogWindow {
  const [held, setHeld] = useState<Held | undefined>();
  const [error, setError] = useState<string | undefined>();
  const current = useRef<Held>(NOTHING);
  const isBusy = useRef(false);
  const keep = useCallback((next: Held) => {
    current.current = next;
    setHeld(next);
    setError(undefined);
  }, []);
  const run = useCallback(
    async (load: () => Promise<Held>) => {
      isBusy.current = true;
      try {
        keep(await load());
        return true;
      } catch (failure) {
        setError(sayError(failure));
        return false;
      } finally {
        isBusy.current = false;
      }
    },
    [keep],
  );
  const verbs = useMemo(() => {
    const page = (load: () => Promise<Held>) => {
      if (!isBusy.current) void run(load);
    };
    return {
      older: () => page(() => loadOlder(sessionId, current.current)),
      newer: () => page(() => loadNewer(sessionId, current.current)),
      newest: () => run(() => loadNewest(sessionId, current.current)),
      around: (seq: number) => run(() => loadAround(sessionId, seq)),
    };
  }, [sessionId, run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where to begin is asked once for each session.
  useEffect(() => {
    current.current = NOTHING;
    setHeld(undefined);
    void (startSeq === undefined ? verbs.newest() : verbs.around(startSeq));
  }, [verbs]);
  const { entries, hasOlder, hasNewer } = held ?? NOTHING;
  const items = useMemo(() => showEntries(entries, { sessionId }), [entries, sessionId]);
  const [firstSeq, lastSeq] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
  return { items, firstSeq, lastSeq, hasOlder, hasNewer, isLoading: held === undefined, error, ...verbs };
}

async function loadNewest(sessionId: string, { entries, hasNewer, hasOlder }: Held): Promise<Held> {
  const last = entries.at(-1)?.seq;
  if (last !== undefined && !hasNewer) {
    const page = await readPage(sessionId, { afterSeq: last, limit: MOST_ENTRIES });
    if (!page.isFull) {
      const all = [...entries, ...page.entries];
      return { entries: all.slice(-MOST_ENTRIES), hasOlder: hasOlder || all.length > MOST_ENTRIES, hasNewer: false };
    }
  }
  const page = await readPage(sessionId, { limit: PAGE_ENTRIES, newestFirst: true });
  return { entries: page.entries, hasOlder: page.isFull, hasNewer: false };
}

async function loadOlder(sessionId: string, { entries, hasNewer }: Held): Promise<Held> {
  const throughSeq = (entries[0]?.seq ?? 1) - 1;
  const page = await readPage(sessionId, { throughSeq, limit: PAGE_ENTRIES, newestFirst: true });
  const all = [...page.entries, ...entries];
  return {
    entries: all.slice(0, MOST_ENTRIES),
    hasOlder: page.isFull,
    hasNewer: hasNewer || all.length > MOST_ENTRIES,
  };
}

async function loadNewer(sessionId: string, { entries, hasOlder }: Held): Promise<Held> {
  const page = await readPage(sessionId, { afterSeq: entries.at(-1)?.seq ?? 0, limit: PAGE_ENTRIES });
  const all = [...entries, ...page.entries];
  return { entries: all.slice(-MOST_ENTRIES), hasOlder: hasOlder || all.length > MOST_ENTRIES, hasNewer: page.isFull };
}

async function loadAround(sessionId: string, seq: number): Promise<Held> {
  const [before, after] = await Promise.all([
    readPage(sessionId, { throughSeq: Math.max(0, seq - 1), limit: PAGE_ENTRIES / 2, newestFirst: true }),
    readPage(sessionId, { afterSeq: Math.max(0, seq - 1), limit: PAGE_ENTRIES }),
  ]);
  return { entries: [...before.entries, ...after.entries], hasOlder: before.isFull, hasNewer: after.isFull };
}
