/** Base64 of bytes and texts, by functions that Node, browsers and workers have. */

/** Arguments of one call; more could exceed the stack. */
const CHUNK = 8_192;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

export function encodeBase64Text(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

/** Reads base64 as `Buffer` does: also in the alphabet for addresses, and without characters that are no base64. */
export function decodeBase64Text(base64: string): string {
  const digits = base64
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replaceAll(/=.*$|[^A-Za-z0-9+/]/gs, "");
  const binary = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}
