/**
 * Puts what others said between delimiters that they cannot close. A delimiter carries a nonce that is new for every
 * call; inside the data the nonce is broken wherever it occurs, and so is every tag that has the name of one of ours,
 * because a reader that is only a model may take a tag without the nonce for one with it.
 *
 * Everything else of the text stays as it was said: code keeps its angle brackets, and `$&` means nothing here, since
 * no text is ever a pattern or a replacement string. The caller brings the nonce; this file makes no chance.
 */

import { invariant } from "../../errors.ts";
import { takeHead } from "../../message/whole-text.ts";

/** Names of delimiters. */
export type DataKind = "conversation" | "message" | "previous-summary" | "wishes";

/** Letters and digits in lower case; at least eight, so that no text contains it by accident. */
const NONCE = /^[0-9a-z]{8,64}$/;

/** Stands where the nonce stood. It has no letter and no digit, so no nonce can form across its ends. */
const BROKEN_NONCE = "[…]";

/**
 * The `<` of a tag with one of our names, with a nonce or without, opened or closed, however it is spaced. `<message>`
 * and `<meta>` by themselves are other people's markup.
 */
const OUR_NAMES = "conversation\\b|previous-summary\\b|wishes\\b|message-|meta\\s{1,16}total_";
const OUR_TAG = new RegExp(`<(?=\\s{0,16}/?\\s{0,16}(?:${OUR_NAMES}))`, "gi");

const LONGEST_LABEL = 64;

export function requireNonce(nonce: string): string {
  invariant(NONCE.test(nonce), "a nonce is 8 to 64 lower-case letters and digits");
  return nonce;
}

/** The text with nothing left in it that could be taken for a delimiter of this call. */
export function escapeData(text: string, nonce: string): string {
  const broken = text.replace(new RegExp(requireNonce(nonce), "gi"), () => BROKEN_NONCE);
  return broken.replace(OUR_TAG, () => "&lt;");
}

/** A name from outside (a tool's, a person's) on one line, short, and without what our labels are made of. */
export function escapeLabel(name: string, nonce: string): string {
  const line = escapeData(name.slice(0, 4 * LONGEST_LABEL), nonce)
    .replace(/[\p{C}\p{Z}[\]<>"]+/gu, () => " ")
    .trim();
  return takeHead(line, LONGEST_LABEL);
}

export function openingTag(kind: DataKind, nonce: string): string {
  return `<${kind}-${nonce}>`;
}

export function closingTag(kind: DataKind, nonce: string): string {
  return `</${kind}-${nonce}>`;
}

/** Text that is already escaped, between its delimiters. */
export function delimit(escaped: string, { kind, nonce }: { readonly kind: DataKind; readonly nonce: string }): string {
  return `${openingTag(kind, nonce)}\n${escaped}\n${closingTag(kind, nonce)}`;
}

export function wrapData(text: string, place: { readonly kind: DataKind; readonly nonce: string }): string {
  return delimit(escapeData(text, place.nonce), place);
}
