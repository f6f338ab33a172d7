/**
 * A window onto the log with a bounded number of entries. Scrolling loads the next page and discards the far
 * end, so that memory does not grow with the log.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { describeError, isNotFoundError } from "../api/errors.ts";
import { readLogPage, readNewestEntry } from "../api/log.ts";
import { isDeletion, toLogItems } from "../api/read-entries.ts";
import type { Entry, LogItem } from "../api/values.ts";
import type { VisibleSeqs } from "./visible-range.ts";

export const MAX_ENTRIES = 200;
const PAGE_ENTRIES = 60;

interface LogSlice {
  readonly entries: readonly Entry[];
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
  /** Whether the session was deleted or never existed. */
  readonly isGone: boolean;
  /** Whether a message was read from the log, even if the window has moved since. */
  readonly holds: (messageId: string) => boolean;
  readonly older: () => void;
  readonly newer: () => void;
  /** Reads the end of the log, and moves the window there. False if the read failed. */
  readonly newest: () => Promise<boolean>;
  /** Reads the end of the log without moving the window if the user reads further up. */
  readonly follow: (visible: VisibleSeqs) => Promise<boolean>;
  readonly around: (seq: number) => Promise<boolean>;
  /** Whether the log has changed since it was last followed; true if that is unknown. */
  readonly isBehind: () => Promise<boolean>;
}

const EMPTY: LogSlice = { entries: [], hasOlder: false, hasNewer: false };

