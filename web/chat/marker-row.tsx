/** A row of the conversation that marks a change to the model's view, with the tokens and cost of a summary. */
import { memo } from "react";
import type { Marker } from "../api/values.ts";
import { describeAuthor } from "../ui/describe-summary.ts";
import { formatCost, formatCount, formatDateTime, formatNumber } from "../ui/format.ts";

export interface MarkerRowProps {
  readonly marker: Marker;
  readonly isUndone: boolean;
  readonly onJump: (seq: number) => void;
  readonly onOpenSummary: (summaryId: string) => void;
}

export const MarkerRow = memo(function MarkerRow({ marker, isUndone, onJump, onOpenSummary }: MarkerRowProps) {
  const { summary, at, seq } = marker;
  return (
    <li
      className={`marker ${isUndone ? "undone" : ""}`}
      data-seq={seq}
      data-last-seq={seq}
      id={`message-${seq}`}
      tabIndex={-1}
    >
      <p className="marker-line">
        {isUndone ? (
          <span>
            Undone: <s>{describeMarker(marker)}</s>
          </span>
        ) : (
          <span>{describeMarker(marker)}</span>
        )}
        <time dateTime={new Date(at).toISOString()}>{formatDateTime(at)}</time>
      </p>
      {summary === undefined ? null : (
        <p className="marker-tools">
          <button type="button" className="quiet" onClick={() => onOpenSummary(summary.id)}>
            Show summary
          </button>
          <button type="button" className="quiet" onClick={() => onJump(summary.coverage.firstSeq)}>
            Go to the messages
          </button>
        </p>
      )}
    </li>
  );
});

function describeMarker({ type, summary, reason }: Marker): string {
  if (summary !== undefined) {
    const { coverage, tokensBefore, tokensAfter, costUsd } = summary;
    const cost = costUsd === undefined ? "" : `, ${costUsd === 0 ? "no cost" : formatCost(costUsd)}`;
    return `${formatCount(coverage.count, "message")} summarized: ${formatNumber(tokensBefore)} → ${formatCount(tokensAfter, "token")}, by ${describeAuthor(summary)}${cost}`;
  }
  if (type === "clear") return "Context cleared: the model reads only later messages";
  if (type === "truncate") return `Older messages left out${reason === "" ? "" : `: ${reason}`}`;
  return `Pruned${reason === "" ? "" : `: ${reason}`}`;
}
