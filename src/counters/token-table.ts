/**
 * The tokens of an encoding, found by their bytes: a hash table over one packed array. It takes about five megabytes,
 * where a map of strings takes seventy.
 */

const BITS = 6;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export class TokenTable {
  /** The bytes of all tokens, in the order of their ranks. */
  readonly #bytes: Uint8Array;
  /** Offsets of the tokens in the bytes, and the end of the last one. */
  readonly #starts: Uint32Array;
  /** The rank of a token plus one at the place of its hash, or at the next free place. Zero is free. */
  readonly #slots: Int32Array;

  /** `base64` encodes one byte for the length of each token, then the bytes of all tokens. */
  constructor(base64: string, tokens: number) {
    const packed = decodeBase64(base64);
    this.#bytes = packed.subarray(tokens);
    this.#starts = new Uint32Array(tokens + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(tokens) + 1));
    for (let rank = 0, start = 0; rank < tokens; rank += 1) {
      const end = start + (packed[rank] ?? 0);
      this.#starts[rank + 1] = end;
      this.#slots[this.#findFreeSlot(start, end)] = rank + 1;
      start = end;
    }
  }

  /** Returns the rank of the token with these bytes, or -1. */
  findRank(bytes: Uint8Array, start: number, end: number): number {
    return (this.#slots[this.#findSlot(bytes, start, end)] ?? 0) - 1;
  }

  /** Returns the slot for a new token. All tokens are different, so none is compared. */
  #findFreeSlot(start: number, end: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = hashBytes(this.#bytes, start, end) & last;
    while (slots[slot] !== 0) slot = (slot + 1) & last;
    return slot;
  }

  /** Returns the slot of the token with these bytes, or the free slot where it would be. */
  #findSlot(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = hashBytes(bytes, start, end) & last;
    for (;;) {
      const rank = (slots[slot] ?? 0) - 1;
      if (rank < 0 || this.#isToken(rank, bytes, start, end)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - own !== end - start) return false;
    for (let at = start; at < end; at += 1) if (bytes[at] !== this.#bytes[own + at - start]) return false;
    return true;
  }
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Works in every runtime; the built-in decoders have different APIs. */
function decodeBase64(text: string): Uint8Array {
  const values = new Uint8Array(128);
  for (let value = 0; value < ALPHABET.length; value += 1) values[ALPHABET.charCodeAt(value)] = value;
  const length = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  const bytes = new Uint8Array(Math.floor((length * BITS) / 8));
  for (let at = 0, out = 0; at < length; at += 4, out += 3) {
    const group =
      ((values[text.charCodeAt(at)] ?? 0) << 18) |
      ((values[text.charCodeAt(at + 1)] ?? 0) << 12) |
      ((values[text.charCodeAt(at + 2)] ?? 0) << 6) |
      (values[text.charCodeAt(at + 3)] ?? 0);
    bytes[out] = group >>> 16;
    bytes[out + 1] = (group >>> 8) & 255;
    bytes[out + 2] = group & 255;
  }
  return bytes;
}
