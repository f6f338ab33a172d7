/**
 * The strip with its zoom: the whole log, or the part of it around what is being read. A part is asked for by itself
 * and is finer, so that a log of any length can be looked at closely; it moves along with the reader.
 */
import { useEffect, useState } from "react";
import type { Summary } from "../api/values.ts";
import { loadStrip } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { Range, VisibleRange } from "../hooks/visible-range.ts";
import { writeWhole } from "../ui/format.ts";
import { MinusIcon, PlusIcon, WholeIcon } from "../ui/icons.tsx";
import { canZoom, followRange, zoomIn, zoomOut } from "./move-range.ts";
import { Strip } from "./strip.tsx";

export interface StripPaneProps {
  readonly sessionId: string;
  readonly version: number;
  /** Who is asked next, where somebody chose. */
  readonly model: string | undefined;
  readonly summaries: readonly Summary[];
  readonly visible: VisibleRange;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
}

/** More than there are pixels would not be seen. */
const BUCKETS = 1_000;

export function StripPane({ sessionId, version, model, visible, ...rest }: StripPaneProps) {
  const [range, setRange] = useState<Range | undefined>();
  const [lastSeq, setLastSeq] = useState(0);
  const key = `${sessionId} ${version} ${model} ${range?.firstSeq ?? ""} ${range?.lastSeq ?? ""}`;
  const { value: strip } = useLoaded(key, async (signal) => {
    const loaded = await loadStrip(sessionId, { ...range, buckets: BUCKETS, model }, signal);
    if (range === undefined) setLastSeq(loaded.lastSeq);
    return loaded;
  });
  useEffect(() => visible.follow(() => setRange((before) => before && followRange(before, visible.read()))), [visible]);
  if (strip === undefined || strip.segments.length === 0) return null;
  const whole = { firstSeq: 1, lastSeq };
  return (
    <section className="strip-pane" aria-label="What became of the log">
      <Strip strip={strip} visible={visible} {...rest} />
      {canZoom(whole) ? <Zoom range={range} whole={whole} visible={visible} onChange={setRange} /> : null}
    </section>
  );
}

interface ZoomProps extends Pick<StripPaneProps, "visible"> {
  /** Undefined for the whole. */
  readonly range: Range | undefined;
  readonly whole: Range;
  readonly onChange: (range: Range | undefined) => void;
}

function Zoom({ range, whole, visible, onChange }: ZoomProps) {
  const shown = range ?? whole;
  return (
    <div className="strip-zoom">
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Look closer"
        title="Look closer"
        disabled={!canZoom(shown)}
        onClick={() => onChange(zoomIn(shown, visible.read()))}
      >
        <PlusIcon />
      </button>
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Look from further away"
        title="Look from further away"
        disabled={range === undefined}
        onClick={() => onChange(zoomOut(shown, whole))}
      >
        <MinusIcon />
      </button>
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Look at the whole log"
        title="Look at the whole log"
        disabled={range === undefined}
        onClick={() => onChange(undefined)}
      >
        <WholeIcon />
      </button>
      <span className="strip-range figures">
        {range === undefined ? "all" : `${writeWhole(shown.firstSeq)}–${writeWhole(shown.lastSeq)}`}
      </span>
    </div>
  );
}
