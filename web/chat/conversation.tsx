/**
 * The log as a conversation, with the turn that is under way at its end. It holds a window of the log and keeps the
 * reader's place: what is loaded above does not push, and the end is followed only by those who are there.
 */
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import type { Branch } from "../api/sessions.ts";
import type { Fate, LogItem, ShownMessage } from "../api/values.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { VisibleRange } from "../hooks/visible-range.ts";
import { MarkerRow } from "./marker-row.tsx";
import { BranchSwitch, type MessageActions, MessageRow } from "./message-row.tsx";

export interface ConversationProps {
  readonly log: LogWindow;
  readonly live: readonly ShownMessage[];
  readonly isRunning: boolean;
  /** That the provider was asked again and why. */
  readonly retry: string | undefined;
  readonly fates: ReadonlyMap<number, Fate>;
  /** Ids of changes that were undone; undefined while that is not known. */
  readonly takenBack: ReadonlySet<string> | undefined;
  readonly branches: readonly Branch[];
  readonly visible: VisibleRange;
  /** A place to show; a new object asks again. */
  readonly target: { readonly seq: number } | undefined;
  readonly actions: MessageActions;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
  readonly children?: ReactNode;
}

/** Pixels from an edge at which the next page is asked for, and those within which somebody reads at the end. */
const NEAR = 800;
const AT_END = 64;
/** Left free above a row that was jumped to. */
const ABOVE = 16;

export function Conversation(props: ConversationProps) {
  const { log, live, isRunning, retry, fates, takenBack, branches, visible, target, actions, children } = props;
  const { onJump, onOpenSummary } = props;
  const after = endBranch(log, branches);
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ readonly seq: string; readonly top: number } | undefined>(undefined);
  const isAtEnd = useRef(true);
  const look = useCallback(() => {
    const element = frame.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const below = scrollHeight - scrollTop - clientHeight;
    isAtEnd.current = below < AT_END && !log.hasNewer;
    const seen = readVisible(element);
    anchor.current = seen.anchor;
    visible.tell(seen);
    if (scrollTop < NEAR && log.hasOlder) log.older();
    if (below < NEAR && log.hasNewer) log.newer();
  }, [log, visible]);
  const lookNow = useRef(look);
  lookNow.current = look;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was loaded is what it waits for.
  useLayoutEffect(() => {
    const element = frame.current;
    const { current: held } = anchor;
    if (element === null || held === undefined || isAtEnd.current) return;
    const row = element.querySelector(`[data-seq="${held.seq}"]`);
    if (row !== null) element.scrollTop += row.getBoundingClientRect().top - held.top;
  }, [log.items]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is what it waits for.
  useLayoutEffect(() => {
    if (isAtEnd.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
    lookNow.current();
  }, [log.items, live]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    // What is laid on the shelf below takes room from what is read.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (target === undefined) return;
    const row = findRow(frame.current, target.seq);
    if (row === undefined) return;
    isAtEnd.current = false;
    // Scrolled here and not by the row, which would move the page around it too.
    frame.current?.scrollBy(0, row.getBoundingClientRect().top - frame.current.getBoundingClientRect().top - ABOVE);
    row.focus({ preventScroll: true });
    lookNow.current();
  }, [target]);
  return (
    <section
      className="conversation"
      aria-label="Conversation"
      ref={frame}
      // What scrolls has to be reached by key, also before anything in it can be.
      tabIndex={log.items.length === 0 ? 0 : undefined}
      onScroll={look}
    >
      {log.hasOlder ? <p className="edge">Older messages are above</p> : null}
      <ol className="messages">
        {log.items.map((item, index) =>
          item.type === "marker" ? (
            <MarkerRow
              key={item.marker.id}
              marker={item.marker}
              isTakenBack={takenBack?.has(item.marker.id) === true}
              onJump={onJump}
              onOpenSummary={onOpenSummary}
            />
          ) : (
            <MessageRow
              key={item.message.id}
              message={item.message}
              fate={fateOf(item, fates)}
              isFateSaid={fateOf(item, fates) !== fateOf(log.items[index - 1], fates)}
              isContinued={isContinued(log.items, index)}
              branch={branchOf(log.items, index, branches)}
              actions={actions}
            />
          ),
        )}
        {live
          .filter(({ blocks }) => isRunning || blocks.length > 0)
          .map((message, index) => (
            <MessageRow
              key={message.id}
              message={message}
              fate={undefined}
              isContinued={false}
              isStreaming={isRunning && index === live.length - 1 && message.role === "assistant"}
              retry={retry}
            />
          ))}
      </ol>
      {after === undefined || live.length > 0 ? null : <BranchSwitch branch={after} />}
      {children}
    </section>
  );
}

