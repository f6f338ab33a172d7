/**
 * The whole log from top to bottom, drawn to scale, each message in the pattern of its fate, with
 * summaries as sheets over the messages they cover. A sheet lifts on hover and on focus. Screen readers use
 * the list instead.
 */
import { type PointerEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Summary } from "../api/values.ts";
import type { StripData } from "../api/view.ts";
import { useVisibleRange, type VisibleRange } from "../hooks/visible-range.ts";
import { describeReasonAsSentence } from "../ui/describe-reason.ts";
import { FATE_LABELS } from "./fates.tsx";
import {
  type Band,
  bottomOf,
  joinBands,
  joinThinBands,
  layOutBands,
  layOutSheets,
  type SummarySheet,
  scaleOf,
  seqAt,
  topOf,
} from "./layout-strip.ts";
import { describeSpot, type Spot } from "./spot.ts";
import { StripList } from "./strip-list.tsx";

export interface StripProps {
  readonly strip: StripData;
  readonly summaries: readonly Summary[];
  readonly visible: VisibleRange;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
  /** Messages that recalled passages of the prompt quote. */
  readonly recalledSeqs: readonly number[];
}

const PAGE_LEFT = 8;
const PAGE_WIDTH = 32;
const SHEET_LEFT = 22;
const SHEET_WIDTH = 34;
const SHEET_STEP = 3;
const MAX_SHEETS = 6;
const LINE_STEP = 5;

export function Strip({ strip, summaries, visible, onJump, onOpenSummary, recalledSeqs }: StripProps) {
  const [frame, height] = useHeight();
  const [spot, setSpot] = useState<Spot | undefined>();
  const bands = useMemo(() => layOutBands(strip.segments, Math.max(1, height)), [strip, height]);
  const drawn = useMemo(() => joinThinBands(bands), [bands]);
  const runs = useMemo(() => joinBands(bands), [bands]);
  const sheets = useMemo(() => layOutSheets(bands, summaries).slice(0, MAX_SHEETS), [bands, summaries]);
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const top = event.clientY - event.currentTarget.getBoundingClientRect().top;
    const run = runs.find((band) => top < band.top + band.height);
    setSpot(run === undefined ? undefined : { type: "run", run, seq: seqAt(bands, top), top });
  };
  return (
    <div className="strip-frame" ref={frame}>
      <svg
        className="strip"
        width="72"
        height={height}
        aria-hidden="true"
        onPointerMove={point}
        onPointerLeave={() => setSpot(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          onJump(seqAt(bands, event.clientY - event.currentTarget.getBoundingClientRect().top));
        }}
      >
        <Bands bands={drawn} />
        <Sheets sheets={sheets} scale={scaleOf(bands)} spot={spot} onOpen={onOpenSummary} onPoint={setSpot} />
        <RecallMarks bands={bands} seqs={recalledSeqs} />
        <VisibleMarker bands={bands} visible={visible} />
        {spot?.type === "run" ? <SpotLine spot={spot} /> : null}
      </svg>
      <StripList
        runs={runs}
        sheets={sheets}
        recalledSeqs={recalledSeqs}
        onSpot={setSpot}
        onJump={onJump}
        onOpenSummary={onOpenSummary}
      />
      {spot === undefined ? null : <SpotLabel spot={spot} height={height} />}
    </div>
  );
}

function Bands({ bands }: { readonly bands: readonly Band[] }) {
  return (
    <g>
      {bands.map((band) => (
        <rect
          key={`${band.firstSeq}-${band.fate}`}
          data-fate={band.fate}
          x={PAGE_LEFT}
          y={band.top}
          width={PAGE_WIDTH}
          height={Math.max(0.5, band.height - (band.height > 3 ? 1 : 0))}
          fill={`url(#fate-${band.fate})`}
        />
      ))}
    </g>
  );
}

interface SheetsProps {
  readonly sheets: readonly SummarySheet[];
  /** Pixels for each token, the same as for the messages. */
  readonly scale: number;
  readonly spot: Spot | undefined;
  readonly onOpen: (summaryId: string) => void;
  readonly onPoint: (spot: Spot) => void;
}

