/**
 * Bytes of a file as text, or nothing where they are none. What they are is seen from the bytes, never from the name:
 * byte order marks, then UTF-8, then the old encoding of the western world for texts that were never converted.
 */

/** Where somebody looks for what only binaries have. */
const PROBE_BYTES = 8_192;
/** More unusual control characters than this share, and nobody wrote it as text. */
const MOST_CONTROLS = 0.02;
/** Formats that begin like text and are not. */
const SIGNATURES = ["%PDF-", "%!PS-Adobe", "{\\rtf"] as const;

export function decodeText(bytes: Uint8Array): string | undefined {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return decode(bytes, marked);
  const probe = bytes.subarray(0, PROBE_BYTES);
  if (probe.includes(0) || hasSignature(probe)) return undefined;
  const text = decode(bytes, "utf-8") ?? decode(bytes, "windows-1252");
  return text === undefined || isNoise(text) ? undefined : text;
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hasSignature(probe: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(probe.subarray(0, 16));
  return SIGNATURES.some((signature) => start.startsWith(signature));
}

function isNoise(text: string): boolean {
  const probe = text.slice(0, PROBE_BYTES);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const controls = probe.match(/[\u0000-\u0007\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0;
  return controls > probe.length * MOST_CONTROLS;
}
