/** Caches the sentences of texts for all readers of a summary. Reads a long text in pieces, on demand. */

import { textPieces } from "../../language/text-pieces.ts";
import type { TextPart } from "../../message/message.ts";
import { type Sentence, splitSentences } from "./split-sentences.ts";

export interface SentenceReader {
  piecesOf(part: TextPart): Iterable<readonly Sentence[]>;
}

export function createSentenceReader(): SentenceReader {
  const known = new Map<TextPart, Reading>();
  return {
    *piecesOf(part) {
      const reading = known.get(part) ?? { pieces: [], rest: textPieces(part.text), fence: { isFenced: false } };
      known.set(part, reading);
      for (let index = 0; ; index += 1) {
        const piece = reading.pieces[index] ?? readNext(reading);
        if (piece === undefined) return;
        yield piece;
      }
    },
  };
}

interface Reading {
  readonly pieces: (readonly Sentence[])[];
  readonly rest: Iterator<string>;
  readonly fence: { isFenced: boolean };
}

function readNext({ pieces, rest, fence }: Reading): readonly Sentence[] | undefined {
  const next = rest.next();
  if (next.done === true) return undefined;
  const sentences = splitSentences(next.value, fence);
  pieces.push(sentences);
  return sentences;
}
