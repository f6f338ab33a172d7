/** A prompt, as text block by block or as the JSON that is sent. */
import { useMemo, useState } from "react";
import { isRecalledText } from "../api/recalls.ts";
import { CodeBlock } from "../ui/copy.tsx";
import { formatCount } from "../ui/format.ts";
import { PromptPieces } from "./prompt-pieces.tsx";
import { readPrompt } from "./read-prompt.ts";

/** More blocks are shown on request. */
const FIRST_BLOCKS = 40;

export function PromptBlocks({ prompt }: { readonly prompt: unknown }) {
  const [isRaw, setIsRaw] = useState(false);
  const [shown, setShown] = useState(FIRST_BLOCKS);
  const blocks = useMemo(() => readPrompt(prompt), [prompt]);
  return (
    <>
      <p className="panel-line aside">
        {formatCount(blocks.length, "block")}
        <button type="button" className="quiet" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
          {isRaw ? "Show as text" : "Show JSON"}
        </button>
      </p>
      {isRaw ? (
        <CodeBlock text={JSON.stringify(prompt, undefined, 2)} language="json" />
      ) : (
        <ol className="prompt-blocks">
          {blocks.slice(0, shown).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a prompt has an order and no ids.
            <li key={index} className="prompt-block">
              <p className="prompt-role">
                {block.role}
                {isRecalledText(block.text) ? <span className="fate-name">recalled passages</span> : null}
                {block.isMarked ? <span className="fate-name">cached up to here</span> : null}
              </p>
              <PromptPieces pieces={block.pieces} />
            </li>
          ))}
        </ol>
      )}
      {!isRaw && blocks.length > shown ? (
        <button type="button" className="quiet" onClick={() => setShown(blocks.length)}>
          Show {formatCount(blocks.length - shown, "more block")}
        </button>
      ) : null}
    </>
  );
}
