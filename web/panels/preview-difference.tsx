/** Changes that a compaction makes to the next prompt: messages not kept word for word, and lines of the summary. */
import { useState } from "react";
import { loadMessages, type Preview } from "../api/summaries.ts";

import { useLoaded } from "../hooks/use-loaded.ts";
import { formatCount } from "../ui/format.ts";
import { diffLines } from "./diff.ts";
import { MessageList } from "./message-list.tsx";

export interface PreviewDifferenceProps {
  readonly sessionId: string;
  readonly preview: Preview;
  /** Text of the live summary; empty without one. */
  readonly before: string;
  /** Text of the new summary. */
  readonly text: string;
}

/** Each message is loaded with a separate request. */
const MAX_MESSAGES = 20;

export function PreviewDifference({ sessionId, preview, before, text }: PreviewDifferenceProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { droppedIds } = preview;
  return (
    <section className="difference" aria-label="Changes">
      {droppedIds.length === 0 ? null : (
        <details className="fold" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>− {formatCount(droppedIds.length, "message")} will be summarized, shortened or left out</summary>
          {isOpen ? <FoldedMessages sessionId={sessionId} ids={droppedIds} /> : null}
        </details>
      )}
      {text === "" ? null : <SummaryDifference before={before} text={text} />}
    </section>
  );
}

function FoldedMessages({ sessionId, ids }: { readonly sessionId: string; readonly ids: readonly string[] }) {
  const shown = ids.slice(0, MAX_MESSAGES);
  const { value, error } = useLoaded(`${sessionId} ${shown.join(" ")}`, (signal) =>
    loadMessages(sessionId, shown, signal),
  );
  if (value === undefined) return <p className="aside">{error ?? "Loading…"}</p>;
  return (
    <>
      <MessageList messages={value} />
      {ids.length > shown.length ? (
        <p className="aside">and {formatCount(ids.length - shown.length, "more message")}</p>
      ) : null}
    </>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const LABELS = { same: "unchanged", removed: "will be removed", added: "will be added" } as const;

function SummaryDifference({ before, text }: { readonly before: string; readonly text: string }) {
  const lines = diffLines(before, text);
  const count = (type: keyof typeof SIGNS) => lines.filter((line) => line.type === type).length;
  return (
    <details className="fold" open={before !== ""}>
      <summary>
        Summary: {formatCount(count("added"), "line")} will be added
        {before === "" ? "" : `, ${count("removed")} removed, ${count("same")} unchanged`}
      </summary>
      <ol className="line-difference">
        {lines.map(({ type, text: line }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have an order and no ids.
          <li key={index} className={`line-${type}`}>
            <span aria-hidden="true">{SIGNS[type]}</span>
            <span className="visually-hidden">{LABELS[type]}: </span>
            {line}
          </li>
        ))}
      </ol>
    </details>
  );
}
