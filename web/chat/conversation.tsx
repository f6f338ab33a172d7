/**
 * The log as a conversation, with the turn that is running at its end. It renders a window of the log and keeps the
 * scroll position: loading older messages does not move the page, and it follows the end only if the user is there.
 */
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import type { Branch, Fate, LogItem, ShownMessage } from "../api/values.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { VisibleRange } from "../hooks/visible-range.ts";
import type { ShownRecalls } from "../session/use-recalls.ts";
import { MarkerRow } from "./marker-row.tsx";
import { BranchSwitch, type MessageActions, MessageRow } from "./message-row.tsx";

export interface ConversationProps {
  readonly log: LogWindow;
  readonly live: readonly ShownMessage[];
  readonly isRunning: boolean;
  /** Why the server retries the request, while it does. */
  readonly retry: string | undefined;
  readonly fates: ReadonlyMap<number, Fate>;
  /** Ids of changes that are undone; undefined until they are loaded. */
  readonly undone: ReadonlySet<string> | undefined;
  readonly recalls: ShownRecalls;
  readonly branches: readonly Branch[];
  readonly visible: VisibleRange;
  /** Position to scroll to; a new object scrolls again. */
  readonly target: { readonly seq: number } | undefined;
  readonly actions: MessageActions;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
  readonly children?: ReactNode;
}

/** Pixels from an edge at which the next page is loaded. */
const NEAR = 800;
/** Pixels from the end at which the conversation follows new messages. */
const AT_END = 64;
/** Pixels above a row that was jumped to. */
const ABOVE = 16;

export function Conversation(props: ConversationProps) {
  const { log, live, isRunning, retry, fates, undone, branches, visible, target, actions, children } = props;
  const { recalls, onJump, onOpenSummary } = props;
  const lastBranch = findLastBranch(log, branches);
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ readonly seq: string; readonly top: number } | undefined>(undefined);
  const isAtEnd = useRef(true);
  const measure = useCallback(() => {
    const element = frame.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const below = scrollHeight - scrollTop - clientHeight;
    isAtEnd.current = below < AT_END && !log.hasNewer;
    const rows = findVisibleRows(element);
    anchor.current = rows.anchor;
    visible.set(rows);
    if (scrollTop < NEAR && log.hasOlder) log.older();
    if (below < NEAR && log.hasNewer) log.newer();
  }, [log, visible]);
  const latestMeasure = useRef(measure);
  latestMeasure.current = measure;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when entries were loaded.
  useLayoutEffect(() => {
    const element = frame.current;
    const { current: before } = anchor;
    if (element === null || before === undefined || isAtEnd.current) return;
    const row = element.querySelector(`[data-seq="${before.seq}"]`);
    if (row !== null) element.scrollTop += row.getBoundingClientRect().top - before.top;
  }, [log.items]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the rows change.
  useLayoutEffect(() => {
    if (isAtEnd.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
    latestMeasure.current();
  }, [log.items, live]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    // Images and quotes in the composer make the conversation smaller.
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
    // Scrolls only this element; `scrollIntoView` would scroll the page too.
    frame.current?.scrollBy(0, row.getBoundingClientRect().top - frame.current.getBoundingClientRect().top - ABOVE);
    row.focus({ preventScroll: true });
    latestMeasure.current();
  }, [target]);
  return (
    <section
      className="conversation"
      aria-label="Conversation"
      ref={frame}
      // A scrolling element must be reachable by keyboard, even while it is empty.
      tabIndex={log.items.length === 0 ? 0 : undefined}
      onScroll={measure}
    >
      {log.hasOlder ? <p className="edge">Older messages are above</p> : null}
      <ol className="messages">
        {log.items.map((item, index) =>
          item.type === "marker" ? (
            <MarkerRow
              key={item.marker.id}
              marker={item.marker}
              isUndone={undone?.has(item.marker.id) === true}
              onJump={onJump}
              onOpenSummary={onOpenSummary}
            />
          ) : (
            <MessageRow
              key={item.message.id}
              message={item.message}
              fate={findFate(item, fates)}
              showsFate={findFate(item, fates) !== findFate(log.items[index - 1], fates)}
              isContinued={isContinued(log.items, index)}
              branch={findBranch(log.items, index, branches)}
              recall={recalls.blocks.get(item.message.lastSeq ?? 0)}
              recallActions={recalls.actions}
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
      {lastBranch === undefined || live.length > 0 ? null : <BranchSwitch branch={lastBranch} />}
      {children}
    </section>
  );
}

/** The assistant's name is not repeated after its tool calls. */
function isContinued(items: readonly LogItem[], index: number): boolean {
  const [item, before] = [items[index], items[index - 1]];
  if (item?.type !== "message" || before?.type !== "message") return false;
  return (
    item.message.role === before.message.role &&
    item.message.name === before.message.name &&
    item.message.role !== "user"
  );
}

function findFate(item: LogItem | undefined, fates: ReadonlyMap<number, Fate>): Fate | undefined {
  return item?.type === "message" && item.message.seq !== undefined ? fates.get(item.message.seq) : undefined;
}

/** A branch point after the last message has no message to be shown at. */
function findLastBranch({ items, hasNewer }: LogWindow, branches: readonly Branch[]): Branch | undefined {
  if (hasNewer || items.length === 0) return undefined;
  const last = findLastSeq(items.findLast((item) => item.type === "message")) ?? 0;
  return branches.find(({ atSeq }) => atSeq >= last);
}

/** A branch is shown at the first message after the branch point. */
function findBranch(items: readonly LogItem[], index: number, branches: readonly Branch[]): Branch | undefined {
  if (branches.length === 0) return undefined;
  const before = items.slice(0, index).findLast((item) => item.type === "message");
  const [from, to] = [findLastSeq(before) ?? 0, findLastSeq(items[index]) ?? 0];
  return branches.find(({ atSeq }) => atSeq >= from && atSeq < to);
}

function findLastSeq(item: LogItem | undefined): number | undefined {
  return item?.type === "message" ? (item.message.lastSeq ?? item.message.seq) : undefined;
}

/** The row at this position, or the first one after it. */
function findRow(frame: HTMLElement | null, seq: number): HTMLElement | undefined {
  const rows = [...(frame?.querySelectorAll<HTMLElement>("[data-seq]") ?? [])];
  return rows.find((row) => Number(row.dataset.lastSeq) >= seq);
}

/** The positions that are on the screen, and the row that anchors the scroll position. */
export interface VisibleRows {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly anchor: { readonly seq: string; readonly top: number } | undefined;
}

export function findVisibleRows(frame: HTMLElement): VisibleRows {
  const { top, bottom } = frame.getBoundingClientRect();
  const rows = frame.querySelectorAll<HTMLElement>("[data-seq]");
  const first = findFirst(rows, (row) => row.getBoundingClientRect().bottom > top);
  const below = findFirst(rows, (row) => row.getBoundingClientRect().top >= bottom);
  const [from, to] = [rows[first], rows[Math.max(first, below - 1)]];
  if (from === undefined || to === undefined) return { firstSeq: 0, lastSeq: 0, anchor: undefined };
  return {
    firstSeq: Number(from.dataset.seq),
    lastSeq: Number(to.dataset.lastSeq),
    anchor: { seq: from.dataset.seq ?? "", top: from.getBoundingClientRect().top },
  };
}

/** Rows are in order, so a binary search measures few of them. */
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
