/** What a summary was made from, word for word, in place. It is read when somebody wants to see it, and sent to nobody. */
import { useState } from "react";
import { expandSummary } from "../api/summaries.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { SaidMessages } from "./said-messages.tsx";

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
