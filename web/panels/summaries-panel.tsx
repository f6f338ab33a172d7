/** The chain of summaries over time, the live one first: what each says, kept, cost and covers, and the way back. */
import { useState } from "react";
import { expandSummary, listSummaries } from "../api/summaries.ts";
import type { Summary } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { SummaryChanges } from "../session/use-summary-changes.ts";
import { writeCount, writeTime, writeWhole } from "../ui/format.ts";
import { UndoIcon } from "../ui/icons.tsx";
import { CompactionPreview } from "./compaction-preview.tsx";
import { sayFigures } from "./describe-summary.ts";
import { SaidMessages } from "./source-messages.tsx";
import { hasSummaryDraft, SummaryEditor } from "./summary-editor.tsx";

export interface SummariesPanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly openId: string | undefined;
  readonly onJump: (seq: number) => void;
  readonly changes: SummaryChanges;
  /** A previewed compaction was written. */
  readonly onApplied: () => void;
  /** Ids of changes that were undone. */
  readonly takenBack: ReadonlySet<string> | undefined;
}

export function SummariesPanel(props: SummariesPanelProps) {
  const { sessionId, version, openId, onJump, changes, onApplied, takenBack } = props;
  const { value, error } = useLoaded(`${sessionId} ${version}`, (signal) => listSummaries(sessionId, signal));
  if (value === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  const liveText = value.find(({ isLive }) => isLive)?.text ?? "";
  const preview = (
    <CompactionPreview sessionId={sessionId} version={version} liveText={liveText} onApplied={onApplied} />
  );
  if (value.length === 0) {
    return (
      <>
        <div className="panel-empty">
          <h3>No summary yet</h3>
          <p className="aside">
            While everything fits, the model reads everything. When the window fills, old messages are folded into a
            summary that is checked against them, and nothing is thrown away. <span className="mono">/compact</span>{" "}
            does it now.
          </p>
        </div>
        {preview}
      </>
    );
  }
  return (
    <>
      {preview}
      <ol className="summaries">
        {value.toReversed().map((summary) => (
          <SummaryCard
            key={summary.id}
            sessionId={sessionId}
            summary={summary}
            isTakenBack={!summary.isLive && takenBack?.has(summary.id) === true}
            isOpen={openId === undefined ? summary.isLive : summary.id === openId}
            onJump={onJump}
            changes={changes}
          />
        ))}
      </ol>
    </>
  );
}

interface SummaryCardProps {
  readonly sessionId: string;
  readonly summary: Summary;
  readonly isTakenBack: boolean;
  readonly isOpen: boolean;
  readonly onJump: (seq: number) => void;
  readonly changes: SummaryChanges;
}

function SummaryCard({ sessionId, summary, isTakenBack, isOpen, onJump, changes }: SummaryCardProps) {
  const { depth, messages, at, isLive, text, facets, firstSeq } = summary;
  const [isEditing, setIsEditing] = useState(() => hasSummaryDraft(summary));
  return (
    <li className={`summary-card ${isLive ? "summary-live" : ""} ${isTakenBack ? "taken-back" : ""}`}>
      <details open={isOpen}>
        <summary>
          <span className="summary-title">
            {isTakenBack ? <s>Summary {depth + 1}</s> : `Summary ${depth + 1}`}
            {isTakenBack ? <span className="fate-name">taken back</span> : null}
            {isLive ? <span className="fate-name">the model reads this one</span> : null}
          </span>
          <span className="aside figures">
            {writeCount(messages, "message")}, {writeTime(at)}
          </span>
        </summary>
        <p className="aside figures">{sayFigures(summary)}</p>
        {isEditing ? (
          <SummaryEditor summary={summary} onSave={changes.edit} onLeave={() => setIsEditing(false)} />
        ) : (
          <SummaryText text={text} />
        )}
        {facets.length === 0 ? null : (
          <details className="fold">
            <summary>What it holds, by kind</summary>
            <FacetList facets={facets} />
          </details>
        )}
        <SummarySource sessionId={sessionId} summaryId={summary.id} />
        <p className="panel-line">
          <button type="button" className="quiet" onClick={() => onJump(firstSeq)}>
            Go to what it covers
          </button>
          {isLive && !isEditing ? (
            <>
              <button type="button" className="quiet" onClick={() => setIsEditing(true)}>
                Edit
              </button>
              <button
                type="button"
                className="quiet"
                title="Have it written anew from what it stands for"
                onClick={changes.regenerate}
              >
                Regenerate
              </button>
              <button type="button" className="quiet" onClick={() => changes.undo(summary.id)}>
                <UndoIcon /> Undo
              </button>
            </>
          ) : null}
        </p>
      </details>
    </li>
  );
}

/** Of a long log it may hold thousands of names; the first ones say what kind they are. */
const MOST_ITEMS = 40;

function FacetList({ facets }: Pick<Summary, "facets">) {
  return (
    <dl className="facets">
      {facets.map(({ name, items }) => (
        <div key={name}>
          <dt>{name}</dt>
          {items.slice(0, MOST_ITEMS).map((item) => (
            <dd key={item}>{item}</dd>
          ))}
          {items.length > MOST_ITEMS ? (
            <dd className="aside">and {writeWhole(items.length - MOST_ITEMS)} more</dd>
          ) : null}
        </div>
      ))}
    </dl>
  );
}

export interface SummarySourceProps {
  readonly sessionId: string;
  readonly summaryId: string;
}

export function SummarySource(props: SummarySourceProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="fold" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>What it was made from</summary>
      {isOpen ? <SourceMessages {...props} /> : null}
    </details>
  );
}

function SourceMessages({ sessionId, summaryId }: SummarySourceProps) {
  const { value, error } = useLoaded(`${sessionId} ${summaryId}`, (signal) =>
    expandSummary(sessionId, summaryId, signal),
  );
  if (value === undefined) return <p className="aside">{error ?? "Looking…"}</p>;
  return <SaidMessages messages={value} />;
}

/** A summary as the model reads it: lines, headings that end in a colon, and items. Nothing in it is read as markup. */
interface Line {
  readonly kind: "heading" | "item" | "line";
  readonly text: string;
}

export function SummaryText({ text }: { readonly text: string }) {
  return (
    <div className="summary-text">
      {text
        .split("\n")
        .map(readLine)
        .map(({ kind, text: said }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a summary are never moved.
          <p key={index} className={`summary-${kind}`}>
            {said}
          </p>
        ))}
    </div>
  );
}

function readLine(line: string): Line {
  const item = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1];
  if (item !== undefined) return { kind: "item", text: item };
  return /^\S.{0,60}:$/.test(line) ? { kind: "heading", text: line.slice(0, -1) } : { kind: "line", text: line };
}
