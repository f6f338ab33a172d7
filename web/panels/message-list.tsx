/** Messages word for word, the first ones of a long list. */
import { useState } from "react";
import type { Block, ShownMessage, ToolCall } from "../api/values.ts";
import { formatCount } from "../ui/format.ts";
import { PromptPieces } from "./prompt-pieces.tsx";
import type { PromptPiece } from "./read-prompt-piece.ts";

/** More are shown on request. */
const FIRST_MESSAGES = 50;

export function MessageList({ messages }: { readonly messages: readonly ShownMessage[] }) {
  const [shown, setShown] = useState(FIRST_MESSAGES);
  return (
    <>
      <ol className="prompt-blocks">
        {messages.slice(0, shown).map((message) => (
          <li key={message.id} className="prompt-block">
            <p className="prompt-role">{message.name ?? message.role}</p>
            <PromptPieces pieces={message.blocks.flatMap(piecesOf)} />
          </li>
        ))}
      </ol>
      {messages.length > shown ? (
        <button type="button" className="quiet" onClick={() => setShown(messages.length)}>
          Show {formatCount(messages.length - shown, "more message")}
        </button>
      ) : null}
    </>
  );
}

function piecesOf(block: Block): readonly PromptPiece[] {
  switch (block.type) {
    case "text":
    case "reasoning":
      return [block];
    case "tool":
      return piecesOfCall(block.call);
    case "image":
      return [{ type: "media", name: block.name, mediaType: "image", bytes: undefined, url: block.url, mark: "" }];
    case "attachment":
      return [{ type: "text", text: `[${block.label}]` }];
  }
}

/** A result without its call has no input. */
function piecesOfCall({ tool, input, output, failed }: ToolCall): readonly PromptPiece[] {
  const call = input === "" ? [] : [{ type: "call" as const, tool, text: input }];
  return output === undefined ? call : [...call, { type: "result", tool, text: output, failed }];
}