function Sheets({ sheets, scale, spot, onOpen, onPoint }: SheetsProps) {
  const lifted = spot?.type === "sheet" ? spot.sheet.level : -1;
  return (
    <g className="sheets">
      {sheets.toReversed().map((sheet) => {
        const { summary, top, height, level } = sheet;
        return (
          <g
            key={summary.id}
            className={`sheet ${level <= lifted ? "sheet-lifted" : ""}`}
            data-summary={summary.id}
            onPointerMove={(event) => {
              event.stopPropagation();
              onPoint({ type: "sheet", sheet, top: top + height / 2 });
            }}
            onPointerDown={(event) => {
              event.stopPropagation();
              onOpen(summary.id);
            }}
          >
            <rect className="sheet-place" {...boxOf(sheet)} />
            <g className="sheet-leaf">
              <rect className="sheet-paper" {...boxOf(sheet)} rx="2" />
              {level === 0 ? <SheetLines top={top} height={Math.min(height, summary.tokensAfter * scale)} /> : null}
            </g>
          </g>
        );
      })}
    </g>
  );
}

function boxOf({ top, height, level }: SummarySheet) {
  return { x: SHEET_LEFT + level * SHEET_STEP, y: top + 1, width: SHEET_WIDTH, height: Math.max(2, height - 2) };
}

/** Draws lines on a sheet, in proportion to the length of its summary. */
function SheetLines({ top, height }: { readonly top: number; readonly height: number }) {
  const count = Math.max(1, Math.floor((height - LINE_STEP) / LINE_STEP));
  const lines = Array.from({ length: count }, (_, index) => {
    const right = index === count - 1 ? 14 : 24 - ((index * 7) % 5);
    return `M${SHEET_LEFT + 5} ${top + 7 + index * LINE_STEP}h${right}`;
  });
  return <path className="sheet-line" d={lines.join("")} />;
}

function VisibleMarker({ bands, visible }: { readonly bands: readonly Band[]; readonly visible: VisibleRange }) {
  const { firstSeq, lastSeq } = useVisibleRange(visible);
  if (lastSeq === 0) return null;
  const [top, bottom] = [topOf(bands, firstSeq), bottomOf(bands, lastSeq)];
  return <rect className="here" x="1" y={top} width="4" height={Math.max(6, bottom - top)} rx="2" />;
}

/** Marks messages that are hidden and quoted in the prompt. Messages outside a zoomed range are not marked. */
function RecallMarks({ bands, seqs }: { readonly bands: readonly Band[]; readonly seqs: readonly number[] }) {
  const [first, last] = [bands[0]?.firstSeq ?? 0, bands.at(-1)?.lastSeq ?? 0];
  const shown = [...new Set(seqs)].filter((seq) => seq >= first && seq <= last);
  return (
    <g>
      {shown.map((seq) => {
        const middle = (topOf(bands, seq) + bottomOf(bands, seq)) / 2;
        return <path key={seq} className="recall-mark" d={`M${PAGE_LEFT - 2} ${middle - 5}l8 5l-8 5z`} />;
      })}
    </g>
  );
}

function SpotLine({ spot }: { readonly spot: Extract<Spot, { type: "run" }> }) {
  return <path className="spot-line" d={`M${PAGE_LEFT - 3} ${spot.top}h${PAGE_WIDTH + 6}`} />;
}

function SpotLabel({ spot, height }: { readonly spot: Spot; readonly height: number }) {
  const { title, figures } = describeSpot(spot);
  const meaning =
    spot.type === "run" ? FATE_LABELS[spot.run.fate].meaning : describeReasonAsSentence(spot.sheet.summary.reason);
  return (
    <div className="spot-label" style={{ top: Math.min(Math.max(0, spot.top - 24), Math.max(0, height - 112)) }}>
      <strong>{title}</strong>
      <span className="figures">{figures}</span>
      <span>{meaning}</span>
    </div>
  );
}

export function useHeight(): [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setHeight(current.clientHeight));
    observer.observe(current);
    setHeight(current.clientHeight);
    return () => observer.disconnect();
  }, []);
  return [element, height];
}
