/**
 * The id of a message in the form of the workspace document, `{epoch_ms}-{8 hex}`. A reply that was streamed is stored
 * in pieces `id#0`, `id#1`, …: the first has the id of the reply there, each other one of its own, made of the two.
 * An id that a caller gave is the caller's, and stays.
 */
import { hashText } from "./hash-message.ts";

const PIECE = /^(\d+)-([0-9a-f]{8})#(\d+)$/;

export function documentId(id: string): string {
  const [, at, hex, piece] = PIECE.exec(id) ?? [];
  if (at === undefined) return id;
  return `${at}-${piece === "0" ? hex : hashText(id).slice(0, 8)}`;
}
