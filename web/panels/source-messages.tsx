/** Messages as they were said, one below the other, the first of many. */
import { useState } from "react";
import type { Block, ShownMessage, ToolCall } from "../api/values.ts";
import { writeCount } from "../ui/format.ts";
import { PromptPieces } from "./prompt-pieces.tsx";
import type { PromptPiece } from "./read-prompt-piece.ts";

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
            <PromptPieces pieces={message.blocks.flatMap(piecesOf)} />
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

function piecesOf(block: Block): readonly PromptPiece[] {
  switch (block.type) {
    case "text":
    case "reasoning":
      return [block];
    case "tool":
      return piecesOfCall(block.call);
    case "image":
      return [{ type: "media", name: block.name, mediaType: "an image", bytes: undefined, url: block.url, mark: "" }];
    case "attachment":
      return [{ type: "text", text: `[${block.label}]` }];
  }
}

/** Where only the result is there, nothing is known of the call. */
function piecesOfCall({ tool, input, output, failed }: ToolCall): readonly PromptPiece[] {
  const call = input === "" ? [] : [{ type: "call" as const, tool, text: input }];
  return output === undefined ? call : [...call, { type: "result", tool, text: output, failed }];
}
