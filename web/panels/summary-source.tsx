/** What a summary was made from, word for word, in place. It is read when somebody wants to see it, and sent to nobody. */
import { useState } from "react";
import { expandSummary } from "../api/server.ts";
import type { Block, ShownMessage } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { writeCount } from "../write-figures.ts";
import { LongText } from "./long-text.tsx";

export interface SummarySourceProps {
  readonly sessionId: string;
  readonly summaryId: string;
}

/** More of them are shown when asked for. */
const FIRST_MESSAGES = 50;

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
  const [most, setMost] = useState(FIRST_MESSAGES);
  const { value, error } = useLoaded(`${sessionId} ${summaryId}`, (signal) =>
    expandSummary(sessionId, summaryId, signal),
  );
  if (value === undefined) return <p className="aside">{error ?? "Looking…"}</p>;
  return (
    <>
      <ol className="prompt-blocks">
        {value.slice(0, most).map((message) => (
          <li key={message.id} className="prompt-block">
            <p className="prompt-role">{message.name ?? message.role}</p>
            <LongText text={writeMessage(message)} />
          </li>
        ))}
      </ol>
      {value.length > most ? (
        <button type="button" className="quiet" onClick={() => setMost(value.length)}>
          Show {writeCount(value.length - most, "more message")}
        </button>
      ) : null}
    </>
  );
}

function writeMessage({ blocks }: ShownMessage): string {
  return blocks.map(writeBlock).join("\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text;
    case "tool":
      return block.call.output ?? `${block.call.tool} ${block.call.input}`;
    case "image":
    case "attachment":
      return `[${block.label}]`;
  }
}
