/**
 * A window on the log: at most so many entries, wherever in the log they are. Going up or down loads the next page and
 * lets go of the far end, so that a log of any length costs the same.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isMissing, sayError } from "../api/errors.ts";
import { readText } from "../api/fields.ts";
import { readNewest, readPage } from "../api/log.ts";
import { isDeletion, type LogEntry, showEntries } from "../api/read-entries.ts";
import type { LogItem } from "../api/values.ts";
import type { Range } from "./visible-range.ts";

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
  /** There is no such session, or no more. */
  readonly isGone: boolean;
  /** Whether a message was read from the log, wherever the window is now. */
  readonly holds: (messageId: string) => boolean;
  readonly older: () => void;
  readonly newer: () => void;
  /** Whatever is new at the end; the end itself where the window is elsewhere. False where it could not be read. */
  readonly newest: () => Promise<boolean>;
  /** The same, except that whoever reads elsewhere, or further up, stays there. */
  readonly follow: (visible: Range) => Promise<boolean>;
  readonly around: (seq: number) => Promise<boolean>;
  /** Whether something changed since the log was followed last; also where that cannot be known. */
  readonly isBehind: () => Promise<boolean>;
}

const NOTHING: Held = { entries: [], hasOlder: false, hasNewer: false };

export function useLog(sessionId: string, startSeq: number | undefined): LogWindow {
  const [held, setHeld] = useState<Held | undefined>();
  const [error, setError] = useState<string | undefined>();
  const [isGone, setIsGone] = useState(false);
  const known = useRef(new Set<string>());
  const current = useRef<Held>(NOTHING);
  const work = useRef<Promise<unknown>>(Promise.resolve());
  const isPaging = useRef(false);
  /** Of the newest change that is known of, and of the newest that everything was read after. */
  const newest = useRef({ knownSeq: 0, readSeq: 0 });
  const keep = useCallback((next: Held) => {
    current.current = next;
    for (const { fields } of next.entries) known.current.add(readText(fields.id));
    setHeld(next);
    setError(undefined);
    setIsGone(false);
  }, []);
  // A reply of several rounds is several messages of the log.
  const holds = useCallback((id: string) => known.current.has(id) || known.current.has(`${id}#0`), []);
  /** One after the other: what was read first must not take the place of what was read later. */
  const inTurn = useCallback(<Value>(read: () => Promise<Value>): Promise<Value> => {
    const done = work.current.then(read);
    work.current = done.catch(() => undefined);
    return done;
  }, []);
  const run = useCallback(
    (load: () => Promise<Held>) =>
      inTurn(async () => {
        try {
          keep(await load());
          return true;
        } catch (failure) {
          // What may come under the same id is another conversation; what was read of this one stays on the screen.
          if (isMissing(failure)) current.current = NOTHING;
          setError(sayError(failure));
          setIsGone(isMissing(failure));
          return false;
        }
      }),
    [inTurn, keep],
  );
  const verbs = useMemo(() => {
    const page = (load: () => Promise<Held>) => {
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
      follow: (visible: Range) =>
        run(async () => {
          const { knownSeq } = newest.current;
          const { held: next, seen } = await followEnd(sessionId, { held: current.current, visible });
          for (const { fields } of seen) known.current.add(readText(fields.id));
          newest.current.readSeq = knownSeq;
          return next;
        }),
      around: (seq: number) => run(() => loadAround(sessionId, seq)),
      isBehind: () =>
        inTurn(async () => {
          const readSeq = Math.max(newest.current.readSeq, current.current.entries.at(-1)?.seq ?? 0);
          try {
            newest.current.knownSeq = (await readNewest(sessionId))?.seq ?? 0;
          } catch {
            return true;
          }
          return newest.current.knownSeq > readSeq;
        }),
    };
  }, [sessionId, run, inTurn]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where to begin is asked once for each session.
  useEffect(() => {
    current.current = NOTHING;
    newest.current = { knownSeq: 0, readSeq: 0 };
    setHeld(undefined);
    void (startSeq === undefined ? verbs.newest() : verbs.around(startSeq));
  }, [verbs]);
  const { entries, hasOlder, hasNewer } = held ?? NOTHING;
  const items = useMemo(() => showEntries(entries, { sessionId }), [entries, sessionId]);
  const [firstSeq, lastSeq] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
  const isLoading = held === undefined;
  return { items, firstSeq, lastSeq, hasOlder, hasNewer, isLoading, error, isGone, holds, ...verbs };
}

interface Followed {
  readonly held: Held;
  /** At the end, where the window is elsewhere. */
  readonly seen: readonly LogEntry[];
}

/** Whoever reads further up stays there; what is new at the end is only noted where the window has no room for it. */
async function followEnd(sessionId: string, { held, visible }: { held: Held; visible: Range }): Promise<Followed> {
  const { entries, hasOlder, hasNewer } = held;
  const lastSeq = entries.at(-1)?.seq ?? 0;
  if (hasNewer) {
    const page = await readPage(sessionId, { limit: PAGE_ENTRIES, newestFirst: true });
    const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
    return { held: { ...held, entries: before }, seen: page.entries };
  }
  // A marker after the last message has no row that is measured.
  const lastSaid = entries.findLast(({ fields }) => fields.type === "message")?.seq ?? 0;
  if (visible.lastSeq >= lastSaid) return { held: await loadNewest(sessionId, held), seen: [] };
  const page = await readPage(sessionId, { afterSeq: lastSeq, limit: MOST_ENTRIES });
  const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
  const all = [...before, ...page.entries];
  const next = { entries: all.slice(0, MOST_ENTRIES), hasOlder, hasNewer: page.isFull || all.length > MOST_ENTRIES };
  return { held: next, seen: page.entries };
}

async function loadNewest(sessionId: string, { entries, hasNewer, hasOlder }: Held): Promise<Held> {
  const last = entries.at(-1)?.seq;
  if (last !== undefined && !hasNewer) {
    const page = await readPage(sessionId, { afterSeq: last, limit: MOST_ENTRIES });
    if (!page.isFull) {
      const before = page.entries.some(isDeletion) ? await readAgain(sessionId, entries) : entries;
      const all = [...before, ...page.entries];
      return { entries: all.slice(-MOST_ENTRIES), hasOlder: hasOlder || all.length > MOST_ENTRIES, hasNewer: false };
    }
  }
  const page = await readPage(sessionId, { limit: PAGE_ENTRIES, newestFirst: true });
  return { entries: page.entries, hasOlder: page.isFull, hasNewer: false };
}

/** The same places as they are now: what was deleted, and every summary of it, has lost its words. */
async function readAgain(sessionId: string, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
  const [afterSeq, throughSeq] = [(entries[0]?.seq ?? 1) - 1, entries.at(-1)?.seq ?? 0];
  return (await readPage(sessionId, { afterSeq, throughSeq, limit: MOST_ENTRIES })).entries;
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
