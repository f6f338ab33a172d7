/** What a compaction would change in what the model reads: messages that would go, and lines of the summary that differ. */
import { useState } from "react";
import { loadMessages } from "../api/summaries.ts";
import type { Preview } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { writeCount } from "../ui/format.ts";
import { diffLines } from "./diff.ts";
import { SaidMessages } from "./source-messages.tsx";

export interface PreviewDifferenceProps {
  readonly sessionId: string;
  readonly preview: Preview;
  /** Of the summary that the model reads now; empty where there is none. */
  readonly before: string;
  /** As it would be applied. */
  readonly text: string;
}

/** Each is asked for by its id. */
const MOST_MESSAGES = 20;

export function PreviewDifference({ sessionId, preview, before, text }: PreviewDifferenceProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { droppedIds } = preview;
  return (
    <section className="difference" aria-label="What would change">
      {droppedIds.length === 0 ? null : (
        <details className="fold" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>− {writeCount(droppedIds.length, "message")} would be folded</summary>
          {isOpen ? <Dropped sessionId={sessionId} ids={droppedIds} /> : null}
        </details>
      )}
      {text === "" ? null : <SummaryDifference before={before} text={text} />}
    </section>
  );
}

function Dropped({ sessionId, ids }: { readonly sessionId: string; readonly ids: readonly string[] }) {
  const shown = ids.slice(0, MOST_MESSAGES);
  const { value, error } = useLoaded(`${sessionId} ${shown.join(" ")}`, (signal) =>
    loadMessages(sessionId, shown, signal),
  );
  if (value === undefined) return <p className="aside">{error ?? "Looking…"}</p>;
  return (
    <>
      <SaidMessages messages={value} />
      {ids.length > shown.length ? (
        <p className="aside">and {writeCount(ids.length - shown.length, "more message")}</p>
      ) : null}
    </>
  );
}

const SIGNS = { same: " ", went: "−", came: "+" } as const;
const WORDS = { same: "stays", went: "would go", came: "would come" } as const;

function SummaryDifference({ before, text }: { readonly before: string; readonly text: string }) {
  const lines = diffLines(before, text);
  const count = (type: keyof typeof SIGNS) => lines.filter((line) => line.type === type).length;
  return (
    <details className="fold" open={before !== ""}>
      <summary>
        + {writeCount(count("came"), "line")} of the summary would come
        {before === "" ? "" : `, ${count("went")} would go, ${count("same")} stay`}
      </summary>
      <ol className="line-difference">
        {lines.map(({ type, text: line }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have an order and no ids.
          <li key={index} className={`line-${type}`}>
            <span aria-hidden="true">{SIGNS[type]}</span>
            <span className="visually-hidden">{WORDS[type]}: </span>
            {line}
          </li>
        ))}
      </ol>
    </details>
  );
}
