/** Decodes the bytes of a file as text, or returns undefined for binaries. The bytes decide, never the name. */
import { listWords } from "../../core/language/list-words.ts";

/** Largest share of unusual control characters in a text. */
const MAX_CONTROL_SHARE = 0.02;
/** Binary formats that start like text. */
const SIGNATURES = listWords(`%PDF- %!PS-Adobe {\\rtf GIF87a GIF89a PK\u0003\u0004 \u001f\u008b BZh \u0089PNG
  \u00ff\u00d8\u00ff wOFF wOF2 7z\u00bc\u00af Rar!`);

export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = findByteOrderMark(bytes) ?? findUtf16(bytes);
  if (encoding === undefined && (bytes.includes(0) || hasSignature(bytes))) return undefined;
  const text = encoding === undefined ? decodeUnmarked(bytes) : decodeAs(bytes, encoding);
  return text === undefined || isNoise(text) ? undefined : text;
}

function findByteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

const PROBE_BYTES = 4_096;
/** Share of units that must be among the first 256 characters: letters, digits, spaces and line ends. */
const MIN_LATIN_SHARE = 0.4;

/** Recognizes UTF-16 without a mark by its zero bytes, which are all on one side in mostly Latin text. */
function findUtf16(bytes: Uint8Array): string | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const probe = bytes.subarray(0, PROBE_BYTES);
  let even = 0;
  let odd = 0;
  for (const [index, byte] of probe.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const least = (probe.length / 2) * MIN_LATIN_SHARE;
  if (even === 0 && odd >= least) return "utf-16le";
  return odd === 0 && even >= least ? "utf-16be" : undefined;
}

function decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text with a few broken bytes is still UTF-8; one with more broken than whole characters is not. */
function decodeUnmarked(bytes: Uint8Array): string | undefined {
  const strict = decodeAs(bytes, "utf-8");
  if (strict !== undefined) return strict;
  const lenient = new TextDecoder().decode(bytes);
  const broken = lenient.match(/\ufffd/gu)?.length ?? 0;
  const others = lenient.match(/[^\0-\u007f\ufffd]/gu)?.length ?? 0;
  return others > 0 && others >= broken ? lenient : decodeAs(bytes, "windows-1252");
}

function hasSignature(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return SIGNATURES.some((signature) => start.startsWith(signature));
}

function isNoise(text: string): boolean {
  let controls = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (isUnusualControl(text.charCodeAt(index))) controls += 1;
  }
  return controls > text.length * MAX_CONTROL_SHARE;
}

/** Texts contain line ends, tabs, form feeds, backspaces and escapes, but hardly any other control characters. */
function isUnusualControl(code: number): boolean {
  if (code >= 0x20) return code >= 0x7f && code <= 0x9f;
  return code < 0x08 || (code > 0x0d && code !== 0x1a && code !== 0x1b);
}
