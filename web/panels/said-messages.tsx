/** Messages as they were said, one below the other, the first of many. */
import { useState } from "react";
import type { Block, ShownMessage } from "../api/values.ts";
import { writeCount } from "../write-figures.ts";
import { LongText } from "./long-text.tsx";

/** More of them are shown when asked for. */
const FIRST_MESSAGES = 50;

export function SaidMessages({ messages }: { readonly messages: readonly ShownMessage[] }) {
  const [most, setMost] = useState(FIRST_MESSAGES);
  return (
    <>
      <ol className="prompt-blocks">
        {messages.slice(0, most).map((message) => (
          <li key={message.id} className="prompt-block">
            <p className="prompt-role">{message.name ?? message.role}</p>
            <LongText text={writeMessage(message)} />
          </li>
        ))}
      </ol>
      {messages.length > most ? (
        <button type="button" className="quiet" onClick={() => setMost(messages.length)}>
          Show {writeCount(messages.length - most, "more message")}
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
      return `[${block.name || "an image"}]`;
    case "attachment":
      return `[${block.label}]`;
  }
}
