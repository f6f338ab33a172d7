/** A prompt block by block: who speaks and what is said, and the same as the bytes that are sent. */
import { useMemo, useState } from "react";
import { CodeBlock } from "../ui/copy.tsx";
import { writeCount } from "../ui/format.ts";
import { PromptPieces } from "./prompt-pieces.tsx";
import { readPrompt } from "./read-prompt.ts";

/** A prompt can hold a whole window; more than this is shown when asked for. */
const FIRST_BLOCKS = 40;

export function PromptBlocks({ prompt }: { readonly prompt: unknown }) {
  const [asBytes, setAsBytes] = useState(false);
  const [most, setMost] = useState(FIRST_BLOCKS);
  const blocks = useMemo(() => readPrompt(prompt), [prompt]);
  return (
    <>
      <p className="panel-line aside">
        {writeCount(blocks.length, "block")}
        <button type="button" className="quiet" aria-pressed={asBytes} onClick={() => setAsBytes(!asBytes)}>
          {asBytes ? "Read it" : "As it is sent"}
        </button>
      </p>
      {asBytes ? (
        <CodeBlock text={JSON.stringify(prompt, undefined, 2)} language="json" />
      ) : (
        <ol className="prompt-blocks">
          {blocks.slice(0, most).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a prompt has an order and no ids.
            <li key={index} className="prompt-block">
              <p className="prompt-role">
                {block.role}
                {block.isMarked ? <span className="fate-name">cached up to here</span> : null}
              </p>
              <PromptPieces pieces={block.pieces} />
            </li>
          ))}
        </ol>
      )}
      {!asBytes && blocks.length > most ? (
        <button type="button" className="quiet" onClick={() => setMost(blocks.length)}>
          Show {writeCount(blocks.length - most, "more block")}
        </button>
      ) : null}
    </>
  );
}
