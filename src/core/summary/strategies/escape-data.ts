/**
 * Wraps data in delimiters with a nonce, which the data cannot close. Escapes the nonce inside the data, and every tag
 * with one of our names, because a model may accept a tag without the nonce.
 */

import { invariant } from "../../errors.ts";
import { takeHead } from "../../message/whole-text.ts";

export type DataKind = "conversation" | "message" | "previous-summary" | "wishes";

/** At least eight characters, so that no text contains it by accident. */
const NONCE = /^[0-9a-z]{8,64}$/;

/** Has no letter and no digit, so that it cannot form a nonce with the text around it. */
const BROKEN_NONCE = "[…]";

/** Matches the `<` of a tag with one of our names. Bare `<message>` and `<meta>` are ordinary markup. */
const OUR_NAMES = "conversation\\b|previous-summary\\b|wishes\\b|message-|meta\\s{1,16}total_";
const OUR_TAG = new RegExp(`<(?=\\s{0,16}/?\\s{0,16}(?:${OUR_NAMES}))`, "gi");

const MAX_LABEL_CHARACTERS = 64;

export function requireNonce(nonce: string): string {
  invariant(NONCE.test(nonce), "a nonce is 8 to 64 lower-case letters and digits");
  return nonce;
}

export function escapeData(text: string, nonce: string): string {
  const broken = text.replace(new RegExp(requireNonce(nonce), "gi"), () => BROKEN_NONCE);
  return broken.replace(OUR_TAG, () => "&lt;");
}

/** Returns one short line without the characters that delimit labels. */
export function escapeLabel(name: string, nonce: string): string {
  const line = escapeData(name.slice(0, 4 * MAX_LABEL_CHARACTERS), nonce)
    .replace(/[\p{C}\p{Z}[\]<>"]+/gu, () => " ")
    .trim();
  return takeHead(line, MAX_LABEL_CHARACTERS);
}

export function openingTag(kind: DataKind, nonce: string): string {
  return `<${kind}-${nonce}>`;
}

export function closingTag(kind: DataKind, nonce: string): string {
  return `</${kind}-${nonce}>`;
}

export function delimit(escaped: string, { kind, nonce }: { readonly kind: DataKind; readonly nonce: string }): string {
  return `${openingTag(kind, nonce)}\n${escaped}\n${closingTag(kind, nonce)}`;
}

export function wrapData(text: string, place: { readonly kind: DataKind; readonly nonce: string }): string {
  return delimit(escapeData(text, place.nonce), place);
}
