/**
 * The strip with its zoom: the whole log, or the part around the visible messages, which is loaded in more detail and
 * moves with them.
 */
import { useEffect, useState } from "react";
import type { Summary } from "../api/values.ts";
import { loadStrip } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { VisibleRange, VisibleSeqs } from "../hooks/visible-range.ts";
import { formatNumber } from "../ui/format.ts";
import { FitIcon, MinusIcon, PlusIcon } from "../ui/icons.tsx";
import { canZoom, followRange, zoomIn, zoomOut } from "./move-range.ts";
import { Strip } from "./strip.tsx";

export interface StripPaneProps {
  readonly sessionId: string;
  readonly version: number;
  /** The chosen model; undefined for the server's default. */
  readonly model: string | undefined;
  readonly summaries: readonly Summary[];
  readonly visible: VisibleRange;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
  /** Messages that recalled passages of the prompt quote. */
  readonly recalledSeqs: readonly number[];
}

/** More buckets than pixels would not be visible. */
const BUCKETS = 1_000;

export function StripPane({ sessionId, version, model, visible, ...rest }: StripPaneProps) {
  const [range, setRange] = useState<VisibleSeqs | undefined>();
  const [lastSeq, setLastSeq] = useState(0);
  const key = `${sessionId} ${version} ${model} ${range?.firstSeq ?? ""} ${range?.lastSeq ?? ""}`;
  const { value: strip } = useLoaded(key, async (signal) => {
    const loaded = await loadStrip(sessionId, { ...range, buckets: BUCKETS, model }, signal);
    if (range === undefined) setLastSeq(loaded.lastSeq);
    return loaded;
  });
  useEffect(
    () => visible.subscribe(() => setRange((before) => before && followRange(before, visible.read()))),
    [visible],
  );
  if (strip === undefined || strip.segments.length === 0) return null;
  const whole = { firstSeq: 1, lastSeq };
  return (
    <section className="strip-pane" aria-label="Log overview">
      <Strip strip={strip} visible={visible} {...rest} />
      {canZoom(whole) ? <Zoom range={range} whole={whole} visible={visible} onChange={setRange} /> : null}
    </section>
  );
}

interface ZoomProps extends Pick<StripPaneProps, "visible"> {
  /** Undefined for the whole log. */
  readonly range: VisibleSeqs | undefined;
  readonly whole: VisibleSeqs;
  readonly onChange: (range: VisibleSeqs | undefined) => void;
}

function Zoom({ range, whole, visible, onChange }: ZoomProps) {
  const shown = range ?? whole;
  return (
    <div className="strip-zoom">
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Zoom in"
        title="Zoom in"
        disabled={!canZoom(shown)}
        onClick={() => onChange(zoomIn(shown, visible.read()))}
      >
        <PlusIcon />
      </button>
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Zoom out"
        title="Zoom out"
        disabled={range === undefined}
        onClick={() => onChange(zoomOut(shown, whole))}
      >
        <MinusIcon />
      </button>
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Show the whole log"
        title="Show the whole log"
        disabled={range === undefined}
        onClick={() => onChange(undefined)}
      >
        <FitIcon />
      </button>
      <span className="strip-range figures">
        {range === undefined ? "all" : `${formatNumber(shown.firstSeq)}–${formatNumber(shown.lastSeq)}`}
      </span>
    </div>
  );
}
