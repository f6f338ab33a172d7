/** What a prompt is made of, whoever it is for: blocks in the order of speaking, and in each the pieces that it says. */
export type PromptPiece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly tool: string; readonly text: string }
  | { readonly type: "result"; readonly tool: string; readonly text: string; readonly failed: boolean }
  | MediaPiece
  /** What is not known here, as it is sent. */
  | { readonly type: "other"; readonly text: string };

export interface MediaPiece {
  readonly type: "media";
  readonly name: string;
  readonly mediaType: string;
  /** Undefined where it lies elsewhere. */
  readonly bytes: number | undefined;
  /** Where this page may show it from; undefined where it may not. */
  readonly url: string | undefined;
  /** What tells it from others of its size. */
  readonly mark: string;
}

export interface PromptBlock {
  readonly role: string;
  readonly pieces: readonly PromptPiece[];
  /** All of it as words, by which it is compared. */
  readonly text: string;
  /** A provider's cache is asked to keep what ends here. */
  readonly isMarked: boolean;
}

export function writePieces(pieces: readonly PromptPiece[]): string {
  return pieces.map(writePiece).join("\n").trim();
}

function writePiece(piece: PromptPiece): string {
  switch (piece.type) {
    case "call":
      return `${piece.tool}(${piece.text})`;
    case "media":
      return [piece.name, piece.mediaType, piece.bytes, piece.mark].join(" ");
    default:
      return piece.text;
  }
}