/** The assistant goes on after its tools: its name is not said again. */
function isContinued(items: readonly LogItem[], index: number): boolean {
  const [item, before] = [items[index], items[index - 1]];
  if (item?.type !== "message" || before?.type !== "message") return false;
  return (
    item.message.role === before.message.role &&
    item.message.name === before.message.name &&
    item.message.role !== "user"
  );
}

function fateOf(item: LogItem | undefined, fates: ReadonlyMap<number, Fate>): Fate | undefined {
  return item?.type === "message" && item.message.seq !== undefined ? fates.get(item.message.seq) : undefined;
}

/** Ways that part where nothing was said here yet have no message to stand at. */
function endBranch({ items, hasNewer }: LogWindow, branches: readonly Branch[]): Branch | undefined {
  if (hasNewer || items.length === 0) return undefined;
  const last = seqOf(items.findLast((item) => item.type === "message")) ?? 0;
  return branches.find(({ atSeq }) => atSeq >= last);
}

/** A branch stands at the first message after the place where the ways part. */
function branchOf(items: readonly LogItem[], index: number, branches: readonly Branch[]): Branch | undefined {
  if (branches.length === 0) return undefined;
  const before = items.slice(0, index).findLast((item) => item.type === "message");
  const [from, to] = [seqOf(before) ?? 0, seqOf(items[index]) ?? 0];
  return branches.find(({ atSeq }) => atSeq >= from && atSeq < to);
}

function seqOf(item: LogItem | undefined): number | undefined {
  return item?.type === "message" ? (item.message.lastSeq ?? item.message.seq) : undefined;
}

/** The row that holds a place, or the first one after it. */
function findRow(frame: HTMLElement | null, seq: number): HTMLElement | undefined {
  const rows = [...(frame?.querySelectorAll<HTMLElement>("[data-seq]") ?? [])];
  return rows.find((row) => Number(row.dataset.lastSeq) >= seq);
}

/** What of the conversation is on the screen, and the row that keeps the reader's place when others are loaded. */
export interface Seen {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly anchor: { readonly seq: string; readonly top: number } | undefined;
}

export function readVisible(frame: HTMLElement): Seen {
  const { top, bottom } = frame.getBoundingClientRect();
  const rows = frame.querySelectorAll<HTMLElement>("[data-seq]");
  const first = findFirst(rows, (row) => row.getBoundingClientRect().bottom > top);
  const after = findFirst(rows, (row) => row.getBoundingClientRect().top >= bottom);
  const [from, to] = [rows[first], rows[Math.max(first, after - 1)]];
  if (from === undefined || to === undefined) return { firstSeq: 0, lastSeq: 0, anchor: undefined };
  return {
    firstSeq: Number(from.dataset.seq),
    lastSeq: Number(to.dataset.lastSeq),
    anchor: { seq: from.dataset.seq ?? "", top: from.getBoundingClientRect().top },
  };
}

/** Rows lie in order, so that few have to be measured. */
function findFirst(rows: NodeListOf<HTMLElement>, holds: (row: HTMLElement) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && holds(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