export function useLog(sessionId: string, startSeq: number | undefined): LogWindow {
  const [slice, setSlice] = useState<LogSlice | undefined>();
  const [error, setError] = useState<string | undefined>();
  const [isGone, setIsGone] = useState(false);
  const known = useRef(new Set<string>());
  const current = useRef<LogSlice>(EMPTY);
  const work = useRef<Promise<unknown>>(Promise.resolve());
  const isPaging = useRef(false);
  /** Seq of the newest known entry, and of the one that was newest when the last complete read began. */
  const newest = useRef({ knownSeq: 0, readSeq: 0 });
  const store = useCallback((next: LogSlice) => {
    current.current = next;
    for (const { id } of next.entries) known.current.add(id);
    setSlice(next);
    setError(undefined);
    setIsGone(false);
  }, []);
  // A reply with several tool rounds is stored as several messages.
  const holds = useCallback((id: string) => known.current.has(id) || known.current.has(`${id}#0`), []);
  /** Runs reads one after the other, so that an older response never replaces a newer one. */
  const enqueue = useCallback(<Value>(read: () => Promise<Value>): Promise<Value> => {
    const done = work.current.then(read);
    work.current = done.catch(() => undefined);
    return done;
  }, []);
  const run = useCallback(
    (load: () => Promise<LogSlice>) =>
      enqueue(async () => {
        try {
          store(await load());
          return true;
        } catch (failure) {
          // A new session may get the same id. The messages that were read stay on the screen.
          if (isNotFoundError(failure)) current.current = EMPTY;
          setError(describeError(failure));
          setIsGone(isNotFoundError(failure));
          return false;
        }
      }),
    [enqueue, store],
  );
  const methods = useMemo(() => {
    const page = (load: () => Promise<LogSlice>) => {
      if (isPaging.current) return;
      isPaging.current = true;
      void run(load).finally(() => {
        isPaging.current = false;
      });
    };
    return {
      older: () => page(() => loadOlder(sessionId, current.current)),
      newer: () => page(() => loadNewer(sessionId, current.current)),
      newest: () => run(() => loadNewest(sessionId, current.current)),
      follow: (visible: VisibleSeqs) =>
        run(async () => {
          const { knownSeq } = newest.current;
          const { slice: next, seen } = await followEnd(sessionId, { slice: current.current, visible });
          for (const { id } of seen) known.current.add(id);
          newest.current.readSeq = knownSeq;
          return next;
        }),
      around: (seq: number) => run(() => loadAround(sessionId, seq)),
      isBehind: () =>
        enqueue(async () => {
          const readSeq = Math.max(newest.current.readSeq, current.current.entries.at(-1)?.seq ?? 0);
          try {
            newest.current.knownSeq = (await readNewestEntry(sessionId))?.seq ?? 0;
          } catch {
            return true;
          }
          return newest.current.knownSeq > readSeq;
        }),
    };
  }, [sessionId, run, enqueue]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the start position matters once per session.
  useEffect(() => {
    current.current = EMPTY;
    newest.current = { knownSeq: 0, readSeq: 0 };
    setSlice(undefined);
    void (startSeq === undefined ? methods.newest() : methods.around(startSeq));
  }, [methods]);
  const { entries, hasOlder, hasNewer } = slice ?? EMPTY;
  const items = useMemo(() => toLogItems(entries, sessionId), [entries, sessionId]);
  const [firstSeq, lastSeq] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
  const isLoading = slice === undefined;
  return { items, firstSeq, lastSeq, hasOlder, hasNewer, isLoading, error, isGone, holds, ...methods };
}

interface FollowResult {
  readonly slice: LogSlice;
  /** Entries at the end of the log, if the window does not show the end. */
  readonly seen: readonly Entry[];
}

/**
 * Keeps the window if the user reads further up. New entries are remembered even if the window has no room for them.
 */
async function followEnd(
  sessionId: string,
  { slice, visible }: { slice: LogSlice; visible: VisibleSeqs },
): Promise<FollowResult> {
  const { entries, hasOlder, hasNewer } = slice;
  const lastSeq = entries.at(-1)?.seq ?? 0;
  if (hasNewer) {
    const page = await readLogPage(sessionId, { limit: PAGE_ENTRIES, newestFirst: true });
    const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
    return { slice: { ...slice, entries: before }, seen: page.entries };
  }
  // A marker after the last message has no measured row.
  const lastMessage = entries.findLast(({ type }) => type === "message")?.seq ?? 0;
  if (visible.lastSeq >= lastMessage) return { slice: await loadNewest(sessionId, slice), seen: [] };
  const page = await readLogPage(sessionId, { afterSeq: lastSeq, limit: MAX_ENTRIES });
  const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
  const all = [...before, ...page.entries];
  const next = { entries: all.slice(0, MAX_ENTRIES), hasOlder, hasNewer: page.isFull || all.length > MAX_ENTRIES };
  return { slice: next, seen: page.entries };
}

async function loadNewest(sessionId: string, { entries, hasNewer, hasOlder }: LogSlice): Promise<LogSlice> {
  const last = entries.at(-1)?.seq;
  if (last !== undefined && !hasNewer) {
    const page = await readLogPage(sessionId, { afterSeq: last, limit: MAX_ENTRIES });
    if (!page.isFull) {
      const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
      const all = [...before, ...page.entries];
      return { entries: all.slice(-MAX_ENTRIES), hasOlder: hasOlder || all.length > MAX_ENTRIES, hasNewer: false };
    }
  }
  const page = await readLogPage(sessionId, { limit: PAGE_ENTRIES, newestFirst: true });
  return { entries: page.entries, hasOlder: page.isFull, hasNewer: false };
}

/** Reads the same positions again: deleted messages, and summaries of them, have lost their text. */
async function readAgain(sessionId: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const [afterSeq, throughSeq] = [(entries[0]?.seq ?? 1) - 1, entries.at(-1)?.seq ?? 0];
  return (await readLogPage(sessionId, { afterSeq, throughSeq, limit: MAX_ENTRIES })).entries;
}

async function loadOlder(sessionId: string, { entries, hasNewer }: LogSlice): Promise<LogSlice> {
  const throughSeq = (entries[0]?.seq ?? 1) - 1;
  const page = await readLogPage(sessionId, { throughSeq, limit: PAGE_ENTRIES, newestFirst: true });
  const all = [...page.entries, ...entries];
  return {
    entries: all.slice(0, MAX_ENTRIES),
    hasOlder: page.isFull,
    hasNewer: hasNewer || all.length > MAX_ENTRIES,
  };
}

async function loadNewer(sessionId: string, { entries, hasOlder }: LogSlice): Promise<LogSlice> {
  const page = await readLogPage(sessionId, { afterSeq: entries.at(-1)?.seq ?? 0, limit: PAGE_ENTRIES });
  const all = [...entries, ...page.entries];
  return { entries: all.slice(-MAX_ENTRIES), hasOlder: hasOlder || all.length > MAX_ENTRIES, hasNewer: page.isFull };
}

async function loadAround(sessionId: string, seq: number): Promise<LogSlice> {
  const [before, after] = await Promise.all([
    readLogPage(sessionId, { throughSeq: Math.max(0, seq - 1), limit: PAGE_ENTRIES / 2, newestFirst: true }),
    readLogPage(sessionId, { afterSeq: Math.max(0, seq - 1), limit: PAGE_ENTRIES }),
  ]);
  return { entries: [...before.entries, ...after.entries], hasOlder: before.isFull, hasNewer: after.isFull };
}
