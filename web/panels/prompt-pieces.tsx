/** The pieces of a prompt block: text, tool calls and results as code, and small images. */

import { useState } from "react";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Picture } from "../ui/picture.tsx";
import type { MediaPiece } from "./read-prompt-media.ts";
import type { PromptPiece } from "./read-prompt-piece.ts";

export function PromptPieces({ pieces }: { readonly pieces: readonly PromptPiece[] }) {
  return pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have an order and no ids.
    <Piece key={index} piece={piece} />
  ));
}

function Piece({ piece }: { readonly piece: PromptPiece }) {
  switch (piece.type) {
    case "text":
      return <LongText text={piece.text} />;
    case "reasoning":
      return (
        <div className="prompt-piece">
          <p className="prompt-piece-head">Reasoning</p>
          <LongText text={piece.text} />
        </div>
      );
    case "call":
      return (
        <div className="prompt-piece">
          <p className="prompt-piece-head">
            Calls <span className="mono">{piece.tool}</span>
          </p>
          <LongText text={piece.text} isCode />
        </div>
      );
    case "result":
      return (
        <div className="prompt-piece">
          <p className="prompt-piece-head">
            <span className="mono">{piece.tool}</span> {piece.failed ? "failed" : "returned"}
          </p>
          <LongText text={piece.text} isCode />
        </div>
      );
    case "media":
      return <Media media={piece} />;
    case "other":
      return <LongText text={piece.text} isCode />;
  }
}

function Media({ media: { name, mediaType, bytes, url } }: { readonly media: MediaPiece }) {
  const size = bytes === undefined ? (url === undefined ? "external" : "") : formatBytes(bytes);
  const caption = [name, mediaType || "a file", size].filter((each) => each !== "").join(", ");
  return (
    <figure className="prompt-media">
      {url === undefined ? null : <Picture url={url} name="" />}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

/** Limits of the part that is shown first. */
const FIRST_CHARACTERS = 480;
const FIRST_LINES = 8;

export interface LongTextProps {
  readonly text: string;
  /** Shown in a monospace font, with line wrapping. */
  readonly isCode?: boolean | undefined;
}

export function LongText({ text, isCode = false }: LongTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const first = text.split("\n").slice(0, FIRST_LINES).join("\n").slice(0, FIRST_CHARACTERS);
  const rest = text.length - first.length;
  const shown = isOpen || rest === 0 ? text : `${first.trimEnd()}…`;
  return (
    <>
      {isCode ? <pre className="prompt-code">{shown}</pre> : <p className="prompt-text">{shown}</p>}
      {rest === 0 ? null : (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show ${formatCount(rest, "more character")}`}
        </button>
      )}
    </>
  );
}
