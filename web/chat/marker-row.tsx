/** Where the model's view was changed, in the conversation itself: what it was, what it saved, and the words for it. */
import { memo } from "react";
import type { Marker } from "../api/values.ts";
import { writeCost, writeCount, writeTime, writeWhole } from "../ui/format.ts";

export interface MarkerRowProps {
  readonly marker: Marker;
  /** It was undone: it holds no more. */
  readonly isTakenBack: boolean;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
}

export const MarkerRow = memo(function MarkerRow({ marker, isTakenBack, onJump, onOpenSummary }: MarkerRowProps) {
  const { summary, at, seq } = marker;
  return (
    <li
      className={`marker ${isTakenBack ? "taken-back" : ""}`}
      data-seq={seq}
      data-last-seq={seq}
      id={`message-${seq}`}
      tabIndex={-1}
    >
      <p className="marker-line">
        {isTakenBack ? (
          <span>
            Taken back: <s>{sayMarker(marker)}</s>
          </span>
        ) : (
          <span>{sayMarker(marker)}</span>
        )}
        <time dateTime={new Date(at).toISOString()}>{writeTime(at)}</time>
      </p>
      {summary === undefined ? null : (
        <p className="marker-tools">
          <button type="button" className="quiet" onClick={() => onOpenSummary(summary.id)}>
            Read the summary
          </button>
          <button type="button" className="quiet" onClick={() => onJump(summary.firstSeq)}>
            Go to what it covers
          </button>
        </p>
      )}
    </li>
  );
});

function sayMarker({ type, summary, reason }: Marker): string {
  if (summary !== undefined) {
    const { messages, tokensBefore, tokensAfter, author, costUsd } = summary;
    const cost = costUsd === undefined ? "" : `, ${costUsd === 0 ? "no cost" : writeCost(costUsd)}`;
    return `${writeCount(messages, "message")} folded into one summary: ${writeWhole(tokensBefore)} → ${writeCount(tokensAfter, "token")}, by ${author}${cost}`;
  }
  if (type === "clear") return "Started over: the model reads on from here";
  if (type === "truncate") return `Left out what came before${reason === "" ? "" : `: ${reason}`}`;
  return `Pruned${reason === "" ? "" : `: ${reason}`}`;
}
