/** The pieces of a block: words in the type of reading, calls and what came back as code, images small. */
import { Picture } from "../chat/picture.tsx";
import { writeBytes } from "../write-figures.ts";
import { LongText } from "./long-text.tsx";
import type { MediaPiece, PromptPiece } from "./prompt-block.ts";

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
          <p className="prompt-piece-head">Thought</p>
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
            <span className="mono">{piece.tool}</span> {piece.failed ? "failed with" : "gave back"}
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
  const size = bytes === undefined ? (url === undefined ? "lies elsewhere" : "") : writeBytes(bytes);
  const said = [name, mediaType || "a file", size].filter((each) => each !== "").join(", ");
  return (
    <figure className="prompt-media">
      {url === undefined ? null : <Picture url={url} name="" />}
      <figcaption>{said}</figcaption>
    </figure>
  );
}
