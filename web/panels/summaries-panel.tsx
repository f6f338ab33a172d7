/** The chain of summaries, the live one first: text, facts, cost, source messages, and actions. */
import { useState } from "react";
import { expandSummary, listSummaries } from "../api/summaries.ts";
import type { Summary } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { describeSummary, type FacetGroup, listFacets, separateAddedLines } from "../ui/describe-summary.ts";
import { formatCount, formatDateTime, formatNumber } from "../ui/format.ts";
import { UndoIcon } from "../ui/icons.tsx";
import { CompactionPreview } from "./compaction-preview.tsx";
import { MessageList } from "./message-list.tsx";
import { hasSummaryDraft, SummaryEditor } from "./summary-editor.tsx";

/** Actions on the live summary. */
export interface SummaryActions {
  /** Undoes this summary and nothing else. */
  readonly undo: (summaryId: string) => void;
  /** False if the text could not be saved. */
  readonly edit: (text: string) => Promise<boolean>;
  readonly regenerate: () => void;
}

export interface SummariesPanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly openId: string | undefined;
  readonly onJump: (seq: number) => void;
  readonly actions: SummaryActions;
  /** Called when a previewed compaction was applied. */
  readonly onApplied: () => void;
  /** Ids of changes that are undone. */
  readonly undone: ReadonlySet<string> | undefined;
}

export function SummariesPanel(props: SummariesPanelProps) {
  const { sessionId, version, openId, onJump, actions, onApplied, undone } = props;
  const { value, error } = useLoaded(`${sessionId} ${version}`, (signal) => listSummaries(sessionId, signal));
  if (value === undefined) return <p className="aside panel-empty">{error ?? "Loading…"}</p>;
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
            As long as all messages fit, the model reads all of them. When the context window fills, old messages are
            summarized, and the summary is verified against them. <span className="mono">/compact</span> does it now.
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
            isUndone={!summary.isLive && undone?.has(summary.id) === true}
            isOpen={openId === undefined ? summary.isLive : summary.id === openId}
            onJump={onJump}
            actions={actions}
          />
        ))}
      </ol>
    </>
  );
}

interface SummaryCardProps {
  readonly sessionId: string;
  readonly summary: Summary;
  readonly isUndone: boolean;
  readonly isOpen: boolean;
  readonly onJump: (seq: number) => void;
  readonly actions: SummaryActions;
}

function SummaryCard({ sessionId, summary, isUndone, isOpen, onJump, actions }: SummaryCardProps) {
  const { depth, coverage, at, isLive } = summary;
  const { written, added } = separateAddedLines(summary);
  const facets = listFacets(summary);
  const [isEditing, setIsEditing] = useState(() => hasSummaryDraft(summary));
  return (
    <li className={`summary-card ${isLive ? "summary-live" : ""} ${isUndone ? "undone" : ""}`}>
      <details open={isOpen}>
        <summary>
          <span className="summary-title">
            {isUndone ? <s>Summary {depth + 1}</s> : `Summary ${depth + 1}`}
            {isUndone ? <span className="fate-name">undone</span> : null}
            {isLive ? <span className="fate-name">in use</span> : null}
          </span>
          <span className="aside figures">
            {formatCount(coverage.count, "message")}, {formatDateTime(at)}
          </span>
        </summary>
        <p className="aside figures">{describeSummary(summary)}</p>
        {isEditing ? (
          <SummaryEditor summary={summary} onSave={actions.edit} onClose={() => setIsEditing(false)} />
        ) : (
          <>
            <SummaryText text={written} />
            {added === "" ? null : (
              <section aria-label="Lines added by code">
                <p className="aside">Added by code:</p>
                <SummaryText text={added} />
              </section>
            )}
          </>
        )}
        {facets.length === 0 ? null : (
          <details className="fold">
            <summary>Facts by kind</summary>
            <FacetList facets={facets} />
          </details>
        )}
        <SummarySource sessionId={sessionId} summaryId={summary.id} />
        <p className="panel-line">
          <button type="button" className="quiet" onClick={() => onJump(coverage.firstSeq)}>
            Go to the messages
          </button>
          {isLive && !isEditing ? (
            <>
              <button type="button" className="quiet" onClick={() => setIsEditing(true)}>
                Edit
              </button>
              <button
                type="button"
                className="quiet"
                title="Write it again from its source messages"
                onClick={actions.regenerate}
              >
                Regenerate
              </button>
              <button type="button" className="quiet" onClick={() => actions.undo(summary.id)}>
                <UndoIcon /> Undo
              </button>
            </>
          ) : null}
        </p>
      </details>
    </li>
  );
}

/** A summary of a long log can have thousands of names. */
const MAX_ITEMS = 40;

function FacetList({ facets }: { readonly facets: readonly FacetGroup[] }) {
  return (
    <dl className="facets">
      {facets.map(({ name, items }) => (
        <div key={name}>
          <dt>{name}</dt>
          {items.slice(0, MAX_ITEMS).map((item) => (
            <dd key={item}>{item}</dd>
          ))}
          {items.length > MAX_ITEMS ? (
            <dd className="aside">and {formatNumber(items.length - MAX_ITEMS)} more</dd>
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
      <summary>Source messages</summary>
      {isOpen ? <SourceMessages {...props} /> : null}
    </details>
  );
}

function SourceMessages({ sessionId, summaryId }: SummarySourceProps) {
  const { value, error } = useLoaded(`${sessionId} ${summaryId}`, (signal) =>
    expandSummary(sessionId, summaryId, signal),
  );
  if (value === undefined) return <p className="aside">{error ?? "Loading…"}</p>;
  return <MessageList messages={value} />;
}

/** A line of a summary: headings end with a colon, items start with a dash. */
interface Line {
  readonly kind: "heading" | "item" | "line";
  readonly text: string;
}

/** Shows a summary line by line. Markup in it is not interpreted. */
export function SummaryText({ text }: { readonly text: string }) {
  return (
    <div className="summary-text">
      {text
        .split("\n")
        .map(readLine)
        .map(({ kind, text: content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a summary are never moved.
          <p key={index} className={`summary-${kind}`}>
            {content}
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
