/**
 * The strip as a list for screen readers and keyboards: one tab stop, arrow keys within. The focused item is
 * highlighted on the drawing.
 */
import { type KeyboardEvent, useRef, useState } from "react";
import { formatCount } from "../ui/format.ts";
import type { Band, SummarySheet } from "./layout-strip.ts";
import { describeSpot, type Spot } from "./spot.ts";

/** Number of newest runs in the list; the search finds older messages. */
const MAX_RUNS = 400;

export interface StripListProps {
  readonly runs: readonly Band[];
  readonly sheets: readonly SummarySheet[];
  readonly recalledSeqs: readonly number[];
  readonly onSpot: (spot: Spot | undefined) => void;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
}

export function StripList({ runs, sheets, recalledSeqs, onSpot, onJump, onOpenSummary }: StripListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [active, setActive] = useState(0);
  const spots: readonly Spot[] = [
    ...sheets.map((sheet): Spot => ({ type: "sheet", sheet, top: sheet.top + sheet.height / 2 })),
    ...runs
      .slice(-MAX_RUNS)
      .map((run): Spot => ({ type: "run", run, seq: run.firstSeq, top: run.top + run.height / 2 })),
  ];
  const current = Math.min(active, Math.max(0, spots.length - 1));
  const move = (event: KeyboardEvent) => {
    const next = nextOf(event.key, current, spots.length);
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
    list.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <ol className="visually-hidden" aria-label="Messages of the log, by state" ref={list} onKeyDown={move}>
      {spots.map((spot, index) => {
        const { title, figures } = describeSpot(spot);
        return (
          <li key={spot.type === "sheet" ? spot.sheet.summary.id : `${spot.run.firstSeq}-${spot.run.fate}`}>
            <button
              type="button"
              tabIndex={index === current ? 0 : -1}
              onFocus={() => {
                setActive(index);
                onSpot(spot);
              }}
              onBlur={() => onSpot(undefined)}
              onClick={() => (spot.type === "sheet" ? onOpenSummary(spot.sheet.summary.id) : onJump(spot.seq))}
            >
              {title}: {figures}
              {describeRecalled(spot, recalledSeqs)}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function describeRecalled(spot: Spot, seqs: readonly number[]): string {
  if (spot.type === "sheet") return "";
  const { firstSeq, lastSeq } = spot.run;
  const count = new Set(seqs.filter((seq) => seq >= firstSeq && seq <= lastSeq)).size;
  return count === 0 ? "" : `, ${formatCount(count, "message")} recalled`;
}

function nextOf(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(count - 1, current + 1);
    case "ArrowUp":
      return Math.max(0, current - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
